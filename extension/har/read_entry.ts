// One entry of anybody's HAR -> an entry as Trilane has them. Lenient: what is missing or of another type is as if it had
// not been given; only an entry without a URL is none. Pure.
import type { HarEntry, HarHeader } from "../../schemas/generated/page_load.ts";
import { cookiesOf, harRequest } from "../capture/messages.ts";
import { maxArrivals } from "../capture/requests.ts";
import { urlWithoutCredentials } from "../capture/url_without_credentials.ts";
import { dateTime_ms } from "./date_time.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const wholeOf = (value: unknown, least: number): number | null => {
  const number = numberOf(value);
  return number === null || number < least ? null : Math.round(number);
};
const phaseOf = (value: unknown): number => Math.max(-1, numberOf(value) ?? -1);
const partOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);

/** Connection ids are text in HAR, and numbers in some programs' files. */
const idOf = (value: unknown): string | null =>
  typeof value === "number" ? String(value) : typeof value === "string" && value !== "" && value !== "0" ? value : null;

/** ALPN names for what programs write: "HTTP/1.1", "http/2.0", "h3-29", "HTTP/3". */
export function protocolName(text: string | null): string | null {
  const name = (text ?? "").trim().toLowerCase();
  if (name === "" || name === "unknown" || name === "data" || name === "blob") return null;
  if (/^(http\/2(\.0)?|h2c?|spdy.*)$/.test(name)) return "h2";
  if (/^(http\/3(\.0)?|h3|h3-.*|.*quic.*|hq.*)$/.test(name)) return "h3";
  if (/^http\/1\.[01]$/.test(name)) return name;
  return name;
}

function headersOf(value: unknown): HarHeader[] {
  return listOf(value).flatMap((header) => {
    const { name, value: text } = fieldsOf(header);
    return typeof name === "string" && typeof text === "string" ? [{ name, value: text }] : [];
  });
}

