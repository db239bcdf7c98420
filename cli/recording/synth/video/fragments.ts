// Fragmented MP4 (ISO/IEC 14496-12, 8.8) as ffmpeg writes it: takes a file apart into an initialization segment and, for each segment, a
// movie fragment with its data; and brings a segment to an exact size with a `free` box in front, which no player shows, so that a
// segment's bytes are its bitrate's whatever its pictures need.
import { seededBytes } from "../../fill/seeded.ts";

// The boxes of ISO base media files (ISO/IEC 14496-12): writes one, and reads a run of them strictly. What is in them is others'
// business.

export class BoxError extends Error {
  override readonly name = "BoxError";
}

interface Box {
  readonly type: string;
  /** From the box's own first byte. */
  readonly bytes: Buffer;
  /** What follows its header. */
  readonly content: Buffer;
}

const header_bytes = 8;
const smallestBox_bytes = header_bytes;

/** One box; parts one after the other. */
export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, header_bytes);
  const header = Buffer.alloc(header_bytes);
  header.writeUInt32BE(size);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, ...parts], size);
}

/** The boxes that fill `bytes` to the last one. BoxError where they do not. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const left = bytes.length - at;
    if (left < header_bytes) throw new BoxError(`${left} bytes are left at ${at}, too few for a box`);
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!/^[ -~\xa9]{4}$/.test(type)) throw new BoxError(`no box begins at ${at}`);
    // 0 (to the end of the file) and 1 (64 bits) are legal and not used by what is read here.
    if (size < header_bytes || size > left) throw new BoxError(`box ${type} at ${at} has ${size} bytes of ${left}`);
    const whole = bytes.subarray(at, at + size);
    boxes.push({ type, bytes: whole, content: whole.subarray(header_bytes) });
    at += size;
  }
  return boxes;
}

/** The one box of this type. BoxError where there is none or another. */
function only(boxes: readonly Box[], type: string): Box {
  const [found, another] = boxes.filter((each) => each.type === type);
  if (!found || another) throw new BoxError(`${found ? "more than one" : "no"} box ${type}`);
  return found;
}

/** The content of the one box at the end of this path. */
function inside(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((content, type) => only(readBoxes(content), type).content, bytes);
}

/** A clip's pictures or sound. */
export interface Clip {
  readonly initialization: Buffer;
  /** A movie fragment and its data each. */
  readonly media: readonly Buffer[];
  /** As a media type names it (RFC 6381). */
  readonly codec: string;
}

const segmentType = box("styp", Buffer.from("msdh\0\0\0\0msdhcmfs", "latin1"));
/** What a segment has at least besides its fragment. */
export const framing_bytes = segmentType.length + smallestBox_bytes;

/** A fragment brought to `size_bytes`; null: it has more, or leaves no room for a box. */
export function paddedSegment(fragment: Buffer, size_bytes: number, seed: string): Buffer | null {
  const left = size_bytes - fragment.length - framing_bytes;
  if (left < 0) return null;
  return Buffer.concat([segmentType, box("free", seededBytes(seed, left)), fragment], size_bytes);
}

const visualFields_bytes = 78;
const hex = (value: number | undefined): string => (value ?? 0).toString(16).padStart(2, "0");

/** How a media type names the codec of a sample entry. BoxError for one that is not made here. */
export function codecOf(entry: Buffer): string {
  const type = readBoxes(entry)[0]?.type;
  if (type === "Opus") return "opus";
  if (type !== "avc1") throw new BoxError(`sample entries of type ${type} are not known`);
  const [, profile, constraints, level] = inside(entry.subarray(8 + visualFields_bytes), "avcC");
  return `avc1.${hex(profile)}${hex(constraints)}${hex(level)}`;
}

/** Of a fragment's first sample (8.8.12): in version 1 of the box it has 64 bits. */
const decodeTime = (box: Buffer): number =>
  box.readUInt8(0) === 1 ? Number(box.readBigUInt64BE(4)) : box.readUInt32BE(4);

/** A file of an initialization segment and `count` fragments that share `samples` equally. BoxError if it is another. */
export function readClip(file: Buffer, count: number, samples: number): Clip {
  const boxes = readBoxes(file);
  const types = boxes.map(({ type }) => type).join(" ");
  const expected = ["ftyp", "moov", ...Array.from({ length: count }, () => "moof mdat")].join(" ");
  if (types !== expected) throw new BoxError(`not ${count} segments: ${types.slice(0, 80)}`);
  const bytesAt = (place: number): Buffer => (boxes[place] as Box).bytes;
  const initialization = Buffer.concat([bytesAt(0), bytesAt(1)]);
  const media = Array.from({ length: count }, (_, index) =>
    Buffer.concat([bytesAt(2 + 2 * index), bytesAt(3 + 2 * index)]),
  );
  const begins = media.map((fragment) => decodeTime(inside(fragment, "moof", "traf", "tfdt")));
  for (const [index, fragment] of media.entries()) {
    if (begins[index] !== index * (begins[1] ?? 0))
      throw new BoxError(`segment ${index + 1} does not begin as the one before it ends`);
    const held = inside(fragment, "moof", "traf", "trun").readUInt32BE(4);
    if (held * count !== samples) throw new BoxError(`segment ${index + 1} has ${held} samples of ${samples}`);
  }
  const entry = inside(initialization, "moov", "trak", "mdia", "minf", "stbl", "stsd").subarray(8);
  return { initialization, media, codec: codecOf(entry) };
}
