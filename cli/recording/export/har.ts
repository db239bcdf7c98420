// A recording as a HAR 1.2 file of one page, for other tools: bodies decoded, with their sizes on the wire beside them. What
// HAR has no field for stands under `_trilane`.
import { strictUrl } from "../../../extension/har/reader_fields.ts";
import { version } from "../../base/version.ts";
import type { ArchivedExchange, Header, Json, JsonObject } from "../archive/archive.ts";
import { type ContentEncoding, contentEncoding, decode } from "../fill/content_encoding.ts";
import { authorityOf, hintsOf, type RecordingSource, responseHeaders, statusText, urlOf } from "./recording_source.ts";

/** A larger body is left out, with its size: a HAR's readers have it in memory as text. */
const largestBody_bytes = 64 * 1024 * 1024;

const field = (recorded: JsonObject, name: string): Json => recorded[name] ?? null;
const number = (value: Json | undefined): number | null => (typeof value === "number" ? value : null);
const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** null: its header lied when it was recorded. */
const decoded = (bytes: Buffer, encoding: ContentEncoding | null): Buffer | null =>
  encoding === null ? bytes : decode(bytes, encoding, 4 * largestBody_bytes);

/** As text where it is some, else as base64. */
function textOf(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  const text = bytes.toString("utf8");
  // The comparison refuses what is not UTF-8, and a byte order mark keeps its place.
  if (Buffer.from(text, "utf8").equals(bytes) && !text.includes("\0")) return { text };
  return { text: bytes.toString("base64"), encoding: "base64" };
}

async function collected(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

const valueIn = (headers: readonly Header[], name: string): string | undefined =>
  headers.find(([candidate]) => candidate === name)?.[1];

async function contentOf(source: RecordingSource, exchange: ArchivedExchange): Promise<JsonObject> {
  const { response_headers, body_size, recorded } = exchange;
  const mimeType = valueIn(response_headers, "content-type") ?? (field(recorded, "mime_type") as string | null) ?? "";
  if (body_size > largestBody_bytes)
    return { size: body_size, mimeType, comment: "left out: too large for a HAR's readers" };
  const bytes = await collected(source.responseBody(exchange));
  const plain = decoded(bytes, contentEncoding(valueIn(response_headers, "content-encoding")));
  if (!plain) return { size: bytes.length, mimeType, ...textOf(bytes), comment: "not in its content-encoding" };
  return { size: plain.length, mimeType, compression: plain.length - bytes.length, ...textOf(plain) };
}

async function postDataOf(source: RecordingSource, exchange: ArchivedExchange): Promise<JsonObject> {
  if (exchange.request_body_sha256 === null) return { bodySize: 0 };
  const bytes = await collected(source.requestBody(exchange));
  const { text, encoding } = textOf(bytes);
  const mimeType = valueIn(exchange.request_headers, "content-type") ?? "";
  const postData = { mimeType, text: text ?? "", params: [], ...(encoding ? { _encoding: encoding } : {}) };
  return { bodySize: bytes.length, postData };
}

const pairs = (headers: Iterable<readonly [string, string]>): JsonObject[] =>
  Array.from(headers, ([name, value]) => ({ name, value }));

const httpVersions: Readonly<Record<string, string>> = { h2: "h2", h3: "h3", "http/1.0": "HTTP/1.0" };

async function entryOf(source: RecordingSource, exchange: ArchivedExchange, start_ms: number): Promise<JsonObject> {
  const { recorded, status, response_headers, method, address } = exchange;
  const url = strictUrl(urlOf(exchange));
  const httpVersion = httpVersions[String(recorded.protocol)] ?? "HTTP/1.1";
  const timings = objectOf(recorded.timings);
  const phase = (name: string, unknown: number): number => Math.max(unknown, number(timings[name]) ?? unknown);
  const phases = {
    blocked: phase("blocked", -1),
    dns: phase("dns", -1),
    connect: phase("connect", -1),
    ssl: phase("ssl", -1),
    send: phase("send", 0),
    wait: phase("wait", 0),
    receive: phase("receive", 0),
  };
  // HAR's connect has ssl in it.
  const time = [phases.blocked, phases.dns, phases.connect, phases.send, phases.wait, phases.receive]
    .filter((value) => value > 0)
    .reduce((sum, value) => sum + value, 0);
  const connection = field(recorded, "connection");
  const priority = field(recorded, "priority");
  const resourceType = field(recorded, "resource_type");
  const hints = hintsOf(exchange).flatMap(({ headers }) => headers.map(([name, value]) => `${name}: ${value}`));
  return {
    pageref: "page_1",
    startedDateTime: new Date(start_ms + (number(recorded.start_offset_ms) ?? 0)).toISOString(),
    time,
    request: {
      method,
      url,
      httpVersion,
      headers: pairs([["host", authorityOf(exchange)], ...exchange.request_headers]),
      queryString: pairs(new URL(url).searchParams),
      cookies: [],
      headersSize: -1,
      ...(await postDataOf(source, exchange)),
    },
    response: {
      status,
      statusText: statusText(status),
      httpVersion,
      headers: pairs(responseHeaders(exchange)),
      cookies: [],
      content: await contentOf(source, exchange),
      redirectURL: status >= 300 && status < 400 ? (valueIn(response_headers, "location") ?? "") : "",
      headersSize: -1,
      bodySize: exchange.body_size,
    },
    cache: {},
    timings: phases,
    serverIPAddress: address,
    ...(connection === null ? {} : { connection: String(connection) }),
    ...(priority === null ? {} : { _priority: priority }),
    ...(resourceType === null ? {} : { _resourceType: resourceType }),
    ...(hints.length === 0 ? {} : { _early_hint_headers: hints }),
    _trilane: { seq: exchange.seq, body_origin: exchange.body_origin, recorded },
  };
}

/** The HAR file, an entry at a time. */
export async function* recordingHarPieces(source: RecordingSource): AsyncGenerator<string> {
  const { recording, exchanges } = source;
  const start_ms = Date.parse(recording.recorded_at ?? recording.created_at);
  const page = {
    id: "page_1",
    startedDateTime: new Date(start_ms).toISOString(),
    title: recording.url,
    pageTimings: { onContentLoad: -1, onLoad: -1 },
    _trilane: { recording: recording.name, digest: recording.digest, source: recording.source },
  };
  const log = { version: "1.2", creator: { name: "trilane", version }, pages: [page] };
  yield `{"log":${JSON.stringify(log).slice(0, -1)},"entries":[`;
  for (const [index, exchange] of exchanges.entries())
    yield `${index === 0 ? "" : ","}\n${JSON.stringify(await entryOf(source, exchange, start_ms))}`;
  yield "\n]}}\n";
}
