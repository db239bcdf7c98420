// A body as pieces of a net log: the log's lines are where it is kept, so that one of any size costs no memory. Small ones
// are kept in memory besides.
import { open } from "node:fs/promises";

// Most bodies of most pages; a few thousand of them fit into memory.
const inMemory_bytes = 32 * 1024;

interface Line {
  readonly offset: number;
  readonly length: number;
}

export class LoggedBody {
  readonly #path: string;
  #lines: Line[] = [];
  /** null: too large. */
  #pieces: Buffer[] | null = [];
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** `base64`: what the line at this place of the log says. */
  add(line: Line, base64: string): void {
    const bytes = Buffer.from(base64, "base64");
    this.#size += bytes.length;
    this.#lines.push(line);
    if (this.#size > inMemory_bytes) this.#pieces = null;
    else this.#pieces?.push(bytes);
  }

  /** Begun again. */
  clear(): void {
    this.#lines = [];
    this.#pieces = [];
    this.#size = 0;
  }

  /** The whole; null where it is too large to be in memory. */
  get bytes(): Buffer | null {
    return this.#pieces ? Buffer.concat(this.#pieces) : null;
  }

  /** Read from the log, which must still be there. */
  async *chunks(): AsyncGenerator<Buffer> {
    if (this.#pieces) {
      yield* this.#pieces;
      return;
    }
    const file = await open(this.#path);
    try {
      for (const { offset, length } of this.#lines) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
        const text = buffer.toString("latin1", 0, bytesRead);
        yield Buffer.from(/"bytes":"([A-Za-z0-9+/=]*)"/.exec(text)?.[1] ?? "", "base64");
      }
    } finally {
      await file.close();
    }
  }
}
