// Temporary folders named after the process that made them, trilane-KIND-PID-XXXXXX: what was killed with -9 could not remove
// its own, so whoever makes the next one of the kind removes those whose processes are known to be gone: this user's, with the
// mark that each is given, or without it if they are empty and an hour old. Those of other containers and machines that share the
// parent stay for a week. Does not remove them at an end.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseOwner, stateOf, thisProcess } from "./process_owner.ts";

export const folderKinds = [
  "bundle",
  "command",
  "extension",
  "fetch",
  "flows",
  "lab",
  "load",
  "record",
  "reproduce",
  "selftest",
  "shell",
  "submit",
] as const;
export type FolderKind = (typeof folderKinds)[number];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A file in each that says whose it is. */
const mark = ".trilane";
const unfinishedMark = `${mark}-new`;

async function isOurs(folder: string): Promise<boolean> {
  const [itself, marked] = await Promise.all([lstat(folder), lstat(join(folder, mark))]);
  return itself.isDirectory() && itself.uid === process.getuid?.() && marked.isFile();
}

/** Of folders whose process cannot be looked for from here: none in use is that old. */
const oldest_ms = 7 * 24 * 3600 * 1000;

/** Its maker marks one at once: an empty one of that age was left by who was killed in between. */
const unmarked_ms = 3600 * 1000;

async function isUnmarked(folder: string): Promise<boolean> {
  const [itself, names] = await Promise.all([lstat(folder), readdir(folder)]);
  return (
    itself.isDirectory() &&
    itself.uid === process.getuid?.() &&
    names.every((name) => name === unfinishedMark) &&
    Date.now() - itself.mtimeMs > unmarked_ms
  );
}

/** False too if it cannot be said. */
async function isLeft(folder: string, pid: number): Promise<boolean> {
  try {
    if (await isUnmarked(folder)) return true;
    if (!(await isOurs(folder))) return false;
    const text = await readFile(join(folder, mark), "utf8");
    // Earlier builds left it empty.
    if (text === "") return !isRunning(pid);
    const owner = parseOwner(text);
    const { boot_id, pid_namespace } = thisProcess();
    // Another machine's, which shares the parent, or this one's before it was started anew; or another container's.
    const isElsewhere = owner.boot_id !== boot_id || owner.pid_namespace !== pid_namespace;
    if (isElsewhere) return Date.now() - (await lstat(folder)).mtimeMs > oldest_ms;
    return stateOf(owner) === "dead";
  } catch {
    return false;
  }
}

/** The mark last: who is killed meanwhile leaves a folder that is known by it. */
export async function removeProcessFolder(folder: string): Promise<void> {
  const patient = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 };
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name !== mark) await rm(join(folder, name), patient);
  await rm(folder, patient);
}

async function sweep(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    const folder = join(parent, name);
    if (pid > 0 && (await isLeft(folder, pid))) await removeProcessFolder(folder).catch(() => {});
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
  const folder = mkdtempSync(join(parent, `trilane-${kind}-${process.pid}-`));
  try {
    // Never there half: an empty one would be judged by the number in the name.
    const written = join(folder, unfinishedMark);
    writeFileSync(written, JSON.stringify(thisProcess()));
    renameSync(written, join(folder, mark));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
