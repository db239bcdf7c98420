// A file without a name that takes what does not fit into memory, to be read again as ranges. It goes with the process.
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunError, UserError } from "../../base/errors.ts";

// A part of a file, read when it is wanted and in chunks, so that a body of any size costs no memory. Holds no open file.

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

const gathered_bytes = 1024 * 1024;

export class Spool {
  readonly #file: FileHandle;
  #waiting: Buffer[] = [];
  #waiting_bytes = 0;
  #written = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Use ranges of it only until `use` has resolved. */
  static async with<Result>(use: (spool: Spool) => Promise<Result>): Promise<Result> {
    const path = join(tmpdir(), `trilane-spool-${process.pid}-${Math.random().toString(36).slice(2)}`);
    const file = await open(path, "wx+", 0o600);
    try {
      // Nothing is left of it then, however this process ends.
      await rm(path);
      return await use(new Spool(file));
    } finally {
      await file.close();
    }
  }

  /** How much has been added. */
  get size(): number {
    return this.#written + this.#waiting_bytes;
  }

  async add(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waiting_bytes += bytes.length;
    if (this.#waiting_bytes >= gathered_bytes) await this.#write();
  }

  /** What has been added from `start` on. */
  async range(start: number): Promise<ByteRange> {
    await this.#write();
    return new ByteRange(`/proc/self/fd/${this.#file.fd}`, start, this.size - start);
  }

  async #write(): Promise<void> {
    if (this.#waiting_bytes === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waiting_bytes = 0;
    try {
      for (let done = 0; done < bytes.length; )
        done += (await this.#file.write(bytes, done, bytes.length - done, this.#written + done)).bytesWritten;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC")
        throw new RunError(`${tmpdir()}: no space left for what is unpacked: free some, or name another with TMPDIR`);
      throw error;
    }
    this.#written += bytes.length;
  }
}
