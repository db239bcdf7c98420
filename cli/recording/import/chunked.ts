// The chunked transfer coding taken off (RFC 9112 7.1), as it comes: bodies that a recorder kept framed as they were on the
// wire. Knows nothing of what is in them.
import type { NameValue } from "./har.ts";

/** Of a line with a chunk's size, with extensions; and of all trailers. */
const longestLine_bytes = 16 * 1024;

/** What is wrong with the framing; `position` counts in the framed bytes. */
export class ChunkError extends Error {
  override readonly name = "ChunkError";
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export interface Trailers {
  /** Filled when the last chunk has been read. */
  trailers: NameValue[];
}

type State = "size" | "data" | "data end" | "trailer" | "over";

/** What a line with a chunk's size says; null where it is none. */
function chunkSize(line: string): number | null {
  const size = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
  return size === undefined ? null : Number.parseInt(size, 16);
}

/** Whether bytes begin as a chunked body does. */
export function looksChunked(start: Buffer): boolean {
  const end = start.indexOf("\r\n");
  return end > 0 && chunkSize(start.toString("latin1", 0, end)) !== null;
}

function trailerOf(line: string, position: number): NameValue {
  const colon = line.indexOf(":");
  if (colon < 1) throw new ChunkError("a trailer without a name", position);
  return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() };
}

/** The body within `framed`. Throws ChunkError for framing that is malformed or cut off; what follows the end is ignored. */
export async function* dechunked(framed: AsyncIterable<Buffer>, into?: Trailers): AsyncGenerator<Buffer> {
  let state: State = "size";
  let left = 0; // of the chunk
  let line = Buffer.alloc(0);
  let position = 0;
  for await (const bytes of framed) {
    for (let at = 0; at < bytes.length && state !== "over"; ) {
      if (state === "data") {
        const part = bytes.subarray(at, at + left);
        at += part.length;
        left -= part.length;
        if (left === 0) state = "data end";
        yield part;
        continue;
      }
      const newline = bytes.indexOf(10, at);
      const end = newline < 0 ? bytes.length : newline + 1;
      line = Buffer.concat([line, bytes.subarray(at, end)]);
      at = end;
      if (line.length > longestLine_bytes) throw new ChunkError("a line without an end", position + at);
      if (newline < 0) continue;
      const text = line.toString("latin1").replace(/\r?\n$/, "");
      line = Buffer.alloc(0);
      if (state === "data end") {
        if (text !== "") throw new ChunkError("a chunk that is longer than its size", position + at);
        state = "size";
      } else if (state === "size") {
        const size = chunkSize(text);
        if (size === null) throw new ChunkError("no size where a chunk begins", position + at);
        left = size;
        state = size === 0 ? "trailer" : "data";
      } else if (text === "") {
        state = "over";
      } else {
        into?.trailers.push(trailerOf(text, position + at));
      }
    }
    position += bytes.length;
  }
  // Some recorders leave out the empty line after the last chunk.
  if (state !== "over" && !(state === "trailer" && line.length === 0)) throw new ChunkError("cut off", position);
}
