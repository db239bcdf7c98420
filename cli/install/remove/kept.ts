// Which names in a data folder are Trilane's, down to the files, and which of them are there. A name alone is not enough
// where somebody could have given it: databases, reports and the launcher are looked into. Follows no symlink; removes nothing.
import { closeSync, constants, existsSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { tempSiblingEnding } from "../../base/create_temp_sibling.ts";
import { applicationId as resultsApplicationId } from "../../results/store/database.ts";
import { openSqlite } from "../../results/store/sqlite.ts";
import { launcherBeginning } from "../host/launcher.ts";

/** A file that is kept: true where it is one of ours. `path`: absolute. */
type IsOurs = (path: string, stat: Stats) => boolean;
/** What may be in a folder, by names. */
interface Shape {
  readonly [pattern: string]: IsOurs | Shape;
}

export interface Kept {
  /** Absolute, as are the others. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** A folder comes after those in it. */
  readonly folders: readonly string[];
  /** Symlinks where Trilane has a file or folder. */
  readonly links: readonly string[];
  /** Folders that may not be read. */
  readonly closed: readonly string[];
  /** Not Trilane's. */
  readonly others: readonly string[];
}

const archiveApplicationId = 1953655148;

function beginningOf(path: string, size_bytes: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(size_bytes);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, size_bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

const isFile: IsOurs = (_, stat) => stat.isFile();

/** The header of a database file: sqlite.org/fileformat2.html, 1.3. */
const applicationIdAt = 68;

function hasApplicationId(path: string, wanted: number): boolean {
  const header = beginningOf(path, 100);
  if (header.length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") return false;
  const found = header.readUInt32BE(applicationIdAt);
  if (found !== 0 || !existsSync(`${path}-wal`)) return found === wanted;
  // Whoever made it was killed: what it is may stand in the log only.
  const database = openSqlite(path, { readOnly: true });
  try {
    return database.prepare("PRAGMA application_id").get()?.application_id === wanted;
  } finally {
    database.close();
  }
}

function tryTo(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false; // What cannot be read is not known to be ours.
  }
}

/** Of a database, or of the log beside it. */
const isDatabase =
  (wanted: number): IsOurs =>
  (path, stat) => {
    const database = path.replace(/-(wal|shm|journal)$/, "");
    return (
      stat.isFile() &&
      tryTo(() => lstatSync(database).isFile() && lstatSync(database).size > 0 && hasApplicationId(database, wanted))
    );
  };

/** A report says in its head who made it. */
const isReport: IsOurs = (path, stat) =>
  stat.isFile() && tryTo(() => beginningOf(path, 4096).includes('<meta name="generator" content="Trilane '));

const isCalibration: IsOurs = (path, stat) =>
  stat.isFile() && tryTo(() => beginningOf(path, 200).includes('"schema": "trilane/calibration/'));

const isLauncher: IsOurs = (path, stat) =>
  stat.isFile() && tryTo(() => beginningOf(path, launcherBeginning.length).toString() === launcherBeginning);

/** What an install that was killed left: a launcher's beginning, of whatever length. */
const isHalfLauncher: IsOurs = (path, stat) =>
  stat.isFile() && tryTo(() => launcherBeginning.startsWith(beginningOf(path, launcherBeginning.length).toString()));

const keys: Shape = { "(ca|leaf)\\.key|ca\\.pem": isFile };

const madeId = "[0-9a-f]{16}";

const shape: Shape = {
  "archive\\.db(-wal|-shm|-journal)?": isDatabase(archiveApplicationId),
  "results\\.db(-wal|-shm|-journal)?": isDatabase(resultsApplicationId),
  // As it was before a migration; .part: half a copy, of somebody who was killed.
  "archive\\.db\\.v\\d+-backup(-\\d+)?": isDatabase(archiveApplicationId),
  "results\\.db\\.v\\d+-backup(-\\d+)?": isDatabase(resultsApplicationId),
  "(archive|results)\\.db\\.v\\d+-backup\\.part(-journal)?": isFile,
  "calibration\\.json": isCalibration,
  // Written aside, by somebody who was killed; as below.
  [`\\.calibration\\.json\\.${tempSiblingEnding}`]: isFile,
  "trilane-host": isLauncher,
  "trilane-host\\.\\d+": isHalfLauncher,
  "ca(\\.\\w{6})?": keys,
  // What a browser's loads begin with; with a further ending: half of one, of somebody who was killed.
  "browser-profiles": {
    [`[a-z]+-${madeId}(\\.[0-9a-f]{12})?`]: { "[\\w.-]+\\.\\w+": isFile, startupCache: { "[\\w.-]+": isFile } },
  },
  bodies: {
    "[0-9a-f]{2}": { "[0-9a-f]{64}": isFile },
    staging: { lock: isFile, "\\d+-\\d+": { lock: isFile, "\\d+": isFile } },
  },
  profiles: { [`${madeId}\\.(har|json|part)`]: isFile },
  jobs: {
    [madeId]: {
      "job\\.json\\.\\d+\\.tmp": isFile,
      "(job\\.json|events\\.jsonl|stderr|exit)": isFile,
      ".+-[0-9a-f]{8}\\.har": isFile,
      control: (_, stat) => stat.isFIFO(),
      "link\\.sock": (_, stat) => stat.isSocket(),
    },
  },
  reports: {
    "\\d+-[A-Za-z0-9._-]*\\.html": isReport,
    [`\\.\\d+-[A-Za-z0-9._-]*\\.html\\.${tempSiblingEnding}`]: isFile,
  },
};

interface Found {
  files: { path: string; bytes: number }[];
  folders: string[];
  links: string[];
  closed: string[];
  others: string[];
}

function look(path: string, what: IsOurs | Shape | undefined, found: Found): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (what === undefined) found.others.push(path);
  else if (stat.isSymbolicLink()) found.links.push(path);
  else if (typeof what === "function") {
    if (what(path, stat)) found.files.push({ path, bytes: stat.size });
    else found.others.push(path);
  } else if (stat.isDirectory()) {
    try {
      lookInto(path, what, found);
      found.folders.push(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
      found.closed.push(path);
    }
  } else found.others.push(path);
}

function lookInto(folder: string, inside: Shape, found: Found): void {
  const known = Object.entries(inside).map(([pattern, what]) => ({ name: new RegExp(`^(?:${pattern})$`), what }));
  for (const name of readdirSync(folder).toSorted())
    look(join(folder, name), known.find((each) => each.name.test(name))?.what, found);
}

const isDatabaseFile = (path: string): boolean => /\.db(-wal|-shm|-journal)?$/.test(path);

/** What is in a data folder, which is there. Its databases come last among the files, the logs before what they belong to. */
export function keptIn(home: string): Kept {
  const found: Found = { files: [], folders: [], links: [], closed: [], others: [] };
  lookInto(home, shape, found);
  const databases = found.files.filter(({ path }) => isDatabaseFile(path)).toReversed();
  return { ...found, files: [...found.files.filter(({ path }) => !isDatabaseFile(path)), ...databases] };
}

/** Whether a folder is a data folder of Trilane's: something is in it that only Trilane makes. */
export function isDataFolder(home: string, { files, folders }: Kept): boolean {
  const evidence = new RegExp(
    `^(archive\\.db|results\\.db|trilane-host|profiles/${madeId}\\.har|jobs/${madeId}/job\\.json)$`,
  );
  return [...files.map(({ path }) => path), ...folders].some((path) => evidence.test(path.slice(home.length + 1)));
}
