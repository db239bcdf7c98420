// The fields of a protobuf message that is in a file, in its wire format. Reads what is requested and skips the rest, so
// that a field of a gigabyte costs nothing. Knows no schema.
import type { FileHandle } from "node:fs/promises";
import { ByteRange, readExactly } from "./spool.ts";

/** What is wrong with the bytes; the position counts from the file's start. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

export type Field =
  | { readonly number: number; readonly kind: "number"; readonly value: number }
  | { readonly number: number; readonly kind: "bytes"; readonly bytes: ByteRange };

const window_bytes = 64 * 1024;

/** A message's fields lie anywhere; what is near each other is read at once. */
export class ProtobufFile {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #size: number;
  #window: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #windowStart = 0;

  constructor(file: FileHandle, path: string, size: number) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
  }

  /** The whole file as a range. */
  get whole(): ByteRange {
    return new ByteRange(this.#path, 0, this.#size);
  }

  /** The bytes of a range; a short one costs no reading where its neighbour has been read. */
  async bytes({ start, size }: ByteRange): Promise<Buffer> {
    if (size > window_bytes) return await readExactly(this.#file, this.#path, start, Buffer.allocUnsafe(size));
    await this.#see(start, size);
    return Buffer.from(this.#window.subarray(start - this.#windowStart, start - this.#windowStart + size));
  }

  async #see(start: number, size: number): Promise<void> {
    if (start >= this.#windowStart && start + size <= this.#windowStart + this.#window.length) return;
    const room = Buffer.allocUnsafe(Math.min(window_bytes, this.#size - start));
    this.#window = await readExactly(this.#file, this.#path, start, room);
    this.#windowStart = start;
  }

  /** A base-128 number and where it ends. */
  async #varint(at: number, end: number): Promise<{ value: number; at: number }> {
    await this.#see(at, Math.min(10, end - at));
    let value = 0;
    for (let index = 0; index < 10; index++) {
      if (at + index >= end) throw new ProtobufError(`is cut off at byte ${end}`);
      const byte = this.#window[at + index - this.#windowStart] ?? 0;
      // Above 2^53 the value is wrong, but so large that nothing takes it.
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return { value, at: at + index + 1 };
    }
    throw new ProtobufError(`has a number without an end at byte ${at}`);
  }

  /** The fields of the message within `range`, in their order. Throws ProtobufError where that is none. */
  async *fields(range: ByteRange): AsyncGenerator<Field> {
    const end = range.start + range.size;
    for (let at = range.start; at < end; ) {
      const tag = await this.#varint(at, end);
      const [number, type] = [Math.floor(tag.value / 8), tag.value % 8];
      if (number < 1 || number > 536_870_911) throw new ProtobufError(`has no field's number at byte ${at}`);
      const skip = type === 1 ? 8 : type === 5 ? 4 : 0;
      if (skip > 0) {
        if (tag.at + skip > end) throw new ProtobufError(`is cut off at byte ${end}`);
        at = tag.at + skip;
        continue;
      }
      if (type !== 0 && type !== 2) throw new ProtobufError(`has a field of type ${type} at byte ${at}`);
      const read = await this.#varint(tag.at, end);
      if (type === 0) {
        yield { number, kind: "number", value: read.value };
        at = read.at;
        continue;
      }
      if (read.value > end - read.at) throw new ProtobufError(`is cut off at byte ${end}`);
      yield { number, kind: "bytes", bytes: new ByteRange(this.#path, read.at, read.value) };
      at = read.at + read.value;
    }
  }
}
