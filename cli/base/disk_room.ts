// How much an ordinary user may still write into a folder. Judges nothing.
import { statfsSync } from "node:fs";

interface Room {
  readonly free: number;
  readonly all: number;
}

/** In bytes, of the folder's file system; infinite where that does not tell. Throws where the folder is not there. */
export function roomIn(folder: string): Room {
  const { bavail, blocks, bsize } = statfsSync(folder);
  // As a tmpfs without a limit has it.
  if (blocks === 0) return { free: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };
  return { free: bavail * bsize, all: blocks * bsize };
}

/** As in roomIn. */
export const freeBytes = (folder: string): number => roomIn(folder).free;
