// A folder that Mahimahi's mm-webrecord wrote: a file for each exchange, a protobuf `RequestResponse` with the server's
// address and both messages, headers apart and bodies as on the wire. Names of files say nothing of their order.
import type { Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import type { NameValue } from "./har.ts";
import { type Body, bodyIn, headerText, requestIn, statusIn, valueIn } from "./http_message.ts";
import { ProtobufError, ProtobufFile } from "./protobuf.ts";
import type { ByteRange } from "./spool.ts";
import type { WireExchange, WireRecording } from "./wire_exchange.ts";

/** More than any server's headers together. */
const longestHead_bytes = 1024 * 1024;

interface Message {
  readonly firstLine: string;
  readonly headers: readonly NameValue[];
  readonly body: Body;
}

interface RequestResponse {
  ip: string;
  port: number;
  /** 1: http, 2: https. */
  scheme: number;
  request: ByteRange | null;
  response: ByteRange | null;
}

async function textOf(file: ProtobufFile, range: ByteRange): Promise<string> {
  if (range.size > longestHead_bytes)
    throw new ProtobufError(`has a line of ${range.size} bytes at byte ${range.start}`);
  return headerText(await file.bytes(range));
}

async function headerOf(file: ProtobufFile, range: ByteRange): Promise<NameValue> {
  const header = { name: "", value: "" };
  for await (const field of file.fields(range)) {
    if (field.kind !== "bytes") continue;
    if (field.number === 1) header.name = await textOf(file, field.bytes);
    if (field.number === 2) header.value = (await textOf(file, field.bytes)).trim();
  }
  return header;
}

async function messageOf(file: ProtobufFile, range: ByteRange): Promise<Message> {
  let firstLine = "";
  let body = range.slice(0, 0);
  let head_bytes = 0;
  const headers: NameValue[] = [];
  for await (const field of file.fields(range)) {
    if (field.kind !== "bytes") continue;
    if (field.number === 1) firstLine = (await textOf(file, field.bytes)).trim();
    if (field.number === 2) {
      head_bytes += field.bytes.size;
      if (head_bytes > longestHead_bytes) throw new ProtobufError(`has headers of over ${longestHead_bytes} bytes`);
      headers.push(await headerOf(file, field.bytes));
    }
    if (field.number === 3) body = field.bytes;
  }
  return { firstLine, headers, body: await bodyIn(body, headers) };
}

async function recordOf(file: ProtobufFile): Promise<RequestResponse> {
  const record: RequestResponse = { ip: "", port: 0, scheme: 0, request: null, response: null };
  for await (const field of file.fields(file.whole)) {
    if (field.kind === "number" && field.number === 2) record.port = field.value;
    if (field.kind === "number" && field.number === 3) record.scheme = field.value;
    if (field.kind !== "bytes") continue;
    if (field.number === 1) record.ip = await textOf(file, field.bytes);
    if (field.number === 4) record.request = field.bytes;
    if (field.number === 5) record.response = field.bytes;
  }
  return record;
}

/** Where the request went; null where that is no URL. */
function urlOf({ ip, port, scheme }: RequestResponse, target: string, headers: readonly NameValue[]): URL | null {
  if (/^https?:\/\//i.test(target)) return URL.parse(target);
  const https = scheme === 2 || (scheme === 0 && port === 443);
  const host = valueIn(headers, "host") ?? (ip.includes(":") ? `[${ip}]` : ip);
  const hasPort = /:\d+$/.test(host.replace(/^\[[^\]]*\]/, ""));
  const usual = https ? 443 : 80;
  const authority = hasPort || port === usual || port < 1 || port > 65_535 ? host : `${host}:${port}`;
  if (authority === "" || !target.startsWith("/") || /[/?#@\\\s]/.test(authority)) return null;
  return URL.parse(`${https ? "https" : "http"}://${authority}${target}`);
}

async function readExchange(path: string, name: string, entry: number): Promise<WireExchange | null> {
  const refuse = (what: string): UserError =>
    new UserError(`${path}: ${what}: record the page again, or take the file out of the folder`);
  const handle = await open(path);
  try {
    const file = new ProtobufFile(handle, path, (await handle.stat()).size);
    const record = await recordOf(file);
    if (!record.request || !record.response) throw refuse("holds no request and response of Mahimahi's");
    const [request, response] = [await messageOf(file, record.request), await messageOf(file, record.response)];
    const line = requestIn(request.firstLine);
    if (!line) throw refuse("holds no request line");
    const status = statusIn(response.firstLine);
    if (status === null) throw refuse("holds no status line");
    // OPTIONS of a whole server, and CONNECT: no URL's.
    if (line.target === "*" || line.method === "CONNECT") return null;
    const url = urlOf(record, line.target, request.headers);
    if (!url) throw refuse("has no host, or a request for what is no URL");
    return {
      name,
      method: line.method,
      url,
      requestHeaders: request.headers,
      requestBody: request.body,
      status,
      responseHeaders: response.headers,
      responseBody: response.body,
      address: record.ip === "" ? null : record.ip,
      protocol: "http/1.1",
      facts: { entry },
    };
  } catch (error) {
    if (error instanceof ProtobufError) throw refuse(`${error.message}, so it is no recording of Mahimahi's`);
    throw error;
  } finally {
    await handle.close();
  }
}

/** The recordings among a folder's entries: files called save.*, as Mahimahi calls them, or else all files. */
function recordings(folder: string, entries: readonly Dirent[]): readonly Dirent[] {
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  const saved = files.filter(({ name }) => name.startsWith("save"));
  if (saved.length > 0) return saved;
  const other = files.find(({ name }) => /\.(har|wprgo)(\.gz)?$/i.test(name));
  if (other)
    throw new UserError(
      `${folder}: is no folder of Mahimahi's: name a file in it, such as ${join(folder, other.name)}`,
    );
  if (files.length > 0) return files;
  const inner = entries.find((entry) => entry.isDirectory());
  throw new UserError(
    inner
      ? `${folder}: holds folders and no recording: name one of them, such as ${join(folder, inner.name)}`
      : `${folder}: holds no file: name a folder that mm-webrecord wrote`,
  );
}

/** Reads all but the bodies. UserError names the file and what is wrong with it. */
export async function readMahimahi(
  folder: string,
  progress: (done: number, total: number) => void = () => {},
): Promise<WireRecording> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = recordings(folder, entries);
  const exchanges: WireExchange[] = [];
  let without = 0;
  for (const [index, name] of files
    .map((file) => file.name)
    .toSorted()
    .entries()) {
    const exchange = await readExchange(join(folder, name), name, index);
    if (exchange) exchanges.push(exchange);
    else without++;
    progress(index + 1, files.length);
  }
  const others = entries.length - files.length;
  const left = { "other files": others, "requests for no URL": without };
  return { source: "mahimahi", exchanges, failedUrls: [], left };
}
