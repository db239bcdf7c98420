// Native messaging's frames: a 4-byte length in the machine's byte order, then that many bytes of JSON. Pure.
import { endianness } from "node:os";

const lengthSize = 4;
// No answer is near this long (see schemas/message.schema.json): what says so is no frame.
const maximumSize_bytes = 16 * 1024 * 1024;
const littleEndian = endianness() === "LE";

export function frameOf(message: Buffer): Buffer {
  const length = Buffer.alloc(lengthSize);
  if (littleEndian) length.writeUInt32LE(message.length);
  else length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

/** Takes a stream apart into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** The bytes of each message that is whole now. Throws for a length that cannot be. */
  *read(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= lengthSize) {
      const start = this.#join(lengthSize);
      const size = littleEndian ? start.readUInt32LE() : start.readUInt32BE();
      if (size > maximumSize_bytes) throw new RangeError(`a message of ${size} bytes`);
      if (this.#size < lengthSize + size) return;
      const bytes = this.#join(lengthSize + size);
      this.#chunks[0] = bytes.subarray(lengthSize + size);
      this.#size -= lengthSize + size;
      yield bytes.subarray(lengthSize, lengthSize + size);
    }
  }

  // A buffer with at least the first `size` bytes, which are there: joined only then, so that a long message is copied once.
  #join(size: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= size) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
