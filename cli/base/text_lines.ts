// A text file read in chunks, line by line or byte by byte, so that its size costs no memory. Knows nothing of what the
// lines mean; an error about one names file and line.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "./errors.ts";

const chunk_bytes = 1 << 20;
/** Longer than any line of a format we read: the file is of another kind. */
const longestLine_bytes = 1 << 20;

/** The file's bytes, a chunk at a time. The chunk is only good until the next one is read. */
export function* chunksOf(path: string): Generator<Buffer, void, undefined> {
  // Without waiting for somebody to open the other end of a FIFO.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new UserError(`${path}: is not a regular file: name a file`);
    const buffer = Buffer.allocUnsafe(chunk_bytes);
    for (;;) {
      const size = readSync(file, buffer, 0, chunk_bytes, null);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

export interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** The file's lines without their ends (LF or CR LF). */
export function* linesOf(path: string): Generator<TextLine, void, undefined> {
  let rest = "";
  let number = 0;
  const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
  const decoder = new TextDecoder();
  for (const chunk of chunksOf(path)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLine_bytes)
      throw new UserError(`${path}:${number + 1}: is no line of text: name a text file`);
    for (const line of lines) yield { text: withoutReturn(line), number: ++number };
  }
  rest += decoder.decode();
  if (rest !== "") yield { text: withoutReturn(rest), number: ++number };
}

/** An error about one line: `FILE:LINE: problem`. */
export function lineError(path: string, line: number, problem: string): UserError {
  return new UserError(`${path}:${line}: ${problem}`);
}

/** A line's text as an error shows it: short, and nothing in it that a terminal would obey. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
