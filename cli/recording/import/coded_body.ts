// Bodies that a HAR holds as they were on the wire, though it should have them decoded, and bodies in another coding than their header names:
// known by their first bytes, or because text is none, and by decoding to their end. Pure.
import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { ContentEncoding } from "../fill/content_encoding.ts";

/** A body decodes to no more. */
const mostDecoded_bytes = 256_000_000;

const decoders: Readonly<Record<ContentEncoding, (bytes: Buffer, limits: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

function decodes(bytes: Buffer, coding: ContentEncoding): Buffer | null {
  try {
    return decoders[coding](bytes, { maxOutputLength: mostDecoded_bytes });
  } catch {
    return null;
  }
}

function candidates(bytes: Buffer, named: ContentEncoding | null): ContentEncoding[] {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return ["gzip"];
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) return ["zstd"];
  return (named === "br" || named === "deflate") && !isUtf8(bytes) ? [named] : [];
}

interface CodedBody {
  readonly coding: ContentEncoding;
  readonly decoded: Buffer;
}

/** `named`: by the header. Of text only: pictures and archives begin as they like. Null: it is decoded already. */
export function codedBody(bytes: Buffer, named: ContentEncoding | null): CodedBody | null {
  for (const coding of candidates(bytes, named)) {
    const decoded = decodes(bytes, coding);
    if (decoded !== null) return { coding, decoded };
  }
  return null;
}

/** Bytes that were written as text, a character each; null: the text is one. */
export function bytesWrittenAsText(text: string): Buffer | null {
  if (!text.startsWith("\x1f\x8b") && !text.startsWith("\x28\u00b5\x2f\u00fd")) return null;
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : null;
}
