// What commands that write recordings print with --json, by schemas/imported.schema.json.
import type { Imported } from "../../../schemas/generated/imported.ts";
import type { Recording } from "../archive/archive.ts";

export function importedDocument(recordings: readonly Recording[]): Imported {
  const [first, ...rest] = recordings;
  if (!first) throw new RangeError("no recording to print");
  return { schema: "trilane/imported/1", recordings: [first, ...rest] };
}
