// A HAR file's JSON: plain or gzipped, from a file or from standard input (`-`). Says in one line what is wrong with a file
// that holds something else. What the JSON means is read elsewhere.
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { UserError } from "../errors.ts";

/** How messages call the input. */
export const inputName = (path: string): string => (path === "-" ? "standard input" : path);

async function contentOf(path: string): Promise<Buffer> {
  if (path === "-" && process.stdin.isTTY)
    throw new UserError("standard input is the terminal: name a .har or .har.gz file, or pipe one in");
  if (path === "-") return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT")
      throw new UserError(`${path}: no such file: name a .har or .har.gz file, or - for standard input`);
    if (code === "EISDIR") throw new UserError(`${path}: is a folder: name the HAR file in it`);
    if (code === "EACCES") throw new UserError(`${path}: may not be read: check the file's permissions`);
    throw error;
  }
}

function unzipped(content: Buffer, name: string): Buffer {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content;
  try {
    return gunzipSync(content);
  } catch (error) {
    const truncated = error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
    throw new UserError(`${name}: gzip is ${truncated ? "cut off" : "damaged"}: save or copy the file again`);
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

/** The parsed JSON of the HAR at `path`. UserError, naming the file, for one that is none. */
export async function readHar(path: string): Promise<unknown> {
  const name = inputName(path);
  const content = unzipped(await contentOf(path), name);
  // Some exporters begin with a byte order mark, which JSON does not allow.
  const text = content.toString("utf8").replace(/^\ufeff/, "");
  if (text.trim() === "") throw new UserError(`${name}: is empty: save the recording again`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(text, name, error);
  }
}
