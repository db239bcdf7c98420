// Removes all that Trilane has kept: the data folder's own files, what lets browsers find its host, and what killed loads
// left behind. Only names that Trilane gives are removed, so that a folder with other things in it keeps those. Not what
// the extension keeps in its browser, nor the built libraries of set-up, which hold nothing of anybody.
import { lstatSync, readdirSync, readlinkSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { browsers, hostsFolders } from "../host/browsers.ts";
import { launcherPath } from "../host/launcher.ts";
import { manifestPath, manifestProgram, removeManifest } from "../host/manifest.ts";
import { removeLeftFolders } from "../measure/scratch.ts";

export interface RemovedEverything {
  /** Of the files that are gone. */
  readonly bytes: number;
  /** Of the native messaging host. */
  readonly manifests: string[];
  /** What else is in the data folder, which stays then. */
  readonly left: string[];
}

/** The names that are ours in a data folder; `ca.` and `.NAME.` begin what is made aside and renamed. */
const ours =
  /^(archive\.db|results\.db)(-wal|-shm|-journal)?$|^(bodies|ca|reports|profiles|jobs|trilane-host)$|^ca\.\w{6}$/;

function bytesOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES")) return [];
    throw error;
  }
}

/** A process that has something in the folder open, so far as we may see; null: none. */
function userOf(folder: string): { pid: number; program: string } | null {
  for (const name of entriesOf("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
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
    const leadsHere = program === launcherPath(home) || (isUsual && program !== null);
    return leadsHere && removeManifest(folder) ? [manifestPath(folder)] : [];
  });
}

/** `isUsual`: no other data folder was named. UserError while somebody works with it; then nothing was removed. */
export async function removeEverything(home: string, isUsual: boolean): Promise<RemovedEverything> {
  refuseInUse(home);
  const manifests = removeManifests(home, isUsual);
  const names = entriesOf(home);
  let bytes = 0;
  for (const name of names.filter((each) => ours.test(each))) {
    const path = join(home, name);
    bytes += bytesOf(path);
    rmSync(path, { recursive: true, force: true });
  }
  const left = names.filter((name) => !ours.test(name));
  if (left.length === 0 && names.length > 0) rmdirSync(home);
  await removeLeftFolders();
  return { bytes, manifests, left };
}
