// A file without a name that takes what does not fit into memory, to be read again as ranges. It goes with the process.
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunError } from "../../base/errors.ts";
import { ByteRange } from "./byte_range.ts";

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
