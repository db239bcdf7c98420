// Bodies that a HAR names by `_file` (Playwright's recordHar with attached content): read from the HAR's own folder or zip, never from
// anywhere else. One that names another place keeps its `_file`, and har.ts leaves the entry out.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { count } from "../../base/numbers.ts";
import type { OnRemark } from "./har_document.ts";

/** Bytes of an attached body; null: it is not there. */
export type BodyLookup = (name: string) => Promise<Buffer | null>;

/** SECURITY.md lists it. */
const mostAttached_bytes = 500e6;

/** A name in the same folder; below it in a zip. Not upwards, not from the root, no drive and no stream of another system. */
const isAttachedName = (name: string): boolean =>
  name.length < 1024 &&
  !name.includes("\0") &&
  !name.startsWith("/") &&
  !/[\\:]/.test(name) &&
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..");

/** Regular files of the folder that the HAR is in; what links elsewhere is not there. */
export function besideFile(path: string): BodyLookup {
  let left_bytes = mostAttached_bytes;
  return async (name) => {
    if (name.includes("/")) return null;
    try {
      const file = await open(
        join(dirname(path), name),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      try {
        const { size } = await file
          .stat()
          .then((found) => (found.isFile() ? found : { size: Number.POSITIVE_INFINITY }));
        if (size > left_bytes) return null;
        left_bytes -= size;
        return await file.readFile();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
      throw error;
    }
  };
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What holds a body in an entry: the response's content, and what was posted. */
function holdersOf(entry: unknown): Fields[] {
  if (!isFields(entry)) return [];
  const { request, response } = entry;
  return [isFields(response) ? response.content : null, isFields(request) ? request.postData : null].filter(isFields);
}

/** Puts each attached body into `text`, in base64. Changes the parsed JSON, which is the import's own. */
export async function attachBodies(json: unknown, lookup: BodyLookup, onRemark: OnRemark): Promise<void> {
  const log = isFields(json) ? json.log : null;
  const entries = isFields(log) && Array.isArray(log.entries) ? (log.entries as unknown[]) : [];
  let [found, missing] = [0, 0];
  for (const holder of entries.flatMap(holdersOf)) {
    const name = holder._file;
    if (typeof name !== "string" || name === "" || !isAttachedName(name)) continue;
    delete holder._file;
    if (typeof holder.text === "string" && holder.text !== "") continue;
    const body = await lookup(name);
    if (body === null) missing++;
    else {
      found++;
      Object.assign(holder, { text: body.toString("base64"), encoding: "base64" });
    }
  }
  if (missing > 0)
    onRemark(
      `${count(missing, "attached body is", "attached bodies are")} not beside the HAR${found > 0 ? ` (${found} are)` : ""}: copy the files of its folder too, or import the zip`,
    );
}
