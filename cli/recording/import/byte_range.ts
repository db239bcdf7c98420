// A part of a file, read when it is wanted and in chunks, so that a body of any size costs no memory. Holds no open file.
import { type FileHandle, open } from "node:fs/promises";
import { UserError } from "../../base/errors.ts";

const chunk_bytes = 256 * 1024;

/** Exactly that many bytes from there; UserError where the file has become shorter. */
export async function readExactly(file: FileHandle, path: string, start: number, into: Buffer): Promise<Buffer> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, start + done);
    if (bytesRead === 0) throw new UserError(`${path}: became shorter while it was read: try again`);
    done += bytesRead;
  }
  return into;
}

export class ByteRange {
  readonly path: string;
  readonly start: number;
  readonly size: number;

  constructor(path: string, start: number, size: number) {
    this.path = path;
    this.start = start;
    this.size = size;
  }

  /** From byte `from` of this range on, `size` bytes or as many as there are. */
  slice(from: number, size = Number.POSITIVE_INFINITY): ByteRange {
    const first = Math.min(from, this.size);
    return new ByteRange(this.path, this.start + first, Math.min(size, this.size - first));
  }

  /** The bytes, of which there should be few. */
  async bytes(): Promise<Buffer> {
    if (this.size === 0) return Buffer.alloc(0);
    const file = await open(this.path);
    try {
      return await readExactly(file, this.path, this.start, Buffer.allocUnsafe(this.size));
    } finally {
      await file.close();
    }
  }

  /** One chunk after the other in the same memory: each is valid until the next is requested. */
  async *chunks(): AsyncGenerator<Buffer> {
    if (this.size === 0) return;
    const file = await open(this.path);
    try {
      const room = Buffer.allocUnsafe(Math.min(chunk_bytes, this.size));
      for (let done = 0; done < this.size; ) {
        const part = room.subarray(0, Math.min(room.length, this.size - done));
        yield await readExactly(file, this.path, this.start + done, part);
        done += part.length;
      }
    } finally {
      await file.close();
    }
  }
}
