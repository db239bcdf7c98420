// Removes all that Trilane has kept: the data folder's own files, what lets browsers find its host, and what killed loads
// left behind. Only what Trilane made goes (kept.ts), and nothing behind a symlink: what stays is said. Not what the
// extension keeps in its browser, nor the built libraries of set-up, which hold nothing of anybody.
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { UserError } from "../../base/errors.ts";
import { removeLeftFolders } from "../../browser/scratch.ts";
import { browsers, hostsFolders } from "../host/browsers.ts";
import { launcherPath, launchersOf, removeLauncher } from "../host/launcher.ts";
import { manifestPath, manifestProgram, removeManifest } from "../host/manifest.ts";
import { isDataFolder, type Kept, keptIn } from "./kept.ts";

export interface RemovedEverything {
  /** Of the files that are gone. */
  readonly bytes: number;
  /** Of the native messaging host. */
  readonly manifests: string[];
  /** What else is in the data folder, which stays then: paths in it. */
  readonly left: string[];
  /** What Trilane keeps and could not remove: absolute. */
  readonly remains: { readonly path: string; readonly why: string }[];
  /** Of the host, for all users of the machine, where they stay: absolute. */
  readonly systemManifests: string[];
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES")) return [];
    throw error;
  }
}

/** What a path becomes without symlinks; of what does not exist, the folder's. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === "/" ? path : join(realPath(dirname(path)), basename(path));
  }
}

/** The program's name, if a word of a shaper's command line is a path in the folder, by whatever name: what it has open cannot be seen. */
function shaperIn(folder: string, pid: number): string | null {
  try {
    const [program = "", ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const name = basename(program);
    const paths = words.filter((word) => word.startsWith("/"));
    return name === "trilane-shaper" && paths.some((path) => realPath(path).startsWith(`${folder}/`)) ? name : null;
  } catch {
    return null; // It is gone.
  }
}

/** A process that has something in the folder open, so far as we may see; null: none. */
function userOf(folder: string): { pid: number; program: string } | null {
  for (const name of entriesOf("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const shaper = shaperIn(folder, pid);
    if (shaper !== null) return { pid, program: shaper };
    const descriptors = `/proc/${pid}/fd`;
    for (const descriptor of entriesOf(descriptors)) {
      try {
        if (!readlinkSync(join(descriptors, descriptor)).startsWith(`${folder}/`)) continue;
        return { pid, program: readlinkSync(`/proc/${pid}/exe`).split("/").at(-1) ?? "" };
      } catch {
        // Closed, or the process is gone.
      }
    }
  }
  return null;
}

function refuseInUse(home: string): void {
  if (!lstatSync(home, { throwIfNoEntry: false })) return;
  const user = userOf(realpathSync(home));
  if (user === null) return;
  throw new UserError(
    `${home}: is in use by process ${user.pid} (${user.program}): let its work end, close the extension's pages, and try again`,
  );
}

/** Those of this user that lead to this data folder; all of them where it is the usual one. */
function removeManifests(home: string, isUsual: boolean): string[] {
  return hostsFolders({ kind: "user" }, browsers).flatMap(({ path: folder }) => {
    const program = manifestProgram(folder);
    const leadsHere = program !== null && (isUsual || launchersOf(home).includes(program));
    return leadsHere && removeManifest(folder) ? [manifestPath(folder)] : [];
  });
}

/** Where a symlink ends, or what it says where it ends nowhere. */
function targetOf(link: string): string {
  try {
    return realpathSync(link);
  } catch {
    return resolve(dirname(link), readlinkSync(link));
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, .*/s, "") : String(error);

/** Continues where one cannot be removed. */
function removeKept({ files, folders, links, closed }: Kept): Pick<RemovedEverything, "bytes" | "remains"> {
  const remains = [
    ...links.map((path) => ({ path: targetOf(path), why: `${path} is a link to it` })),
    ...closed.map((path) => ({ path, why: "may not be read" })),
  ];
  let removed_bytes = 0;
  for (const { path, bytes } of files) {
    try {
      unlinkSync(path);
      removed_bytes += bytes;
    } catch (error) {
      remains.push({ path, why: wordsOf(error) });
    }
  }
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Something stays in it, which is reported; or it is a disk of its own.
    }
  }
  return { bytes: removed_bytes, remains };
}

const nothing: Kept = { files: [], folders: [], links: [], closed: [], others: [] };

/** UserError where the folder has names like ours, and nothing that only Trilane makes. */
function keptOrRefuse(home: string, isUsual: boolean): Kept {
  const stat = lstatSync(home, { throwIfNoEntry: false });
  if (!stat) return nothing;
  if (!stat.isDirectory()) throw new UserError(`${home}: is not a folder: name another with --home`);
  const kept = keptIn(home);
  if (isUsual || isDataFolder(home, kept)) return kept;
  const alike = [...kept.files.map(({ path }) => path), ...kept.folders, ...kept.links, ...kept.closed];
  if (alike.length === 0) return kept;
  throw new UserError(
    `${home}: is not known to be Trilane's (no recordings, results, races or profiles are in it): nothing was removed; name the right folder with --home`,
  );
}

/** `isUsual`: no other data folder was named. UserError while somebody works with it; then nothing was removed. */
export async function removeEverything(named: string, isUsual: boolean): Promise<RemovedEverything> {
  refuseInUse(named);
  const isLink = lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const home = isLink ? targetOf(named) : named;
  const kept = keptOrRefuse(home, isUsual);
  const homes = [...new Set([named, home])];
  const manifests = homes.flatMap((each) => removeManifests(each, isUsual));
  const removed = removeKept(kept);
  for (const path of homes.map(launcherPath)) {
    try {
      removeLauncher(path);
    } catch (error) {
      removed.remains.push({ path, why: wordsOf(error) });
    }
  }
  const left = kept.others.map((path) => relative(home, path));
  try {
    // Who made a link of it has chosen the folder, which may be a disk.
    if (!isLink && kept.files.length + kept.folders.length > 0) rmdirSync(home);
  } catch {
    // Something is in it, which is reported.
  }
  await removeLeftFolders();
  const systemManifests = hostsFolders({ kind: "system" }, browsers)
    .filter(({ path }) => manifestProgram(path) !== null)
    .map(({ path }) => manifestPath(path));
  return { ...removed, manifests, left, systemManifests };
}
