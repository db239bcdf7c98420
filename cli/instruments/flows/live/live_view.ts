// Watches a flow run while it lasts, by what its programs append to their files, and hands lines to who draws them. Costs the run next to
// nothing: a few kilobytes are read twice a second.

import { type FileHandle, open } from "node:fs/promises";
import type { FlowRun } from "../../../../schemas/generated/flow_run.ts";
import { type Columns, parseRecords, recordsSchema } from "../../../base/record_file.ts";
import type { FlowFiles } from "../../../link/flows/flow_run.ts";
import { liveLines, mostRows, shownLooks } from "./live_lines.ts";
import { binNames, isNewer, lookAt, type RunLook, type Snapshot, sampleNames } from "./looks.ts";

// The newest records of a file that a running program appends to (cli/base/record_file.ts has the format): its last bytes are read,
// however long it is, so that looking costs a measurement next to nothing.

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

const look_ms = 500;
/** Of bins: half a second of a hundred flows each way, and no more of a thousand. */
const mostBins = 2000;

export interface LiveView {
  /** Draws nothing any more, and lets go of the files. */
  close(): Promise<void>;
}

export interface LiveOptions {
  readonly run: FlowRun;
  readonly files: Pick<FlowFiles, "nearSamples" | "farSamples" | "bins">;
  /** Called with what is to stand there from now on. */
  readonly draw: (lines: readonly string[]) => void;
  /** Rows of flows that there is room for. */
  readonly rows?: number;
  /** In tests. */
  readonly every_ms?: number;
}

/** The files need not be there yet. What cannot be read is not drawn: the run is judged by others. */
export function openLiveView({ run, files, draw, rows = mostRows, every_ms = look_ms }: LiveOptions): LiveView {
  const near = new RecordTail(files.nearSamples, sampleNames);
  const far = new RecordTail(files.farSamples, sampleNames);
  const bins = new RecordTail(files.bins, binNames);
  // Ends write their flows' records tick by tick: the last of each lies within two ticks.
  const perEnd = 2 * run.flows.length;
  let before: Snapshot | null = null;
  let looks: readonly RunLook[] = [];
  let began_ns: number | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const [atNear, atFar, atLink] = await Promise.all([near.last(perEnd), far.last(perEnd), bins.last(mostBins)]);
    if (closed) return;
    const after: Snapshot = { near: atNear, far: atFar, bins: atLink };
    if (!isNewer(before, after)) return;
    const seen = lookAt(run.flows, before, after, looks.at(-1) ?? null);
    before = after;
    began_ns ??= seen.at_ns;
    looks = [...looks, seen].slice(-shownLooks);
    draw(liveLines(looks, { for_ms: run.for_ms, began_ns, rows }));
  };
  let looking = Promise.resolve();
  const next = (): void => {
    if (closed) return;
    timer = setTimeout(() => {
      // A file that cannot be read ends the view, not the run.
      looking = look().then(next, () => undefined);
    }, every_ms);
    timer.unref();
  };
  next();

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
      draw([]);
      await Promise.all([near, far, bins].map((tail) => tail.close()));
    },
  };
}
