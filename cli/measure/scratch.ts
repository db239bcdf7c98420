// The folder of one load: the browser's profile and the programs' reports. In memory where the system offers it, so
// that a profile costs no disk. Removes what loads of ended processes left behind.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ScratchFolder {
  readonly folder: string;
  readonly removeAtExit: () => void;
  readonly profile: string;
  readonly reports: { readonly replay: string; readonly shaper: string };
}

const prefix = "trilane-load-";
const memoryFolder = "/dev/shm";

function parentFolder(): string {
  try {
    accessSync(memoryFolder, constants.W_OK | constants.X_OK);
    return memoryFolder;
  } catch {
    return tmpdir();
  }
}

let swept: Promise<void> | undefined;

/** A killed process cannot remove its folders; the next one does. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!(pid > 0) || isRunning(pid)) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** What loads of ended processes left behind, wherever this machine lets folders of loads be. */
export async function removeLeftFolders(): Promise<void> {
  for (const parent of new Set([memoryFolder, tmpdir()])) await sweep(parent).catch(() => {});
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export async function makeScratchFolder(): Promise<ScratchFolder> {
  const parent = parentFolder();
  swept ??= sweep(parent).catch(() => {});
  await swept;
  // Not awaited: between the folder and its removal at exit there is no moment for an exit.
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  const removeAtExit = () => removeUntilGone(folder);
  process.once("exit", removeAtExit);
  return {
    folder,
    removeAtExit,
    profile: join(folder, "profile"),
    reports: { replay: join(folder, "replay.json"), shaper: join(folder, "shaper.json") },
  };
}

/**
 * For an exit that waits for nothing, as at the second Ctrl-C. The lab's processes were killed a moment ago, but until they
 * are gone they may still write: it is looked at again until it stays away.
 */
function removeUntilGone(folder: string): void {
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

/** Safe to call twice. */
export async function removeScratchFolder({ folder, removeAtExit }: ScratchFolder): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  process.off("exit", removeAtExit);
}
