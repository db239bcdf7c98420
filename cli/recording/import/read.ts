// A HAR file's JSON as people have it: plain, gzip, zstd or brotli, UTF-8 or UTF-16, a zip with attached bodies, a call of a function, from a
// file or from standard input (`-`). Says in one line what is wrong with a file that holds something else. What the JSON means is read elsewhere.
import { constants as fileFlags } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, constants as zlib } from "node:zlib";
import { scanJson } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { unzipped } from "../../base/unzipped.ts";
import { attachBodies, besideFile } from "./attached_bodies.ts";
import { fileText } from "./file_text.ts";
import { cutOffError, type OnRemark, oneHar, parsedHar, withoutCall } from "./har_document.ts";
import { isZip, ZipArchive } from "./zip_archive.ts";
import { zippedHars } from "./zipped_har.ts";

/**
 * More than a page load ever is. Text, parsed values and the page made of them are in memory together, and V8 has no text
 * of more than 536 million characters. SECURITY.md lists these.
 */
const maximumHar_bytes = 500e6;
/** What is compressed may come to as many times its size, and to `freely_bytes` in any case. */
const mostRatio = 50;
const freely_bytes = 64e6;

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

/** `<(zcat shop.har.gz)` and /dev/stdin: open already, and so no one is waited for. */
const isDescriptor = (path: string): boolean => /^\/(dev\/(fd\/\d+|stdin)|proc\/(self|\d+)\/fd\/\d+)$/.test(path);

async function readFileWithin(path: string, limit_bytes: number): Promise<Buffer> {
  // A pipe without a writer would be waited for without an end.
  const file = await open(path, isDescriptor(path) ? "r" : fileFlags.O_RDONLY | fileFlags.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw new UserError(`${path}: is a folder: name the HAR file in it`);
    if (!found.isFile() && !isDescriptor(path))
      throw new UserError(
        `${path}: is ${found.isFIFO() ? "a pipe" : "a device"}, not a file: pipe it in (\`... | trilane import -\`)`,
      );
    // Said before half a gigabyte is read in vain; a pipe has no size.
    if (found.size > limit_bytes) throw tooLarge(path, limit_bytes);
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
    if (code === "EACCES") throw new UserError(`${path}: may not be read: check the file's permissions`);
    if (code === "ENXIO" || code === "EAGAIN")
      throw new UserError(`${path}: is not a regular file: name a .har or .har.gz file, or - for standard input`);
    throw error;
  }
}

function cutOffGzip(content: Buffer, name: string, limit_bytes: number): UserError {
  try {
    const { Z_SYNC_FLUSH } = zlib;
    const { utf8 } = fileText(gunzipSync(content, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: limit_bytes }));
    const { isCutOff, wholeObjects } = scanJson(utf8, "entries");
    if (isCutOff)
      return cutOffError(name, `(its gzip ends at byte ${content.length}) at byte`, utf8.length, wholeObjects);
  } catch {
    // what is there cannot be read
  }
  return new UserError(`${name}: gzip is cut off: save or copy the file again`);
}

const looksLikeText = (content: Buffer): boolean => !content.subarray(0, 64).some((byte) => byte < 9);

/** Brotli has no mark of its own. */
function withoutBrotli(content: Buffer, path: string, limit_bytes: number): Buffer {
  if (!/\.br$/i.test(path) && looksLikeText(content)) return content;
  try {
    return brotliDecompressSync(content, { maxOutputLength: limit_bytes });
  } catch {
    return content; // who reads it says what it is not
  }
}

/** A server that compressed a .gz once more. */
const mostWrappings = 3;

function unpacked(content: Buffer, path: string, limit_bytes: number, wrappings = 1): Buffer {
  const name = inputName(path);
  const most_bytes = Math.min(limit_bytes, Math.max(freely_bytes, mostRatio * content.length));
  const whole = unzipped(content, name, most_bytes, {
    tooLarge: () =>
      most_bytes === limit_bytes
        ? tooLarge(name, limit_bytes)
        : new UserError(
            `${name}: unpacks to more than ${mostRatio} times its size, and more than ${freely_bytes / 1e6} MB: unpack it first if it is yours`,
          ),
    cutOff: () => cutOffGzip(content, name, most_bytes),
  });
  if (whole === content) return withoutBrotli(content, path, most_bytes);
  return wrappings < mostWrappings ? unpacked(whole, path, most_bytes, wrappings + 1) : whole;
}

interface Contents {
  /** A HAR's JSON; undefined: the file holds something else. */
  readonly json: unknown;
  /** null: it is a zip. */
  readonly text: string | null;
}

/** `isAny`: a text that does not begin like JSON is none of our business. */
async function contents(path: string, limit_bytes: number, onRemark: OnRemark, isAny: boolean): Promise<Contents> {
  const name = inputName(path);
  const content = await contentOf(path, limit_bytes);
  if (isZip(content)) {
    try {
      return { json: oneHar(await zippedHars(new ZipArchive(content), name, onRemark)), text: null };
    } catch (error) {
      if (error instanceof UserError && !error.message.startsWith(name))
        throw new UserError(`${name}: ${error.message}`);
      throw error;
    }
  }
  const { utf8, remark } = fileText(unpacked(content, path, limit_bytes));
  if (isAny && !looksLikeJson(utf8)) return { json: undefined, text: utf8.toString("utf8") };
  if (isBlank(utf8)) throw new UserError(`${name}: is empty: save the recording again`);
  const json = oneHar(parsedHar(utf8, name));
  if (remark !== null) onRemark(remark);
  await attachBodies(json, path === "-" ? async () => null : besideFile(path), onRemark);
  return { json, text: null };
}

const isBlank = (text: Buffer): boolean => !text.some((byte) => byte > 0x20);

const looksLikeJson = (text: Buffer): boolean => /^\s*[[{]/.test(withoutCall(text).toString("latin1", 0, 256));

/**
 * The parsed JSON of the HAR at `path`, with the bodies that lie beside it.
 * @throws UserError, naming the file, for one that is none or, unpacked, too large.
 */
export async function readHar(
  path: string,
  limit_bytes = maximumHar_bytes,
  onRemark: OnRemark = () => {},
): Promise<unknown> {
  return (await contents(path, limit_bytes, onRemark, false)).json;
}

/** A HAR's JSON, or the text of a file that is none. @throws as readHar() */
export async function readHarOrText(path: string): Promise<Contents> {
  return await contents(path, maximumHar_bytes, () => {}, true);
}

/** Whether a name is of a file that an import would read as a HAR. */
export const isHarFile = async (path: string): Promise<boolean> =>
  ((await stat(path).catch(() => null))?.isFile() ?? false) && /\.(harp?(\.(gz|zst|br))?|zip)$/i.test(path);
