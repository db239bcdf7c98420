// What a recording keeps of an exchange beyond what is replayed byte for byte: schemas/recorded.schema.json. Pure.

import { headerLine } from "../../../extension/capture/early_hints.ts";
import { urlWithoutCredentials, withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { isRecord, type JsonRecord, numberField, textField } from "../../base/json_fields.ts";
import type { Header, JsonObject } from "../archive/archive.ts";
import type { Address } from "./addresses.ts";
import type { Body } from "./body.ts";
import type { HarEntry, HarPage } from "./har.ts";
import { type Credentials, cleanHeaders } from "./headers.ts";
import type { Certificate, EarlyHint } from "./wire_exchange.ts";

// What a HAR says of who requested a request, in the forms of its producers: Chrome's `_initiator` (an object with the
// script's call stack), chrome-har's and WebPageTest's (a URL, with line and type in fields of their own). Pure; looks up no
// request.

/** schemas/recorded.schema.json has it as `initiator`. */
export type RecordedInitiator = {
  /** parser, script, preload, preflight, other, ...; null: not known. */
  readonly type: string | null;
  /** Of documents, stylesheets and scripts, the nearest first: of a script, those on its call stack. */
  readonly urls: readonly string[];
  /** Of the first URL, from 0. */
  readonly line: number | null;
};

/** A call stack of a hostile file has no end. */
const mostFrames = 64;
const mostUrls = 8;

const isAsker = (url: string | null): url is string => url !== null && /^https?:\/\//i.test(url) && URL.canParse(url);

const bareUrl = (url: string): string => withoutFragment(urlWithoutCredentials(url));

/** The URLs of a CDP call stack and of what it was begun by, the innermost first. */
function stackUrls(stack: unknown): string[] {
  const urls: string[] = [];
  let frames = 0;
  for (let part = stack; isRecord(part) && frames < mostFrames; part = part.parent) {
    frames++;
    const calls: readonly unknown[] = Array.isArray(part.callFrames) ? part.callFrames : [];
    for (const call of calls.slice(0, mostFrames)) {
      const url = isRecord(call) ? textField(call, "url") : null;
      if (isAsker(url)) urls.push(url);
    }
  }
  return urls;
}

/** chrome-har keeps DevTools' object as text. */
function detailOf(raw: JsonRecord): JsonRecord | null {
  if (isRecord(raw._initiator)) return raw._initiator;
  const text = textField(raw, "_initiator_detail");
  if (text === null) return null;
  try {
    const detail: unknown = JSON.parse(text);
    return isRecord(detail) ? detail : null;
  } catch {
    return null;
  }
}

/** Null where the HAR does not say. */
export function initiatorOf({ raw }: Pick<HarEntry, "raw">): RecordedInitiator | null {
  const detail = detailOf(raw);
  const named = [
    ...(detail ? [textField(detail, "url"), ...stackUrls(detail.stack)] : []),
    textField(raw, "_initiator"),
  ].filter(isAsker);
  const urls = [...new Set(named.map(bareUrl))].slice(0, mostUrls);
  const type = (detail && textField(detail, "type")) ?? textField(raw, "_initiator_type");
  if (urls.length === 0 && (type === null || type === "other")) return null;
  const line = (detail && numberField(detail, "lineNumber")) ?? numberField(raw, "_initiator_line");
  return { type: type?.toLowerCase() ?? null, urls, line: line !== null && line >= 0 ? Math.floor(line) : null };
}

/** As `recorded` of an archived exchange keeps it; null where there is none. */
export function readInitiator(recorded: JsonObject): RecordedInitiator | null {
  const { initiator } = recorded;
  if (!isRecord(initiator)) return null;
  const urls = Array.isArray(initiator.urls) ? initiator.urls : [];
  return {
    type: textField(initiator, "type"),
    urls: urls.filter((url): url is string => typeof url === "string").filter(isAsker),
    line: numberField(initiator, "line"),
  };
}

// The 103 responses (Early Hints) of an entry as a recording keeps them: from what was seen of the wire, or as WebPageTest and
// Trilane's own HARs have them (`_early_hint_headers`: "link: ..."), whose times are not known.

/** A hostile file has no end of them. */
const mostLines = 256;

function hintsOf({ wire, raw }: HarEntry): readonly EarlyHint[] {
  if (wire?.hints) return wire.hints;
  const lines: unknown = raw._early_hint_headers;
  if (!Array.isArray(lines)) return [];
  const headers = lines.slice(0, mostLines).flatMap((line) => (typeof line === "string" ? [headerLine(line)] : []));
  return [{ headers: headers.filter((header) => header !== null), before_ms: null }];
}

/** `server_time_ms`: the server's own for the final response; null: not known, and so are those of its hints. */
export function recordedHints(
  entry: HarEntry,
  server_time_ms: number | null,
  credentials: Credentials,
): readonly JsonObject[] {
  return hintsOf(entry).flatMap(({ headers, before_ms }): JsonObject[] => {
    const named = headers.map(([name, value]) => ({ name, value }));
    const cleaned = cleanHeaders(named, "response", credentials).headers;
    const isTimed = server_time_ms !== null && before_ms !== null;
    const time_ms = isTimed ? Math.max(0, Math.round((server_time_ms - before_ms) * 1000) / 1000) : null;
    return cleaned.length === 0 ? [] : [{ time_ms, headers: cleaned }];
  });
}

// Which of a HAR's exchanges went over one connection: the producers' names for it. Pure.

/** HAR's own field may hold the server's port, as browsers write it: that distinguishes no connection from another. Null: not known. */
export function connectionOf({ raw, url }: HarEntry): string | number | null {
  const named = textField(raw, "connection");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return textField(raw, "_connectionId") ?? (named === port ? null : named) ?? numberField(raw, "_socket");
}

const protocols: readonly (readonly [RegExp, string])[] = [
  [/^(h3|http\/3|quic)/i, "h3"],
  [/^(h2|http\/2|spdy)/i, "h2"],
  [/^http\/1\.0/i, "http/1.0"],
  [/^http\/1/i, "http/1.1"],
];

function protocolOf({ raw, request, response }: HarEntry): string | null {
  const named =
    textField(raw, "_protocol") ?? textField(response, "httpVersion") ?? textField(request, "httpVersion") ?? "";
  return protocols.find(([pattern]) => pattern.test(named))?.[1] ?? null;
}

function timingsOf({ raw }: HarEntry): Readonly<Record<string, number>> | null {
  if (!isRecord(raw.timings)) return null;
  const timings: Record<string, number> = {};
  for (const name of ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]) {
    const value = numberField(raw.timings, name);
    if (value !== null) timings[name] = value;
  }
  return timings;
}

