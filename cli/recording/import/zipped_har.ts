// The HARs of a zip archive: Playwright's recordHar with its attached bodies, a zip that somebody made of HARs, or Playwright's trace, whose
// network log has HAR's entries, one a line. Reads nothing but the archive.
import { posix } from "node:path";
import { UserError } from "../../base/errors.ts";
import { isRecord, type JsonRecord } from "../../base/json_fields.ts";
import { attachBodies, type BodyLookup } from "./attached_bodies.ts";
import { fileText } from "./file_text.ts";
import { type OnRemark, oneHar, parsedHar } from "./har_document.ts";
import type { ZipArchive } from "./zip_archive.ts";

const depthOf = (name: string): number => name.split("/").length;

/** Of macOS, beside each file. */
const isOwn = (name: string): boolean => !/(^|\/)(__MACOSX\/|\._)/.test(name);

function lookupIn(zip: ZipArchive, folder: string): BodyLookup {
  return async (name) => zip.read(posix.join(folder, name));
}

/** `_sha1` names what Playwright keeps in the trace's `resources`. */
function withAttachedName(holder: unknown): JsonRecord {
  const fields = isRecord(holder) ? holder : {};
  return typeof fields._sha1 === "string" ? { ...fields, _file: `resources/${fields._sha1}` } : fields;
}

function entryOfTrace(snapshot: JsonRecord): JsonRecord {
  const { request, response } = snapshot;
  return {
    ...snapshot,
    request: isRecord(request) ? { ...request, postData: withAttachedName(request.postData) } : request,
    response: isRecord(response) ? { ...response, content: withAttachedName(response.content) } : response,
  };
}

function harOfTrace(text: Buffer, name: string): unknown {
  const lines = text
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const entries = lines.flatMap((line) => {
    const event = parsedHar(Buffer.from(line), name);
    return isRecord(event) && isRecord(event.snapshot) ? [entryOfTrace(event.snapshot)] : [];
  });
  return { log: { creator: { name: "Playwright trace" }, entries } };
}

/** All HARs in it, for oneHar(). @throws UserError if there is none, or one cannot be read. */
export async function zippedHars(zip: ZipArchive, archive: string, onRemark: OnRemark): Promise<unknown> {
  const names = zip.names.filter(isOwn).toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const hars = names.filter((name) => /\.harp?$/i.test(name));
  const chosen = hars.length > 0 ? hars : names.filter((name) => /\.network$/i.test(name));
  if (chosen.length === 0)
    throw new UserError("is a zip without a .har in it: name a HAR, or a zip that Playwright's recordHar wrote");
  const found: unknown[] = [];
  for (const name of chosen) {
    const inside = `${archive}: ${name.replaceAll(/\p{Cc}+/gu, " ")}`;
    const { utf8, remark } = fileText(zip.read(name) ?? Buffer.alloc(0));
    if (remark !== null) onRemark(remark);
    const har = hars.length > 0 ? oneHar(parsedHar(utf8, inside)) : harOfTrace(utf8, inside);
    await attachBodies(har, lookupIn(zip, posix.dirname(name)), onRemark);
    found.push(har);
  }
  return found.length === 1 ? found[0] : found;
}
