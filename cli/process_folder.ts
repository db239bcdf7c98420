// Temporary folders named after the process that made them, trilane-KIND-PID-XXXXXX: what was killed with -9 could not remove
// its own, so whoever makes the next one of the kind removes those whose processes are gone. Does not remove them at an end.
import { mkdtempSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

export const folderKinds = ["load", "record", "selftest", "shell"] as const;
export type FolderKind = (typeof folderKinds)[number];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function sweep(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!(pid > 0) || isRunning(pid)) continue;
    // Another user's stays.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

const swept = new Map<string, Promise<void>>();

/** Removes once, before the first folder of the kind is made here, what ended processes left in `parent`. */
export async function sweepProcessFolders(parent: string, kind: FolderKind): Promise<void> {
  const prefix = join(parent, `trilane-${kind}-`);
  const sweeping = swept.get(prefix) ?? sweep(parent, `trilane-${kind}-`).catch(() => {});
  swept.set(prefix, sweeping);
  await sweeping;
}

/** A new folder in `parent`. Does not wait for anything: a caller can see to its removal before the process may end. */
export function makeProcessFolder(parent: string, kind: FolderKind): string {
  return mkdtempSync(join(parent, `trilane-${kind}-${process.pid}-`));
}
