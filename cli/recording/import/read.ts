// A HAR file's JSON: plain, gzipped or in zstd, from a file or from standard input (`-`). Says in one line what is wrong with a file
// that holds something else. What the JSON means is read elsewhere.
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { UserError } from "../../base/errors.ts";
import { unzipped } from "../../base/unzipped.ts";

/**
 * More than a page load ever is. Text, parsed values and the page made of them are in memory together, and V8 has no text
 * of more than 536 million characters.
 */
const maximumHar_bytes = 500e6;

/** How messages call the input. */
export const inputName = (path: string): string => (path === "-" ? "standard input" : path);

function tooLarge(name: string, limit_bytes: number): UserError {
  return new UserError(
    `${name}: larger than ${limit_bytes / 1e6} MB, the most that a HAR may have: record fewer pages into one file, or without bodies`,
  );
}

/** All that a stream has; reads no further than the limit. */
async function readAll(stream: Readable, name: string, limit_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size_bytes += chunk.length;
    if (size_bytes > limit_bytes) throw tooLarge(name, limit_bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readFileWithin(path: string, limit_bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    // Told before half a gigabyte is read in vain; a pipe has no size.
    if ((await file.stat()).size > limit_bytes) throw tooLarge(path, limit_bytes);
    return await readAll(file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }), path, limit_bytes);
  } finally {
    await file.close();
  }
}

async function contentOf(path: string, limit_bytes: number): Promise<Buffer> {
  if (path === "-" && process.stdin.isTTY)
    throw new UserError("standard input is the terminal: name a .har or .har.gz file, or pipe one in");
  if (path === "-") return await readAll(process.stdin, inputName(path), limit_bytes);
  try {
    return await readFileWithin(path, limit_bytes);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT")
      throw new UserError(`${path}: no such file: name a .har or .har.gz file, or - for standard input`);
    if (code === "EISDIR") throw new UserError(`${path}: is a folder: name the HAR file in it`);
    if (code === "EACCES") throw new UserError(`${path}: may not be read: check the file's permissions`);
    throw error;
  }
}

function notJson(text: string, name: string, error: unknown): UserError {
  if (/^\s*</.test(text))
    return new UserError(`${name}: is HTML or XML, not HAR: save the recording itself, not a page about it`);
  const reason = error instanceof Error ? error.message : "";
  // V8 says so where the text ends too early, in one of two ways.
  if (/end of JSON|Unterminated/.test(reason))
    return new UserError(`${name}: is cut off after ${text.length} characters: save or copy the file again`);
  const where = /position (\d+)/.exec(reason)?.[1];
  return new UserError(`${name}: is not JSON${where ? ` (at character ${where})` : ""}: name a HAR 1.2 file`);
}

/** The text at `path`, unzipped. UserError, naming the file, for one that cannot be read or is too large. */
export async function readTextFile(path: string, limit_bytes = maximumHar_bytes): Promise<string> {
  const name = inputName(path);
  const content = unzipped(await contentOf(path, limit_bytes), name, limit_bytes, () => tooLarge(name, limit_bytes));
  // Some exporters begin with a byte order mark, which JSON does not allow.
  return content.toString("utf8").replace(/^\ufeff/, "");
}

/** The parsed JSON of the HAR at `path`. UserError, naming the file, for one that is none or, unzipped, too large. */
export async function readHar(path: string, limit_bytes = maximumHar_bytes): Promise<unknown> {
  const name = inputName(path);
  const text = await readTextFile(path, limit_bytes);
  if (text.trim() === "") throw new UserError(`${name}: is empty: save the recording again`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(text, name, error);
  }
}
