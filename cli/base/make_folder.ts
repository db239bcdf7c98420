// A folder and those above it, made where they are missing. One level at a time: Node's recursive mkdir never ends below /proc, and
// reports a file system that may only be read as a folder that is not there.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

export function makeFolder(path: string, mode = 0o700): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}
