// The folder of one load: the browser's profile and the programs' reports. In memory where the system offers it, so
// that a profile costs no disk, and enough of it: containers often have little.
import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freeBytes, roomIn } from "../base/disk_room.ts";
import { NoRoomError } from "../base/errors.ts";
import {
  type FolderKind,
  folderKinds,
  makeProcessFolder,
  removeProcessFolder,
  sweepProcessFolders,
} from "../base/process_folder.ts";

export interface ScratchFolder extends RemovedFolder {
  readonly profile: string;
  readonly reports: { readonly replay: string; readonly shaper: string };
}

const memoryFolder = "/dev/shm";

/** What a browser's profile, its cache of a large page in it, and the reports take at most. */
const mostBytes = 100e6;
/** With less than this programs could not write to their ends. */
const leastBytes = 1e6;

const noRoom = (folder: string, bytes: number): NoRoomError =>
  new NoRoomError(
    `${folder}: less than ${Math.ceil(bytes / 1e6)} MB left: free some, or name another folder in TMPDIR`,
  );

function isMemoryUsable(bytes: number): boolean {
  try {
    accessSync(memoryFolder, constants.W_OK | constants.X_OK);
    return freeBytes(memoryFolder) >= bytes;
  } catch {
    return false;
  }
}

/** Where a load's folder is made, or one that takes so many bytes at most. NoRoomError where there is no room for one. */
export function scratchParent(bytes = mostBytes): string {
  if (isMemoryUsable(bytes)) return memoryFolder;
  const folder = tmpdir();
  const { free, all } = roomIn(folder);
  // Of a small file system half must do, which many pages do not fill: it would be waited for in vain.
  const needed = Math.min(bytes, all / 2);
  if (free < needed) throw noRoom(folder, needed);
  return folder;
}

/** Throws NoRoomError where what went wrong may have gone wrong for want of room. */
export function throwIfFull({ folder }: Pick<ScratchFolder, "folder">): void {
  if (freeBytes(folder) < leastBytes) throw noRoom(dirname(folder), leastBytes);
}

/** What processes that ended left behind, wherever this machine lets their folders be. */
export async function removeLeftFolders(): Promise<void> {
  for (const parent of [memoryFolder, tmpdir()])
    for (const kind of folderKinds) await sweepProcessFolders(parent, kind);
}

export interface RemovedFolder {
  readonly folder: string;
  /** Safe to call twice. Without it the folder is gone once this process is. */
  readonly remove: () => Promise<void>;
}

/** In `parent`, for what a lab's programs leave. */
export async function makeRemovedFolder(parent: string, kind: FolderKind): Promise<RemovedFolder> {
  await sweepProcessFolders(parent, kind);
  // Not awaited: between the folder and its removal at exit there is no moment for an exit.
  const folder = makeProcessFolder(parent, kind);
  const removeAtExit = (): void => removeUntilGone(folder);
  process.once("exit", removeAtExit);
  const remove = async (): Promise<void> => {
    await removeProcessFolder(folder);
    process.off("exit", removeAtExit);
  };
  return { folder, remove };
}

/** The same for a run that takes so many bytes at most; the folder is gone when `use` has settled. */
export async function withRunFolder<T>(
  kind: FolderKind,
  bytes: number,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const { folder, remove } = await makeRemovedFolder(scratchParent(bytes), kind);
  try {
    return await use(folder);
  } finally {
    await remove();
  }
}

export async function makeScratchFolder(): Promise<ScratchFolder> {
  const made = await makeRemovedFolder(scratchParent(), "load");
  const { folder } = made;
  return {
    ...made,
    profile: join(folder, "profile"),
    reports: { replay: join(folder, "replay.json"), shaper: join(folder, "shaper.json") },
  };
}

/**
 * For an exit that waits for nothing, as at the second Ctrl-C. The lab's processes were killed a moment ago, but until they
 * are gone they may still write: it is looked at again until it stays away.
 */
export function removeUntilGone(folder: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0, absences = 0; looks < 50 && absences < 2; looks++) {
    absences = existsSync(folder) ? 0 : absences + 1;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Something was written into it meanwhile.
    }
    Atomics.wait(sleeper, 0, 0, 10);
  }
}
