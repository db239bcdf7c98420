// A file in which is written what is to take another's place when it is whole: beside it, under a name that is free. Not
// named by the process, whose number is another's, too, in another container. Writes nothing into it.
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removedAtEnd } from "./removed_at_end.ts";

/** What such a file's name has after that of the file beside it, as a pattern. */
export const tempSiblingEnding = "[0-9a-f]{12}";

interface TempSibling {
  readonly aside: string;
  /** From then on it is not removed when this process ends. */
  readonly keep: () => void;
}

/** Makes one, empty. If it cannot be made, throws the system's error of the file beside it, which is the one that a user knows. */
export function createTempSibling(path: string): TempSibling {
  const aside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  // Before it is there: a signal in between would leave it.
  const keep = removedAtEnd(aside);
  try {
    closeSync(openSync(aside, "wx"));
  } catch (error) {
    keep();
    throw error instanceof Error && "path" in error ? Object.assign(error, { path }) : error;
  }
  return { aside, keep };
}
