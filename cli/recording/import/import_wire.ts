// From a recording of the wire to one of the archive's: bodies go through chunk by chunk, and are never in memory whole.
// How recorders store exchanges is read elsewhere (mahimahi.ts, wpr.ts).
import { UserError } from "../../base/errors.ts";
import type { Archive, Exchange, Json, JsonObject, Recording } from "../archive/archive.ts";
import { contentEncoding } from "../fill/content_encoding.ts";
import { Addresses, hostOf } from "./addresses.ts";
import { checkedEncoding } from "./encoding_check.ts";
import { type Credentials, cleanHeaders, legalMethod, legalPath } from "./headers.ts";
import { type Body, ChunkError, valueIn } from "./http_message.ts";
import { asEntry, type WireExchange, type WireRecording } from "./wire_exchange.ts";
import { WireCounter, type WireNotes } from "./wire_notes.ts";
import { selectWire } from "./wire_select.ts";

interface WireImport {
  readonly name: string;
  readonly replace: boolean;
  readonly url: string | undefined;
  readonly document: number | undefined;
  /** Default: redacted. */
  readonly credentials?: Credentials | undefined;
  /** Noted in the recording beside what is counted here. */
  readonly moreNotes?: JsonObject;
  readonly onExchange?: (done: number, total: number) => void;
}

/** Statuses and methods whose responses have no body, whatever was stored (RFC 9110 6.4.1). */
const hasNoBody = ({ method, status }: WireExchange): boolean => method === "HEAD" || status === 204 || status === 205;

interface Seen {
  size: number;
  encoded: boolean;
}

/** The bytes of a body as they are stored. What is seen of them is in `seen` when they have passed. */
async function* bytesOf(body: Body, exchange: WireExchange, part: string, seen: Seen): AsyncGenerator<Buffer> {
  const header = part === "response" ? valueIn(exchange.responseHeaders, "content-encoding") : undefined;
  const encoding = contentEncoding(header);
  const report = (isEncoded: boolean): void => {
    seen.encoded = isEncoded;
  };
  try {
    for await (const chunk of encoding ? checkedEncoding(body.chunks(), encoding, report) : body.chunks()) {
      seen.size += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof ChunkError)) throw error;
    throw new UserError(
      `${exchange.name}: ${part} body has malformed chunks (${error.message}, byte ${error.position}): record the page again`,
    );
  }
}

function mustBeLegal({ name }: WireExchange, { method, path, status }: Exchange): void {
  const refuse = (what: string): UserError => new UserError(`${name}: ${what}: record the page again`);
  if (!legalMethod.test(method)) throw refuse("has a method that is not one of HTTP");
  if (!legalPath.test(path)) throw refuse("has a path that HTTP cannot carry");
  if (status < 200 || status > 999) throw refuse(`has status ${status}`);
}

/**
 * Stores the recording whole or not at all. UserError where the name is taken and `replace` is not given, or where an
 * exchange is not to be had; its message names the exchange and not the file.
 */
export async function storeWire(
  archive: Archive,
  recording: WireRecording,
  { name, replace, url, document, credentials = "redacted", moreNotes = {}, onExchange }: WireImport,
): Promise<{ recording: Recording; notes: WireNotes }> {
  const selection = selectWire(recording, { url, document });
  const addresses = new Addresses(selection.kept.map(asEntry));
  const counter = new WireCounter();
  let notes = counter.finish(selection, recording.failedUrls, addresses.counts);
  const about = { name, url: selection.url, source: recording.source, notes: { ...notes, ...moreNotes }, replace };
  const written = await archive.write(about, async (writer) => {
    for (const [index, exchange] of selection.kept.entries()) {
      const request = cleanHeaders(exchange.requestHeaders, "request", credentials);
      const response = cleanHeaders(
        exchange.responseHeaders,
        exchange.method === "HEAD" ? "answer to HEAD" : "response",
        credentials,
      );
      const address = addresses.of(asEntry(exchange));
      const https = exchange.url.protocol === "https:";
      const cutOff = exchange.responseBody.cutOff && !hasNoBody(exchange);
      const seen: Seen = { size: 0, encoded: true };
      const recorded: Record<string, Json> = {
        ...exchange.facts,
        protocol: exchange.protocol,
        mime_type: valueIn(exchange.responseHeaders, "content-type") ?? null,
        status: exchange.status,
        cut_off: cutOff,
        ...(response.unsent.length > 0 ? { unsent_headers: response.unsent.map((header) => [...header]) } : {}),
        ...(address.replaced !== null ? { address_recorded: address.replaced } : {}),
      };
      const stored: Exchange = {
        method: exchange.method,
        scheme: https ? "https" : "http",
        host: hostOf(asEntry(exchange)),
        port: exchange.url.port === "" ? (https ? 443 : 80) : Number(exchange.url.port),
        path: `${exchange.url.pathname}${exchange.url.search}`,
        request_headers: request.headers,
        address: address.given,
        status: exchange.status,
        response_headers: response.headers,
        body_origin: "recorded",
        recorded,
      };
      mustBeLegal(exchange, stored);
      async function* body(): AsyncGenerator<Buffer> {
        if (!hasNoBody(exchange)) yield* bytesOf(exchange.responseBody, exchange, "response", seen);
        // The exchange is sent after its body.
        recorded.transfer_size = seen.size;
        recorded.transfer_size_from = "wire";
        const { trailers } = exchange.responseBody.trailers;
        const clean = cleanHeaders(trailers, "response", credentials).headers;
        if (clean.length > 0) recorded.trailers = clean.map((trailer) => [...trailer]);
      }
      const requestBody = bytesOf(exchange.requestBody, exchange, "request", { size: 0, encoded: true });
      await writer.add({ exchange: stored, body: body(), requestBody });
      counter.add({
        illegalHeaders: request.illegal + response.illegal,
        redactedHeaders: request.redacted + response.redacted,
        cutOff,
      });
      counter.addBody(exchange.url.href, seen);
      onExchange?.(index + 1, selection.kept.length);
    }
    notes = counter.finish(selection, recording.failedUrls, addresses.counts);
    writer.note({ ...notes, ...moreNotes });
  });
  return { recording: written, notes };
}