const typeByMime: readonly [RegExp, string][] = [
  [/html/i, "document"],
  [/css/i, "stylesheet"],
  [/javascript|ecmascript/i, "script"],
  [/^image\//i, "image"],
  [/font|woff/i, "font"],
  [/^(video|audio)\//i, "media"],
  [/json|xml/i, "xhr"],
];

function resourceType(raw: Fields, mimeType: string): string {
  const given = textOf(raw._resourceType) ?? textOf(raw._request_type);
  if (given) return given.toLowerCase();
  return typeByMime.find(([pattern]) => pattern.test(mimeType))?.[1] ?? "other";
}

function initiatorOf(value: unknown): HarEntry["_initiator"] {
  const { type, url: given, lineNumber } = fieldsOf(value);
  const line = numberOf(lineNumber);
  const url = textOf(given) ?? (textOf(value) || null);
  return {
    type: textOf(type) ?? (typeof value === "string" && value !== "" ? "script" : "other"),
    ...(url === null ? {} : { url: urlWithoutCredentials(url) }),
    ...(line === null ? {} : { lineNumber: line }),
  };
}

function responseOf(raw: Fields): HarEntry["response"] {
  const response = fieldsOf(raw.response);
  const content = fieldsOf(response.content);
  const headers = headersOf(response.headers);
  const status = wholeOf(response.status, 0) ?? 0;
  const headersSize = wholeOf(response.headersSize, -1) ?? -1;
  const bodySize = wholeOf(response.bodySize, -1) ?? -1;
  const transferred = wholeOf(response._transferSize, 0) ?? Math.max(0, headersSize) + Math.max(0, bodySize);
  const compression = wholeOf(content.compression, Number.MIN_SAFE_INTEGER);
  const byWorker = response._fetchedViaServiceWorker === true || raw._fetchedViaServiceWorker === true;
  return {
    status: status <= 999 ? status : 0,
    statusText: textOf(response.statusText) ?? "",
    httpVersion: textOf(response.httpVersion) ?? "",
    cookies: cookiesOf(headers, "set-cookie"),
    headers,
    content: {
      size: wholeOf(content.size, 0) ?? 0,
      ...(compression === null ? {} : { compression }),
      mimeType: textOf(content.mimeType) || "x-unknown",
    },
    redirectURL: urlWithoutCredentials(textOf(response.redirectURL) ?? ""),
    headersSize,
    bodySize,
    _transferSize: transferred,
    _error: textOf(response._error) || null,
    ...(byWorker ? { _fetchedViaServiceWorker: true } : {}),
  };
}

const caches = ["memory", "disk", "prefetch", "shared", "cache"] as const satisfies HarEntry["_fromCache"][];

function cacheOf(raw: Fields): HarEntry["_fromCache"] | undefined {
  const given = raw._fromCache ?? raw.fromCache ?? raw._cached;
  return given === true || given === 1 ? "cache" : caches.find((cache) => cache === given);
}

const portOf = (url: string): number | null => {
  const port = URL.parse(url)?.port ?? "";
  return port === "" ? null : Number(port);
};

/** Pairs of a time and a size, as our own HARs have them. */
function arrivalsOf(value: unknown): number[] {
  const numbers = listOf(value).map(numberOf);
  const known = numbers.filter((number) => number !== null && number >= 0) as number[];
  return known.length === numbers.length && known.length % 2 === 0 && known.length <= 2 * maxArrivals ? known : [];
}

/** null where it is no request over HTTP. `pageStart_ms`: since the epoch; null: the entry's own start is the page's. */
export function readEntry(value: unknown, place: number, pageStart_ms: number | null): HarEntry | null {
  const raw = fieldsOf(value);
  const request = fieldsOf(raw.request);
  const given = textOf(raw._full_url) ?? textOf(request.url);
  if (given === null || !/^https?:\/\//i.test(given)) return null;
  const url = urlWithoutCredentials(given);
  const response = responseOf(raw);
  const timings = fieldsOf(raw.timings);
  const phases = {
    blocked: partOf(timings.blocked),
    dns: phaseOf(timings.dns),
    connect: phaseOf(timings.connect),
    ssl: phaseOf(timings.ssl),
    send: partOf(timings.send),
    wait: partOf(timings.wait),
    receive: partOf(timings.receive),
    _blocked_queueing: phaseOf(timings._blocked_queueing),
  };
  const sum_ms =
    phases.blocked + Math.max(0, phases.dns) + Math.max(0, phases.connect) + phases.send + phases.wait + phases.receive;
  const time_ms = Math.max(sum_ms, partOf(raw.time));
  const start_ms = dateTime_ms(textOf(raw.startedDateTime) ?? "") ?? pageStart_ms ?? 0;
  const facts = fieldsOf(raw._trilane);
  const offset_ms = numberOf(facts.startOffset_ms) ?? start_ms - (pageStart_ms ?? start_ms);
  const toNs = (time: number): number => Math.round(time * 1e6);
  const protocol = protocolName(textOf(raw._protocol)) ?? protocolName(response.httpVersion);
  const connection = idOf(raw._connectionId) ?? idOf(raw.connection) ?? idOf(raw._socket);
  const method = (textOf(request.method) ?? "GET").toUpperCase();
  const headers = headersOf(request.headers);
  const post = fieldsOf(request.postData);
  const postText = textOf(post.text);
  const port = wholeOf(facts.serverPort, 0) ?? portOf(url);
  const frame = textOf(facts.frame);
  const alternate = textOf(facts.alternateProtocol);
  const arrivals = arrivalsOf(facts.arrivals);
  const priority = textOf(raw._priority);
  const address = textOf(raw.serverIPAddress)?.replace(/^\[|\]$/g, "");
  const fromCache = cacheOf(raw);
  return {
    pageref: "page_1",
    startedDateTime: new Date(start_ms).toISOString(),
    time: time_ms,
    request: harRequest(method, url, textOf(request.httpVersion) ?? "", headers, {
      ...(postText === null ? {} : { postData: { mimeType: textOf(post.mimeType) ?? "", text: postText } }),
      headersSize: wholeOf(request.headersSize, -1) ?? -1,
      bodySize: wholeOf(request.bodySize, -1) ?? -1,
    }),
    response,
    cache: {},
    timings: phases,
    ...(address ? { serverIPAddress: address } : {}),
    ...(connection ? { connection, _connectionId: connection } : {}),
    ...(protocol ? { _protocol: protocol } : {}),
    ...(priority ? { _priority: priority } : {}),
    _resourceType: resourceType(raw, response.content.mimeType),
    _initiator: initiatorOf(raw._initiator),
    ...(fromCache ? { _fromCache: fromCache } : {}),
    _trilane: {
      requestId: textOf(facts.requestId) ?? `entry_${place + 1}`,
      frame: frame === "child" || frame === "worker" ? frame : "main",
      documentUrl: urlWithoutCredentials(textOf(facts.documentUrl) ?? ""),
      start_ns: toNs(offset_ms),
      startOffset_ms: offset_ms,
      response_ns: response.status === 0 ? null : toNs(offset_ms + time_ms - phases.receive),
      end_ns: facts.end_ns === null ? null : toNs(offset_ms + time_ms),
      complete: typeof facts.complete === "boolean" ? facts.complete : response._error === null && response.status > 0,
      canceled: facts.canceled === true,
      blocked: textOf(facts.blocked),
      connectionReused: typeof facts.connectionReused === "boolean" ? facts.connectionReused : null,
      serverPort: port,
      ...(arrivals.length === 0 ? {} : { arrivals }),
      ...(alternate === null ? {} : { alternateProtocol: alternate }),
    },
  };
}
