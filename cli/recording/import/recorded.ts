// What a recording keeps of an exchange beyond what is replayed byte for byte: schemas/recorded.schema.json. Pure.
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { isRecord, numberField, textField } from "../../base/json_fields.ts";
import type { Header, JsonObject } from "../archive/archive.ts";
import type { Address } from "./addresses.ts";
import type { Body } from "./body.ts";
import { connectionOf } from "./connection.ts";
import type { HarEntry, HarPage } from "./har.ts";
import { initiatorOf } from "./initiators.ts";
import type { Certificate } from "./wire_facts.ts";

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
