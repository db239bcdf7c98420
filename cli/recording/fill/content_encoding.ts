// HTTP content-encodings at a wanted size: compresses at the level whose result comes nearest, and makes up the rest
// with what each format has for saying nothing (RFC 1952 2.3, RFC 7932 9.2, RFC 8878 3.1.2, RFC 1951 3.2.4), so that
// any decoder yields the same bytes. Handles one encoding, not a list of several.
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  constants as flags,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";

export type ContentEncoding = "gzip" | "deflate" | "br" | "zstd";

const names: Record<string, ContentEncoding> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
  zstd: "zstd",
  // Compressed against a dictionary that a HAR does not hold (RFC 9842): the plain codec is the nearest there is.
  dcb: "br",
  dcz: "zstd",
};

/** The codec that a content-encoding header names; null for none, and for one that is not known or a list. */
export function contentEncoding(header: string | undefined): ContentEncoding | null {
  const name = header?.trim().toLowerCase() ?? "";
  return Object.hasOwn(names, name) ? (names[name] ?? null) : null;
}

/** HTTP's deflate is zlib's format; some servers send the bare one, and browsers take both. */
export const isZlib = (start: Uint8Array): boolean => (start[0] ?? 0) % 16 === 8;

/** null: the bytes are not so encoded, or decode to more than `most_bytes`. */
export function decode(bytes: Buffer, encoding: ContentEncoding, most_bytes: number): Buffer | null {
  const inflate = isZlib(bytes) ? inflateSync : inflateRawSync;
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync, deflate: inflate };
  try {
    return decoders[encoding](bytes, { maxOutputLength: most_bytes });
  } catch {
    return null;
  }
}

interface Codec {
  /** From fast to thorough. */
  readonly levels: readonly number[];
  /** Used for searches, where one level must do. */
  readonly usualLevel: number;
  /** A result this much below a size can be padded to it. */
  readonly room_bytes: number;
  compress(bytes: Buffer, level: number): Buffer;
  /** The same content in exactly `size_bytes`, or the largest size below that the format can do; null: none. */
  pad(bytes: Buffer, level: number, plain: Buffer, size_bytes: number): Buffer | null;
}

function padGzip(plain: Buffer, size_bytes: number): Buffer {
  // The header has room for a comment that ends in a zero byte.
  const header = Buffer.from(plain.subarray(0, 10));
  header[3] = (header[3] ?? 0) | 0x10;
  const comment = Buffer.alloc(size_bytes - plain.length, " ");
  comment[comment.length - 1] = 0;
  return Buffer.concat([header, comment, plain.subarray(10)]);
}

/** Metadata blocks of exactly `size_bytes` bytes, from and to a byte's boundary. */
function brotliMetadata(size_bytes: number): Buffer {
  const parts: Buffer[] = [];
  let left = size_bytes;
  while (left > 0) {
    // Headers: 1 byte for no content, 2 for 1 to 256 bytes, 3 for 257 to 65536.
    if (left < 3 || left === 259) {
      parts.push(Buffer.from([0x06]));
      left -= 1;
      continue;
    }
    const long = left > 258;
    const content = long ? Math.min(left - 3, 65_536) : left - 2;
    const head = Buffer.alloc(long ? 3 : 2);
    head.writeUIntLE((long ? 0x26 : 0x16) | ((content - 1) << 6), 0, head.length);
    parts.push(head, Buffer.alloc(content, " "));
    left -= head.length + content;
  }
  return Buffer.concat(parts);
}

const brotliParameters = (bytes: Buffer, quality: number) => ({
  params: { [flags.BROTLI_PARAM_QUALITY]: quality, [flags.BROTLI_PARAM_SIZE_HINT]: bytes.length },
});

// Where a second run for the flush would take long, it is the only one, and costs a byte or two.
const isSlow = (bytes: Buffer, quality: number): boolean => quality >= 10 && bytes.length > 50_000;

/** All of the content, ending on a byte's boundary, without the last block: that is empty, the two bits 11. */
const brotliFlushed = (bytes: Buffer, quality: number): Buffer =>
  brotliCompressSync(bytes, { ...brotliParameters(bytes, quality), finishFlush: flags.BROTLI_OPERATION_FLUSH });

const brotliEnd = Buffer.from([0x03]);

function compressBrotli(bytes: Buffer, quality: number): Buffer {
  if (!isSlow(bytes, quality)) return brotliCompressSync(bytes, brotliParameters(bytes, quality));
  return Buffer.concat([brotliFlushed(bytes, quality), brotliEnd]);
}

