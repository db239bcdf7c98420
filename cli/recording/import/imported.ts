// What commands that write recordings print with --json, by schemas/imported.schema.json.
import type { Imported } from "../../../schemas/generated/imported.ts";
import type { Recording } from "../archive/archive.ts";

/** `refused`: files of which there is none. */
export function importedDocument(
  recordings: readonly Recording[],
  refused: readonly { readonly file: string; readonly words: string }[] = [],
): Imported {
  const [first, ...rest] = recordings;
  if (!first) throw new RangeError("no recording to print");
  const [left, ...more] = refused.map(({ file, words }) => ({ file, reason: words }));
  return {
    schema: "trilane/imported/1",
    recordings: [first, ...rest],
    ...(left === undefined ? {} : { refused: [left, ...more] }),
  };
}
