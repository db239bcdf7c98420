// A folder and those above it, made where they are missing. Unlike Node's own recursive mkdir it says why none can be made: that
// reports a file system that may only be read as a folder that is not there.
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    let missing = path;
    while (!existsSync(dirname(missing))) missing = dirname(missing);
    mkdirSync(missing, mode);
    // It could be made after all: somebody else's doing.
    mkdirSync(path, { recursive: true, mode });
  }
}