function padBrotli(bytes: Buffer, quality: number, plain: Buffer, size_bytes: number): Buffer | null {
  const flushed = isSlow(bytes, quality) ? plain.subarray(0, -1) : brotliFlushed(bytes, quality);
  const left = size_bytes - flushed.length - 1;
  return left < 0 ? null : Buffer.concat([flushed, brotliMetadata(left), brotliEnd]);
}

function padZstd(plain: Buffer, size_bytes: number): Buffer {
  const left = size_bytes - plain.length;
  if (left < 8) return plain;
  const skippable = Buffer.alloc(left, " ");
  skippable.writeUInt32LE(0x184d2a50, 0);
  skippable.writeUInt32LE(left - 8, 4);
  return Buffer.concat([plain, skippable]);
}

function padDeflate(bytes: Buffer, level: number, plain: Buffer, size_bytes: number): Buffer | null {
  // Empty stored blocks of 5 bytes after a flush, the last empty block, and the plain result's checksum.
  const flushed = deflateSync(bytes, { level, finishFlush: flags.Z_SYNC_FLUSH });
  const blocks = Math.floor((size_bytes - flushed.length - 6) / 5);
  if (blocks < 0) return null;
  const empty = Buffer.from("000000ffff".repeat(blocks), "hex");
  return Buffer.concat([flushed, empty, Buffer.from([0x03, 0x00]), plain.subarray(-4)]);
}

const codecs: Record<ContentEncoding, Codec> = {
  gzip: {
    levels: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    usualLevel: 6,
    room_bytes: 1,
    compress: (bytes, level) => gzipSync(bytes, { level }),
    pad: (_bytes, _level, plain, size_bytes) => padGzip(plain, size_bytes),
  },
  deflate: {
    levels: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    usualLevel: 6,
    room_bytes: 11,
    compress: (bytes, level) => deflateSync(bytes, { level }),
    pad: padDeflate,
  },
  br: {
    levels: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    usualLevel: 5,
    room_bytes: 4,
    compress: compressBrotli,
    pad: padBrotli,
  },
  zstd: {
    // Above 19 the window may be larger than the 8 MB that RFC 9659 allows in HTTP.
    levels: [1, 2, 3, 4, 6, 9, 12, 15, 19],
    usualLevel: 3,
    room_bytes: 8,
    compress: (bytes, level) => zstdCompressSync(bytes, { params: { [flags.ZSTD_c_compressionLevel]: level } }),
    pad: (_bytes, _level, plain, size_bytes) => padZstd(plain, size_bytes),
  },
};

interface Encoded {
  readonly bytes: Buffer;
  readonly level: number;
  /** How many of the bytes say nothing. */
  readonly padding_bytes: number;
}

/** Compressed as servers usually do, whatever size that has. */
export function encode(bytes: Buffer, encoding: ContentEncoding): Encoded {
  const { usualLevel, compress } = codecs[encoding];
  return { bytes: compress(bytes, usualLevel), level: usualLevel, padding_bytes: 0 };
}

/** Compressed to `wanted_bytes`, or as near as the codec can come: padded from below where it can be, else above. */
export function encodeToSize(bytes: Buffer, encoding: ContentEncoding, wanted_bytes: number): Encoded {
  const codec = codecs[encoding];
  const tried: { level: number; plain: Buffer }[] = [];
  // Sizes fall as levels rise, nearly: halving finds the fastest level with room to pad in a few of the many.
  let low = 0;
  let high = codec.levels.length - 1;
  for (let middle = codec.levels.indexOf(codec.usualLevel); low <= high; middle = (low + high) >> 1) {
    const level = codec.levels[middle] ?? codec.usualLevel;
    const plain = codec.compress(bytes, level);
    if (plain.length === wanted_bytes) return { bytes: plain, level, padding_bytes: 0 };
    tried.push({ level, plain });
    if (plain.length + codec.room_bytes <= wanted_bytes) high = middle - 1;
    else low = middle + 1;
  }
  // The nearest from below needs the least padding.
  const below = tried
    .filter(({ plain }) => plain.length < wanted_bytes)
    .toSorted((a, b) => b.plain.length - a.plain.length);
  let best: Encoded | null = null;
  const offer = (offered: Encoded): void => {
    const distance = Math.abs(offered.bytes.length - wanted_bytes);
    if (!best || distance < Math.abs(best.bytes.length - wanted_bytes)) best = offered;
  };
  for (const { level, plain } of below) {
    offer({ bytes: plain, level, padding_bytes: 0 });
    const padded = codec.pad(bytes, level, plain, wanted_bytes);
    if (padded) offer({ bytes: padded, level, padding_bytes: padded.length - plain.length });
    if (padded?.length === wanted_bytes) break;
  }
  for (const { level, plain } of tried) offer({ bytes: plain, level, padding_bytes: 0 });
  return best ?? encode(bytes, encoding);
}
