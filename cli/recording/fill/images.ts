// PNG, GIF, WebP and ICO of an exact size in bytes: one plain colour in the wanted dimensions, the rest in what each
// format has for what is no picture (a private chunk, a comment, an unknown chunk). JPEGs have their own file.
import { crc32, deflateSync } from "node:zlib";
import type { Dimensions } from "./jpeg.ts";
import { seededBytes } from "./seeded.ts";

// A remainder too small for a chunk stands behind the picture's end, where decoders have stopped reading.
const behind = (parts: Buffer[], size_bytes: number): Buffer => {
  const whole = Buffer.concat(parts);
  return Buffer.concat([whole, Buffer.alloc(size_bytes - whole.length)]);
};

const lengthOf = (parts: Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);

function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

function pngParts({ width, height }: Dimensions): Buffer[] {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1; // one bit a pixel, grey
  // A filter byte and the pixels of each row, all zero: black compresses to nearly nothing in any dimensions.
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  return [
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows, { level: 9 })),
    pngChunk("IEND", Buffer.alloc(0)),
  ];
}

/** A PNG of exactly `size_bytes`, in smaller dimensions where those wanted do not fit; null below 67 bytes. */
export function pngOfSize(size_bytes: number, seed: string, wanted: Dimensions): Buffer | null {
  // Beyond 16 megapixels the rows alone would take more memory than a page's picture is worth.
  const large = wanted.width * wanted.height > 2 ** 24;
  for (const dimensions of large ? [{ width: 1, height: 1 }] : [wanted, { width: 1, height: 1 }]) {
    const parts = pngParts(dimensions);
    const left = size_bytes - lengthOf(parts);
    if (left < 0) continue;
    // Lower case letters: not needed for the picture, private, safe to copy.
    if (left >= 12) parts.splice(-1, 0, pngChunk("fiLl", seededBytes(seed, left - 12)));
    return behind(parts, size_bytes);
  }
  return null;
}

/** A GIF of exactly `size_bytes`: one transparent pixel on a screen of the dimensions; null below 35 bytes. */
export function gifOfSize(size_bytes: number, seed: string, { width, height }: Dimensions): Buffer | null {
  const screen = Buffer.from("GIF89a\0\0\0\0\x80\0\0\xff\xff\xff\0\0\0", "latin1");
  screen.writeUInt16LE(Math.min(width, 0xffff), 6);
  screen.writeUInt16LE(Math.min(height, 0xffff), 8);
  const control = Buffer.from("21f9040100000000", "hex");
  const picture = Buffer.from("2c000000000100010000" + "02024401003b", "hex");
  let left = size_bytes - screen.length - picture.length;
  if (left < 0) return null;
  const parts: Buffer[] = [screen];
  if (left >= control.length) {
    parts.push(control);
    left -= control.length;
  }
  if (left >= 5) {
    parts.push(Buffer.from([0x21, 0xfe]));
    left -= 3;
    for (let block = 0; left >= 2; block++) {
      const content = Math.min(255, left - 1);
      parts.push(Buffer.from([content]), seededBytes(`${seed} ${block}`, content));
      left -= 1 + content;
    }
    parts.push(Buffer.alloc(1));
  }
  return behind([...parts, picture], size_bytes);
}

function riffChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(8 + data.length + (data.length % 2));
  chunk.write(type, 0, "latin1");
  chunk.writeUInt32LE(data.length, 4);
  chunk.set(data, 8);
  return chunk;
}

/** Lossless WebP of one grey: each of the five codes has one symbol, so that a pixel takes no bits at all. */
function losslessBits({ width, height }: Dimensions): Buffer {
  let bits = 0n;
  let count = 0n;
  const put = (value: number, size: number): void => {
    bits |= BigInt(value) << count;
    count += BigInt(size);
  };
  put(0x2f, 8);
  put(width - 1, 14);
  put(height - 1, 14);
  put(0, 1 + 3); // no alpha, version 0
  put(0, 1 + 1 + 1); // no transform, no colour cache, one group of codes
  // Each: simple, one symbol, of 8 bits. Green, red, blue, alpha; then distances: of 1 bit.
  for (const symbol of [0xcc, 0xcc, 0xcc, 0xff]) put(0b101 | (symbol << 3), 11);
  put(0b001, 4);
  const bytes = Buffer.alloc(Number((count + 7n) / 8n));
  for (let index = 0; index < bytes.length; index++) bytes[index] = Number((bits >> BigInt(index * 8)) & 0xffn);
  return bytes;
}

/** A WebP of exactly `size_bytes`; null below 50 bytes or for a side above 16383 pixels. */
export function webpOfSize(size_bytes: number, seed: string, dimensions: Dimensions): Buffer | null {
  if (Math.max(dimensions.width, dimensions.height) > 16_383) return null;
  const extended = Buffer.alloc(10);
  extended.writeUIntLE(dimensions.width - 1, 4, 3);
  extended.writeUIntLE(dimensions.height - 1, 7, 3);
  const chunks = [riffChunk("VP8X", extended), riffChunk("VP8L", losslessBits(dimensions))];
  const left = size_bytes - 12 - lengthOf(chunks);
  if (left < 0) return null;
  if (left >= 8) chunks.push(riffChunk("FILL", seededBytes(seed, (left - 8) & ~1)));
  const head = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  head.writeUInt32LE(4 + lengthOf(chunks), 4);
  return behind([head, ...chunks], size_bytes);
}

/** An icon of exactly `size_bytes` that holds one PNG; null below 89 bytes. */
export function icoOfSize(size_bytes: number, seed: string, wanted: Dimensions): Buffer | null {
  const side = (length: number) => Math.min(256, Math.max(1, length));
  const dimensions = { width: side(wanted.width), height: side(wanted.height) };
  const head = Buffer.alloc(22);
  const png = pngOfSize(size_bytes - head.length, seed, dimensions);
  if (!png) return null;
  head[2] = 1; // an icon
  head[4] = 1; // of one picture
  head[6] = dimensions.width % 256; // 0 stands for 256
  head[7] = dimensions.height % 256;
  head[10] = 1; // planes
  head[12] = 1; // bits a pixel
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
