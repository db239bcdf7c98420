// How much an ordinary user may still write into a folder. Judges nothing.
import { statfsSync } from "node:fs";

/** Throws where the folder is not there. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
