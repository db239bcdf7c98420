// A font of an exact size in bytes that browsers accept: one empty box and a space, as TrueType, WOFF or WOFF2, the rest in
// a private block (an unknown table in TrueType). Text set in it falls back to the next font of the list, glyph by glyph.
import { brotliCompressSync } from "node:zlib";
import { seededBytes } from "./seeded.ts";

export type FontKind = "ttf" | "woff" | "woff2";

interface Table {
  readonly tag: string;
  readonly data: Buffer;
}

const unitsPerEm = 1000;
const glyphs = 2;

/** Big-endian 16-bit numbers, as nearly all of a font is; negative ones in two's complement. */
function words(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) data.writeUInt16BE(value & 0xffff, index * 2);
  return data;
}

const long = (value: number): [number, number] => [value >>> 16, value & 0xffff];

// One contour of four points on the curve: flags, then x and y as differences.
const box = Buffer.concat([
  words(1, 0, 0, 500, 500, 3, 0),
  Buffer.from([1, 1, 1, 1]),
  words(0, 500, 0, -500, 0, 0, 500, 0),
]);

/** Sorted by tag, as the format wants them. */
const tables: readonly Table[] = [
  {
    tag: "OS/2",
    data: Buffer.concat([
      words(4, 500, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 250, 0), // weight, width, script sizes, strikeout
      Buffer.alloc(10 + 16), // panose, Unicode ranges
      Buffer.from("TRLN"),
      words(0x40, 0x20, 0x20, 800, -200, 0, 800, 200, 0, 1, 0, 0, 500, 700, 0, 0x20, 0),
    ]),
  },
  // Windows, Unicode BMP, format 4: the space, and the end mark.
  {
    tag: "cmap",
    data: words(0, 1, 3, 1, 0, 12, 4, 32, 0, 4, 4, 1, 0, 0x20, 0xffff, 0, 0x20, 0xffff, 1 - 0x20, 1, 0, 0),
  },
  { tag: "glyf", data: box },
  {
    tag: "head",
    data: words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 3, unitsPerEm, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 500, 0, 8, 2, 0, 0),
  },
  { tag: "hhea", data: words(1, 0, 800, -200, 0, 500, 0, 0, 500, 1, 0, 0, 0, 0, 0, 0, 0, glyphs) },
  { tag: "hmtx", data: words(500, 0, 500, 0) },
  { tag: "loca", data: words(0, box.length / 2, box.length / 2) },
  { tag: "maxp", data: words(1, 0, glyphs, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0) },
  { tag: "name", data: words(0, 0, 6) },
  { tag: "post", data: words(3, 0, 0, 0, -100, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) },
];

const roundUp = (size: number): number => (size + 3) & ~3;
const aligned = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc(roundUp(data.length) - data.length)]);

function checksum(data: Buffer): number {
  const whole = aligned(data);
  let sum = 0;
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0;
  return sum;
}

function trueType(fonts: readonly Table[]): Buffer {
  const count = fonts.length;
  const log = Math.floor(Math.log2(count));
  const range = 2 ** log * 16;
  const directory: Buffer[] = [words(1, 0, count, range, log, count * 16 - range)];
  let offset = 12 + 16 * count;
  for (const { tag, data } of fonts) {
    directory.push(Buffer.from(tag), words(...long(checksum(data)), ...long(offset), ...long(data.length)));
    offset += roundUp(data.length);
  }
  return Buffer.concat([...directory, ...fonts.map(({ data }) => aligned(data))]);
}

function ttfOfSize(size_bytes: number, seed: string): Buffer | null {
  // Upper-case tags sort before the lower-case ones of the standard.
  const filled = (fill_bytes: number) => trueType([{ tag: "FILL", data: seededBytes(seed, fill_bytes) }, ...tables]);
  const left = size_bytes - filled(0).length;
  if (left < 0) return null;
  // Tables take multiples of four bytes; up to three stand behind the last one.
  return Buffer.concat([filled(left & ~3), Buffer.alloc(left % 4)]);
}

/** The size as TrueType. In WOFF2 it is a hint, and Chromium refuses one below the file's own size. */
function plainSize(signature: string, size_bytes: number): number {
  const exact = 12 + 16 * tables.length + tables.reduce((sum, { data }) => sum + roundUp(data.length), 0);
  return signature === "wOF2" ? Math.max(exact, size_bytes) : exact;
}

/** The fields that WOFF and WOFF2 share; `compressed` is WOFF2's own. */
function woffHeader(signature: string, size_bytes: number, compressed: number[], private_bytes: number): Buffer {
  const privateOffset = private_bytes > 0 ? size_bytes - private_bytes : 0;
  return Buffer.concat([
    Buffer.from(signature),
    words(1, 0, ...long(size_bytes), tables.length, 0, ...long(plainSize(signature, size_bytes)), ...compressed, 1, 0),
    words(0, 0, 0, 0, 0, 0, ...long(privateOffset), ...long(private_bytes)),
  ]);
}

function woffOfSize(size_bytes: number, seed: string): Buffer | null {
  const directory: Buffer[] = [];
  let offset = 44 + 20 * tables.length;
  for (const { tag, data } of tables) {
    const size = long(data.length);
    directory.push(Buffer.from(tag), words(...long(offset), ...size, ...size, ...long(checksum(data))));
    offset += roundUp(data.length);
  }
  const left = size_bytes - offset;
  if (left < 0) return null;
  const content = [...directory, ...tables.map(({ data }) => aligned(data))];
  return Buffer.concat([woffHeader("wOFF", size_bytes, [], left), ...content, seededBytes(seed, left)]);
}

// The standard's numbers of the tags. 0xc0 marks glyf and loca as stored as they are.
const knownTags: Record<string, number> = {
  cmap: 0,
  head: 1,
  hhea: 2,
  hmtx: 3,
  maxp: 4,
  name: 5,
  "OS/2": 6,
  post: 7,
  glyf: 0xc0 | 10,
  loca: 0xc0 | 11,
};

function woff2OfSize(size_bytes: number, seed: string): Buffer | null {
  // All lengths are below 128, where the variable-length form is the number itself.
  const directory = Buffer.from(tables.flatMap(({ tag, data }) => [knownTags[tag] ?? 0, data.length]));
  const stream = brotliCompressSync(Buffer.concat(tables.map(({ data }) => data)));
  const content = aligned(Buffer.concat([directory, stream]));
  const left = size_bytes - 48 - content.length;
  if (left < 0) return null;
  const header = woffHeader("wOF2", size_bytes, long(stream.length), left);
  return Buffer.concat([header, content, seededBytes(seed, left)]);
}

/** A font of exactly `size_bytes`, or null where that is too small (from about 300 bytes in WOFF2, 700 in the others). */
export function fontOfSize(kind: FontKind, size_bytes: number, seed: string): Buffer | null {
  switch (kind) {
    case "ttf":
      return ttfOfSize(size_bytes, seed);
    case "woff":
      return woffOfSize(size_bytes, seed);
    case "woff2":
      return woff2OfSize(size_bytes, seed);
  }
}
