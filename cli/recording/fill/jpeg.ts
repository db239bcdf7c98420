// A JPEG of an exact size in bytes that every decoder takes: baseline, three components, seeded coloured noise. It makes
// coefficients up and writes them, so it holds no colour conversion and no cosine transform, and encodes no pixels.
//
// The size is met in three steps: as many coefficients per block as fit, comment segments for the rest, and up to three
// fill bytes (FF before a marker, ITU-T T.81 B.1.1.2) where a comment's own four bytes would be too many.
import { seededBytes } from "./seeded.ts";

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

const components = 3;
/** DC and AC share one Huffman table: '0' for nothing (no difference, end of block), '1xxx' for a value of xxx+1 bits. */
const largestValueBits = 7;
const codeBits = 4;
const largestSegment = 65_533;

const app0 = Buffer.from("ffe000104a46494600010100000100010000", "hex");
const endOfImage = Buffer.from("ffd9", "hex");

function segment(marker: number, payload: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

function quantization(): Buffer {
  // In zigzag order: coarser where the frequency is higher, so that the noise looks like cloth and not like snow.
  return segment(0xdb, Uint8Array.from([0, ...Array.from({ length: 64 }, (_, k) => 8 + Math.floor(k / 8))]));
}

function huffman(): Buffer {
  // 16 counts of codes by length: one of 1 bit, seven of 4 bits. '1111' stays unused, as the standard asks.
  const table = [1, 0, 0, 7, ...Array(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7];
  return segment(0xc4, Uint8Array.from([0x00, ...table, 0x10, ...table]));
}

function frame({ width, height }: Dimensions): Buffer {
  const payload = Buffer.from([8, 0, 0, 0, 0, components, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  payload.writeUInt16BE(height, 1);
  payload.writeUInt16BE(width, 3);
  return segment(0xc0, payload);
}

const scanHead = segment(0xda, Uint8Array.from([components, 1, 0, 2, 0, 3, 0, 0, 63, 0]));

function blocksOf({ width, height }: Dimensions): number {
  return Math.ceil(width / 8) * Math.ceil(height / 8) * components;
}

/** Bits of the k-th AC coefficient's value: low frequencies strong, high ones weak. */
function valueBits(k: number): number {
  if (k < 6) return 4;
  return k < 20 ? 3 : 2;
}

class BitWriter {
  #bytes: Buffer;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  write(value: number, bits: number): void {
    this.#pending = (this.#pending << bits) | value;
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      const byte = (this.#pending >> this.#pendingBits) & 0xff;
      this.#bytes[this.#length++] = byte;
      // A data byte FF would read as a marker; 00 after it says that it is none.
      if (byte === 0xff) this.#bytes[this.#length++] = 0;
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }

  finish(): Buffer {
    if (this.#pendingBits > 0) this.write(2 ** (8 - this.#pendingBits) - 1, 8 - this.#pendingBits);
    return this.#bytes.subarray(0, this.#length);
  }
}

/** A value in the standard's form: its number of bits as a code, then the bits (negative ones in ones' complement). */
function writeValue(writer: BitWriter, value: number): void {
  if (value === 0) {
    writer.write(0, 1);
    return;
  }
  const bits = 32 - Math.clz32(Math.abs(value));
  writer.write(0b1000 | (bits - 1), codeBits);
  writer.write(value > 0 ? value : value + 2 ** bits - 1, bits);
}

const scanSizeLimit = (blocks: number, coefficients: number) =>
  // Two times: in the worst case every byte is FF and stuffed.
  2 * Math.ceil((blocks * (codeBits + largestValueBits + 1 + coefficients * (codeBits + 4))) / 8) + 16;

function scan(blocks: number, coefficients: number, seed: string): Buffer {
  const noise = seededBytes(seed, blocks * (coefficients + 1));
  const writer = new BitWriter(scanSizeLimit(blocks, coefficients));
  const level = [0, 0, 0];
  let at = 0;
  for (let block = 0; block < blocks; block++) {
    const component = block % components;
    const before = level[component] ?? 0;
    // A walk that stays within the range of 8-bit samples, so that nothing saturates.
    const after = Math.max(-96, Math.min(96, before + ((noise[at++] ?? 0) % 49) - 24));
    writeValue(writer, coefficients === 0 ? 0 : after - before);
    level[component] = after;
    for (let k = 0; k < coefficients; k++) {
      const bits = valueBits(k);
      const byte = noise[at++] ?? 0;
      const magnitude = (1 << (bits - 1)) | (byte & ((1 << (bits - 1)) - 1));
      writeValue(writer, byte & 0x80 ? -magnitude : magnitude);
    }
    if (coefficients < 63) writer.write(0, 1);
  }
  return writer.finish();
}

/** How many coefficients a block can have within `budget_bytes`, before the few percent that stuffing takes. */
function coefficientsWithin(budget_bytes: number, blocks: number): number {
  const perBlock = (budget_bytes * 8 * 0.98) / blocks - (codeBits + 5 + 1);
  let bits = 0;
  for (let k = 0; k < 63; k++) {
    bits += codeBits + valueBits(k);
    if (bits > perBlock) return k;
  }
  return 63;
}

function comments(size_bytes: number, seed: string): Buffer[] {
  const segments: Buffer[] = [];
  let left = size_bytes;
  while (left >= 4) {
    let take = Math.min(left, largestSegment + 4 - 2);
    // What remains must be nothing or hold another segment.
    if (left > take && left - take < 4) take -= 4;
    segments.push(segment(0xfe, seededBytes(`${seed} comment ${segments.length}`, take - 4)));
    left -= take;
  }
  return segments;
}

/** Dimensions in 4:3 that suit a size: about 3 bits a pixel, as photographs on the web have, and at most a megapixel. */
export function dimensionsFor(size_bytes: number): Dimensions {
  const pixels = Math.min(2 ** 20, Math.max(64, (size_bytes * 8) / 3));
  const height = Math.max(8, Math.round(Math.sqrt((pixels * 3) / 4) / 8) * 8);
  return { width: Math.max(8, Math.round((height * 4) / 3 / 8) * 8), height };
}

/** The dimensions, or the largest of the same shape of which a JPEG of that size can be made. */
function fitting(wanted: Dimensions, budget_bytes: number): Dimensions {
  let { width, height } = wanted;
  // An empty block takes two bits.
  while (blocksOf({ width, height }) * 2 > budget_bytes * 8 && (width > 1 || height > 1)) {
    width = Math.max(1, Math.floor(width * 0.9));
    height = Math.max(1, Math.floor(height * 0.9));
  }
  return { width, height };
}

/** A JPEG of exactly `size_bytes`, or null where that is too small for any (about 190 bytes). */
export function jpegOfSize(
  size_bytes: number,
  seed: string,
  wanted: Dimensions = dimensionsFor(size_bytes),
): { bytes: Buffer; dimensions: Dimensions } | null {
  const tables = [quantization(), huffman()];
  const headSize = 2 + app0.length + tables.reduce((sum, part) => sum + part.length, 0) + 19 + scanHead.length + 2;
  const budget_bytes = size_bytes - headSize;
  if (budget_bytes < 1) return null;
  const dimensions = fitting(wanted, budget_bytes);
  const blocks = blocksOf(dimensions);
  for (let coefficients = coefficientsWithin(budget_bytes, blocks); coefficients >= 0; coefficients--) {
    const data = scan(blocks, coefficients, seed);
    const left = budget_bytes - data.length;
    if (left < 0) continue;
    const fillBytes = left < 4 ? left : 0;
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      app0,
      ...comments(left - fillBytes, seed),
      ...tables,
      frame(dimensions),
      scanHead,
      data,
      Buffer.alloc(fillBytes, 0xff),
      endOfImage,
    ]);
    return { bytes, dimensions };
  }
  return null;
}
