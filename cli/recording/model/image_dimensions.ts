// How large a picture is, by its own first bytes: a browser asks for what is large and in sight first, and over HTTP/1.1 the
// order is what decides how six connections are used. Reads bodies from the archive; lays nothing out.
import { imageSize } from "image-size";
import type { Archive, ArchivedExchange } from "../archive/archive.ts";
import { contentEncoding } from "../fill/content_encoding.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import { headerOf } from "./model_request.ts";

/** Headers, profiles and thumbnails stand before a JPEG's frame. */
const head_bytes = 256 * 1024;

/** In CSS pixels as if a page named no others; null: no picture that is known. */
function dimensionsOf(head: Uint8Array): Dimensions | null {
  try {
    const { width, height } = imageSize(head);
    return width > 0 && height > 0 ? { width: Math.round(width), height: Math.round(height) } : null;
  } catch {
    // Cut off, or of no format that it knows.
    return null;
  }
}

async function headOf(archive: Archive, sha256: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of archive.body(sha256)) {
    pieces.push(piece);
    length += piece.length;
    if (length >= head_bytes) break;
  }
  return Buffer.concat(pieces);
}

/** By place among the exchanges. */
export async function imageDimensions(
  archive: Archive,
  exchanges: readonly ArchivedExchange[],
): Promise<Map<number, Dimensions>> {
  const found = new Map<number, Dimensions>();
  for (const [index, { response_headers, body_sha256, body_size }] of exchanges.entries()) {
    const type = headerOf(response_headers, "content-type") ?? "";
    if (body_sha256 === null || body_size === 0 || !/^\s*image\//i.test(type)) continue;
    if (contentEncoding(headerOf(response_headers, "content-encoding") ?? "") !== null) continue;
    const dimensions = dimensionsOf(await headOf(archive, body_sha256));
    if (dimensions) found.set(index, dimensions);
  }
  return found;
}
