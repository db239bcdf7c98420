// The one opener of small files that people name and others may have written: plans, profiles of links, lists, traces as JSON. A pipe,
// socket or device is refused without waiting for it, a large file before it is read; JSON is scanned for depth and number of values
// before anything is made of it. An error never quotes the file. Large formats have their own readers (text_lines.ts, the importers).
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { boundedJson, JsonTextError } from "./bounded_json.ts";
import { UserError } from "./errors.ts";
import { formatSize } from "./numbers.ts";

/** Of one file. SECURITY.md lists these. */
export const mostFile_bytes = { document: 64e6, certificate: 1e6 } as const;

/** `<(command)` and /dev/stdin: somebody writes them, and they end. */
const isDescriptor = (path: string): boolean => /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/(?:self|\d+)\/fd\/\d+)$/.test(path);

/** Reads no further than the limit, whatever the size was said to be. Null: there is more. */
function readUpTo(file: number, most_bytes: number): Buffer | null {
  const chunks: Buffer[] = [];
  for (let left = most_bytes; left >= 0; ) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    const size = readSync(file, chunk, 0, chunk.length, null);
    if (size === 0) return Buffer.concat(chunks);
    left -= size;
    chunks.push(chunk.subarray(0, size));
  }
  return null;
}

/**
 * The file's bytes. Errors of the system are thrown as they are: its caller knows what the file was to be.
 * @throws UserError, naming the file, if it is no regular file or larger than that.
 */
export function readForeignBytes(path: string, most_bytes: number = mostFile_bytes.document): Buffer {
  const file = openSync(path, isDescriptor(path) ? "r" : constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    // Of a folder the system says so itself.
    if (!stat.isFile() && !stat.isDirectory() && !isDescriptor(path))
      throw new UserError(`${path}: is not a regular file: name a file`);
    const bytes = stat.size > most_bytes ? null : readUpTo(file, most_bytes);
    if (bytes === null) throw new UserError(`${path}: is larger than ${formatSize(most_bytes)}: name another file`);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/**
 * The JSON of a file. @throws as readForeignBytes; a UserError that names the file if it has too many levels or values; a SyntaxError that
 * quotes nothing if it is no JSON.
 */
export function readForeignJson(path: string): unknown {
  const bytes = readForeignBytes(path);
  try {
    return boundedJson(bytes);
  } catch (error) {
    if (error instanceof JsonTextError) throw new UserError(`${path}: ${error.message}: name another file`);
    throw error;
  }
}
