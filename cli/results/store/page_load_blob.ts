// A page load as the results hold it: gzipped JSON (`load.har`). Results may come from somebody else, so what it unpacks to has a bound, and
// a stranger's is held to its schema before it is handed out.
import { gunzipSync, gzipSync } from "node:zlib";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { UserError } from "../../base/errors.ts";
import { wrongPageLoad } from "./foreign_documents.ts";

/** About the longest text that Node can hold; a page load of 10,000 requests has some 40 MB. */
const largestPageLoad_bytes = 500_000_000;
/** Beyond `freely_bytes` it may unpack to as many times its size. SECURITY.md lists these. */
const [mostRatio, freely_bytes] = [50, 64_000_000];

export const packedPageLoad = (load: PageLoad): Buffer<ArrayBuffer> => gzipSync(JSON.stringify(load));

function unpacked(blob: Uint8Array, where: string): Buffer {
  const most_bytes = Math.min(largestPageLoad_bytes, Math.max(freely_bytes, mostRatio * blob.length));
  try {
    return gunzipSync(blob, { maxOutputLength: most_bytes });
  } catch (error) {
    const isLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    const why = isLarge ? `unpacks to more than ${most_bytes / 1e6} MB` : "is damaged";
    throw new UserError(`${where}: its page load ${why}: take results from elsewhere`);
  }
}

/** `isForeign`: it may be a stranger's. UserError, with `where` in front, for what is no page load or too large for one. */
export function unpackedPageLoad(blob: Uint8Array, where: string, isForeign: boolean): PageLoad {
  const text = unpacked(blob, where);
  const problem = isForeign ? wrongPageLoad(text) : null;
  if (problem !== null) throw new UserError(`${where}: its page load: ${problem}: take results from elsewhere`);
  try {
    return JSON.parse(text.toString("utf8")) as PageLoad;
  } catch {
    throw new UserError(`${where}: its page load is damaged: take results from elsewhere`);
  }
}
