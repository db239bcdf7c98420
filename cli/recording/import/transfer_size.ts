// How many bytes a response's body had on the wire, from whichever field the producer wrote. Estimates nothing but the
// size of HTTP/2's and HTTP/3's compressed headers, where a producer gives only the sum of headers and body.

import { numberField } from "../../base/json_fields.ts";
import type { Header } from "../archive/archive.ts";
import { type HarEntry, headersOf } from "./har.ts";
import { headerValue } from "./headers.ts";
import { isFromCache } from "./select.ts";

/** Which field it was taken from, for the record. */
type SizeSource =
  | "wire"
  | "content-length"
  | "bodySize"
  | "compression"
  | "_objectSize"
  | "_bytesIn"
  | "_transferSize"
  | "content.size"
  | "none";

export interface TransferSize {
  /** null: no field says it. */
  readonly body_bytes: number | null;
  readonly source: SizeSource;
}

/** A field that holds a size; -1, null and the like mean that it is not known. */
function sizeField(record: Readonly<Record<string, unknown>>, name: string): number | null {
  const size = numberField(record, name);
  return size !== null && size >= 0 ? Math.round(size) : null;
}

/** The header as recorded, before it was removed. */
function contentLength(headers: readonly Header[]): number | null {
  const value = headerValue(headers, "content-length");
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/**
 * Headers of an HTTP/2 or HTTP/3 response, compressed: the frame's head, a byte for each pair (its index or its
 * name's), and values at Huffman's four fifths. A bound from above for a connection's later responses.
 */
function compressedHeaders_bytes(headers: readonly Header[]): number {
  return headers.reduce((sum, [, value]) => sum + 2 + Math.ceil(value.length * 0.8), 9);
}

function headers_bytes({ response }: HarEntry, headers: readonly Header[]): number {
  const recorded = sizeField(response, "headersSize");
  return recorded !== null && recorded > 0 ? recorded : compressedHeaders_bytes(headers);
}

const lowerCased = (entry: HarEntry): Header[] =>
  headersOf(entry, "response").map(({ name, value }): Header => [name.trim().toLowerCase(), value.trim()]);

/**
 * Whether this file's response.bodySize is the sum of headers and body, as Firefox writes it though HAR says otherwise.
 * The responses with a content-length tell; where there is none, the producer's name does.
 */
export function bodySizeHasHeaders(entries: readonly HarEntry[], producer: string): boolean {
  let sums = 0;
  let bodies = 0;
  for (const entry of entries) {
    const length = contentLength(lowerCased(entry));
    const bodySize = sizeField(entry.response, "bodySize");
    const headersSize = sizeField(entry.response, "headersSize");
    if (!length || !bodySize || !headersSize) continue;
    if (bodySize === length + headersSize) sums++;
    else if (bodySize === length) bodies++;
  }
  return sums === bodies ? /^Firefox/i.test(producer) : sums > bodies;
}

// A body's size that has the headers' in it, as Firefox writes it, is above the content-length by no more than this.
const mostHeaders_bytes = 16_384;

/** `headers`: as recorded, with content-length, names in lower case. `hasHeaders`: what bodySizeHasHeaders() said. */
export function transferSize(entry: HarEntry, headers: readonly Header[], hasHeaders: boolean): TransferSize {
  const { raw, response, content } = entry;
  const length = contentLength(headers);
  // What was transferred is then at most headers.
  if (entry.status === 304 || isFromCache(entry))
    return length ? { body_bytes: length, source: "content-length" } : { body_bytes: null, source: "none" };
  // 0 is what some producers write for "not known": no size then, unless nothing else speaks.
  const written = sizeField(response, "bodySize") || null;
  const ofHeaders = hasHeaders ? (sizeField(response, "headersSize") ?? 0) : 0;
  // browsertime repeats the sum of HTTP/2's headers and body as the body's size.
  const transferred = sizeField(response, "_transferSize") ?? sizeField(raw, "_transferSize");
  const isSum = written !== null && written === transferred && !((sizeField(response, "headersSize") ?? 0) > 0);
  const bodySize = written !== null && written > ofHeaders && !isSum ? written - ofHeaders : null;
  if (length !== null) {
    // A body size below the length means that the load was broken off: what was transferred counts.
    const agrees = bodySize === null || (bodySize >= length && bodySize - length <= mostHeaders_bytes);
    return agrees ? { body_bytes: length, source: "content-length" } : { body_bytes: bodySize, source: "bodySize" };
  }
  if (bodySize !== null) return { body_bytes: bodySize, source: "bodySize" };
  const size = sizeField(content, "size");
  const compression = numberField(content, "compression");
  if (size !== null && compression !== null && compression !== 0 && size - compression > 0)
    return { body_bytes: Math.round(size - compression), source: "compression" };
  const objectSize = sizeField(raw, "_objectSize");
  if (objectSize) return { body_bytes: objectSize, source: "_objectSize" };
  // Redirects and the like: their headers' estimate would leave a few bytes of a body that they do not have.
  if (size === 0) return { body_bytes: 0, source: "content.size" };
  const bytesIn = sizeField(raw, "_bytesIn");
  const sum = transferred || bytesIn;
  if (sum) {
    const body_bytes = Math.max(0, sum - headers_bytes(entry, headers));
    return { body_bytes, source: transferred ? "_transferSize" : "_bytesIn" };
  }
  // Only what is not encoded has the same size on the wire.
  const encoded = headerValue(headers, "content-encoding");
  if (size !== null && size > 0 && !encoded) return { body_bytes: size, source: "content.size" };
  if (!size && sizeField(response, "bodySize") === 0) return { body_bytes: 0, source: "bodySize" };
  return { body_bytes: null, source: "none" };
}

/** The body's size before content-encoding; null where it is not known. */
export function decodedSize(
  { raw, content }: HarEntry,
  transfer_bytes: number | null,
  encoded: boolean,
): number | null {
  // WebPageTest's content.size is the encoded one.
  const uncompressed = sizeField(raw, "_objectSizeUncompressed");
  if (uncompressed) return uncompressed;
  const size = sizeField(content, "size");
  if (!size) return encoded ? null : transfer_bytes;
  return encoded && size === transfer_bytes ? null : size;
}
