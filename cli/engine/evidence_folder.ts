// The folder of --evidence made and tried before a sweep begins: one that cannot be had would fail every load; and names of folders in
// it. Made a step at a time, since node's recursive mkdir never ends where a file system answers ENOENT to what it does not allow, as /proc does.
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";

/** What any file system takes, and a shell without quotes; never "." or "..", never long. */
export function asFileName(text: string): string {
  const plain = text.replaceAll(/[^A-Za-z0-9.,=_-]+/g, "_").slice(0, 100);
  return /^\.*$/.test(plain) ? `_${plain}` : plain;
}

function isFolder(path: string): boolean | null {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whether folders can be made in it, which its mode alone does not say. */
function tryFolder(path: string): void {
  rmdirSync(mkdtempSync(join(path, ".trilane-")));
}

/** Makes the folder and what is missing above it. UserError, naming the option, where that cannot be; nothing is left then. */
export function makeEvidenceFolder(folder: string): void {
  const made: string[] = [];
  try {
    const missing: string[] = [];
    let path = resolve(folder);
    let found = isFolder(path);
    while (found === null) {
      missing.push(basename(path));
      path = dirname(path);
      found = isFolder(path);
    }
    if (!found) throw new UserError(`--evidence ${folder}: ${path} is not a folder: name another one`);
    tryFolder(path);
    for (const name of missing.toReversed()) {
      path = join(path, name);
      mkdirSync(path);
      made.push(path);
    }
  } catch (error) {
    for (const path of made.toReversed()) rmdirSync(path);
    if (error instanceof UserError) throw error;
    throw new UserError(
      `--evidence ${folder}: nothing can be written there (${(error as NodeJS.ErrnoException).code}): name another folder`,
    );
  }
}
