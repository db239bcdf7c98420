// The newest records of a file that a running program appends to (cli/base/record_file.ts has the format): its last bytes are
// read, however long it is, so that looking costs a measurement next to nothing.
import { type FileHandle, open } from "node:fs/promises";
import { type Columns, parseRecords, recordsSchema } from "../../../base/record_file.ts";

const headerRoom_bytes = 4096;
const bytesPerNumber = 8;

interface Header {
  /** With its newline. */
  readonly line: Buffer;
  readonly record_bytes: number;
}

export class RecordTail<Name extends string> {
  readonly #path: string;
  readonly #names: readonly Name[];
  #file: FileHandle | null = null;
  #header: Header | null = null;

  constructor(path: string, names: readonly Name[]) {
    this.#path = path;
    this.#names = names;
  }

  /** At most the `most` last whole records, in their order; null where the file is not there yet, or has none. */
  async last(most: number): Promise<Columns<Name> | null> {
    const file = await this.#opened();
    const header = file && (this.#header ?? (await this.#readHeader(file)));
    if (!file || !header) return null;
    const { size } = await file.stat();
    const whole = Math.floor((size - header.line.length) / header.record_bytes);
    const count = Math.min(most, whole);
    if (count <= 0) return null;
    const bytes = Buffer.alloc(count * header.record_bytes);
    const from = header.line.length + (whole - count) * header.record_bytes;
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return parseRecords(Buffer.concat([header.line, bytes.subarray(0, bytesRead)]), this.#names, this.#path);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #opened(): Promise<FileHandle | null> {
    if (this.#file) return this.#file;
    try {
      this.#file = await open(this.#path, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    return this.#file;
  }

  async #readHeader(file: FileHandle): Promise<Header | null> {
    const start = Buffer.alloc(headerRoom_bytes);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const end = start.subarray(0, bytesRead).indexOf("\n");
    if (end < 0) return null;
    const line = start.subarray(0, end + 1);
    const { schema, columns } = JSON.parse(line.toString("utf8")) as { schema?: string; columns?: string[] };
    if (schema !== recordsSchema || !columns) return null;
    this.#header = { line, record_bytes: columns.length * bytesPerNumber };
    return this.#header;
  }
}
