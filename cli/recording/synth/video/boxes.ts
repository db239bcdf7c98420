// The boxes of ISO base media files (ISO/IEC 14496-12): writes one, and reads a run of them strictly. What is in them is others'
// business: fragments.ts reads clips.

export class BoxError extends Error {
  override readonly name = "BoxError";
}

export interface Box {
  readonly type: string;
  /** From the box's own first byte. */
  readonly bytes: Buffer;
  /** What follows its header. */
  readonly content: Buffer;
}

const header_bytes = 8;
export const smallestBox_bytes = header_bytes;

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
export function inside(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((content, type) => only(readBoxes(content), type).content, bytes);
}
