// An HTTP/1 message as it stands in a file: first line, headers, and where its body is and how it is framed (RFC 9112).
// Lenient as recordings ask for; reads no body.

import type { UserError } from "../../base/errors.ts";
import type { NameValue } from "./har.ts";
import type { ByteRange } from "./spool.ts";

// The chunked transfer coding taken off (RFC 9112 7.1), as it comes: bodies that a recorder kept framed as they were on the
// wire. Knows nothing of what is in them.

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

/** More than any server takes. */
const longestHead_bytes = 1024 * 1024;

interface MessageHead {
  readonly firstLine: string;
  readonly headers: readonly NameValue[];
}

export interface Body {
  /** One chunk after the other in the same memory, without the message's framing. Throws ChunkError. */
  chunks(): AsyncIterable<Buffer>;
  /** As recorded, with the framing: 0 means that there is none. */
  readonly framed_bytes: number;
  /** It has fewer bytes than its content-length says. */
  readonly cutOff: boolean;
  readonly trailers: Trailers;
}

/** Text of a header: UTF-8 where it is, else one character a byte. */
export function headerText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}

/** The first value of a header, whatever the case of its name; undefined where there is none. */
export function valueIn(headers: readonly NameValue[], name: string): string | undefined {
  return headers.find((header) => header.name.trim().toLowerCase() === name)?.value.trim();
}

function headersIn(lines: readonly string[], refuse: (what: string) => UserError): NameValue[] {
  const headers: { name: string; value: string }[] = [];
  for (const line of lines) {
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last) {
      last.value += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon < 1) throw refuse("has a header line without a name");
    headers.push({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() });
  }
  return headers;
}

/** Where the head ends, with the empty line; -1 where it does not. */
function headEnd(bytes: Buffer): number {
  const [crlf, lf] = [bytes.indexOf("\r\n\r\n"), bytes.indexOf("\n\n")];
  if (crlf < 0 && lf < 0) return -1;
  return lf < 0 || (crlf >= 0 && crlf < lf) ? crlf + 4 : lf + 2;
}

/** Takes a serialized message apart. `refuse` makes the error of what is wrong with it. */
export async function readMessage(
  message: ByteRange,
  refuse: (what: string) => UserError,
): Promise<{ head: MessageHead; rest: ByteRange }> {
  let start = await message.slice(0, 16 * 1024).bytes();
  let end = headEnd(start);
  if (end < 0 && start.length < message.size) {
    start = await message.slice(0, longestHead_bytes).bytes();
    end = headEnd(start);
  }
  if (end < 0) throw refuse(start.length < longestHead_bytes ? "is cut off in its head" : "has a head of over 1 MB");
  const [firstLine = "", ...lines] = headerText(start.subarray(0, end))
    .replace(/(\r?\n)+$/, "")
    .split(/\r?\n/);
  return { head: { firstLine, headers: headersIn(lines, refuse) }, rest: message.slice(end) };
}

/** The length that the headers give; null where they give none, or several. */
function contentLength(headers: readonly NameValue[]): number | null {
  const values = headers.filter(({ name }) => name.trim().toLowerCase() === "content-length");
  const lengths = new Set(values.flatMap(({ value }) => value.split(",")).map((value) => value.trim()));
  const [length] = lengths;
  return lengths.size === 1 && length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** The body within `rest`, which is all that the recorder kept of it. */
export async function bodyIn(rest: ByteRange, headers: readonly NameValue[]): Promise<Body> {
  const trailers: Trailers = { trailers: [] };
  const isChunked = headers.some(
    ({ name, value }) =>
      name.trim().toLowerCase() === "transfer-encoding" && /(^|,)\s*chunked\s*(,|$)/i.test(value.trim()),
  );
  // Some tools took the framing off and left the header.
  if (isChunked && looksChunked(await rest.slice(0, 512).bytes()))
    return { chunks: () => dechunked(rest.chunks(), trailers), framed_bytes: rest.size, cutOff: false, trailers };
  const length = isChunked ? null : contentLength(headers);
  const range = length === null ? rest : rest.slice(0, length);
  return {
    chunks: () => range.chunks(),
    framed_bytes: range.size,
    cutOff: length !== null && range.size < length,
    trailers,
  };
}

/** Status of a response's first line; null where it is none. */
export function statusIn(firstLine: string): number | null {
  const status = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?:[ \t]|$)/i.exec(firstLine)?.[1];
  return status === undefined ? null : Number(status);
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** Method and target of a request's first line; null where it is none. */
export function requestIn(firstLine: string): RequestLine | null {
  const parts = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]+(\S(?:.*\S)?)[ \t]+HTTP\/\d(?:\.\d)?[ \t]*$/i.exec(firstLine);
  return parts?.[1] && parts[2] ? { method: parts[1], target: parts[2] } : null;
}
