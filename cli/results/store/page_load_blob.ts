// A page load as the results hold it: gzipped JSON (`load.har`). Results may come from somebody else, so what it unpacks to has a bound.
import { gunzipSync, gzipSync } from "node:zlib";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { UserError } from "../../base/errors.ts";

/** About the longest text that Node can hold; a page load of 10,000 requests has some 40 MB. */
const largestPageLoad_bytes = 500_000_000;

export const packedPageLoad = (load: PageLoad): Buffer<ArrayBuffer> => gzipSync(JSON.stringify(load));

/** UserError, with `where` in front, for what is no page load or too large for one. */
export function unpackedPageLoad(blob: Uint8Array, where: string): PageLoad {
  let text: string;
  try {
    text = gunzipSync(blob, { maxOutputLength: largestPageLoad_bytes }).toString("utf8");
  } catch (error) {
    const isLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    const why = isLarge ? `unpacks to more than ${largestPageLoad_bytes / 1e6} MB` : "is damaged";
    throw new UserError(`${where}: its page load ${why}: take results from elsewhere`);
  }
  try {
    return JSON.parse(text) as PageLoad;
  } catch {
    throw new UserError(`${where}: its page load is damaged: take results from elsewhere`);
  }
}