/** To microseconds. */
const rounded = (time_ms: number): number => Math.round(time_ms * 1000) / 1000;

/** "TLS 1.3" for QUIC too, which has no other. */
function tlsVersion({ raw, wire }: HarEntry): string | null {
  const named = wire?.tlsVersion ?? textField(raw, "_tls_version");
  if (named === null) return null;
  if (/quic/i.test(named)) return "TLS 1.3";
  return /^TLS ?v?(1\.\d)$/i.test(named) ? named.replace(/^TLS ?v?/i, "TLS ") : named;
}

function tlsOf(entry: HarEntry, ofHar: Certificate | null): JsonObject | null {
  const version = tlsVersion(entry);
  const certificate = entry.wire?.certificate ?? ofHar;
  if (entry.url.protocol !== "https:" || (version === null && certificate === null)) return null;
  return {
    version,
    names: [...(certificate?.names ?? [])],
    issuer: certificate?.issuer ?? null,
    chain_bytes: certificate?.chain_bytes ?? null,
    ...(certificate?.record_bytes ? { record_bytes: certificate.record_bytes } : {}),
    ...(certificate?.group ? { group: certificate.group } : {}),
  };
}

/** What the extension's capture writes. */
function frameOfTrilane({ raw }: HarEntry): string | null {
  return isRecord(raw._trilane) ? textField(raw._trilane, "documentUrl") : null;
}

interface RecordedParts {
  readonly entry: HarEntry;
  readonly body: Body;
  readonly page: HarPage | null;
  /** What the HAR knows of its server's. */
  readonly certificate: Certificate | null;
  readonly address: Address;
  readonly rtt_ms: number | null;
  /** The server's own, as ServerTimes says it. */
  readonly server_time_ms: number | null;
  /** As schemas/recorded.schema.json has `early_hints`. */
  readonly hints?: readonly JsonObject[];
  /** Response headers that no lane sends. */
  readonly unsent?: readonly Header[];
}

export function recordedOf(parts: RecordedParts): JsonObject {
  const { entry, body, page, certificate, address, rtt_ms, server_time_ms, hints = [], unsent = [] } = parts;
  const { raw, request, response, content, wire } = entry;
  const start = page?.started_ms ?? null;
  const timings = timingsOf(entry);
  const tls = tlsOf(entry, certificate);
  const initiator = initiatorOf(entry);
  const frame = textField(raw, "_documentURL") ?? frameOfTrilane(entry);
  const trailers: readonly Header[] = wire?.trailers ?? [];
  const visits = numberField(raw, "_visits");
  return {
    entry: entry.index,
    protocol: protocolOf(entry),
    resource_type: textField(raw, "_resourceType") ?? textField(raw, "_request_type")?.toLowerCase() ?? null,
    mime_type: textField(content, "mimeType"),
    status: entry.status,
    transfer_size: body.transfer.body_bytes,
    transfer_size_from: body.transfer.source,
    decoded_size: body.decoded_bytes,
    request_headers_size: numberField(request, "headersSize"),
    response_headers_size: numberField(response, "headersSize"),
    priority: textField(raw, "_priority") ?? textField(raw, "_initialPriority") ?? textField(raw, "_initial_priority"),
    connection: connectionOf(entry),
    timings,
    server_time_ms,
    ...(hints.length > 0 ? { early_hints: [...hints] } : {}),
    rtt_ms: rtt_ms === null ? null : rounded(rtt_ms),
    start_offset_ms: start !== null && entry.started_ms !== null ? entry.started_ms - start : null,
    filled_with: body.filledWith,
    cut_off: body.cutOff,
    ...(wire?.isReadPartly ? { read_partly: true } : {}),
    ...(initiator ? { initiator } : {}),
    ...(frame && URL.canParse(frame) ? { document_url: urlWithoutCredentials(frame) } : {}),
    ...(tls ? { tls } : {}),
    ...(trailers.length > 0 ? { trailers } : {}),
    ...(visits !== null && Number.isInteger(visits) && visits >= 1 ? { visits } : {}),
    ...(unsent.length > 0 ? { unsent_headers: unsent } : {}),
    ...(address.replaced !== null ? { address_recorded: address.replaced } : {}),
  };
}
