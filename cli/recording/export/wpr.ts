// A recording as Web Page Replay reads it: gzipped JSON of Go's `Archive`, made piece by piece. Addresses, timings and
// certificates have no place in it; its replay makes certificates of its own.
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { ArchivedExchange } from "../archive/archive.ts";
import {
  authorityOf,
  headText,
  type RecordingSource,
  requestHeaders,
  requestLine,
  responseHeaders,
  statusLine,
  urlOf,
} from "./recording_source.ts";

/** Base64 of bytes that come in pieces: three at a time, so that only the end is padded. */
async function* base64(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = left.length > 0 ? Buffer.concat([left, piece]) : piece;
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield bytes.toString("base64", 0, whole);
    left = Buffer.from(bytes.subarray(whole));
  }
  if (left.length > 0) yield left.toString("base64");
}

async function* message(head: Buffer, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* body;
}

async function* archived(source: RecordingSource, exchange: ArchivedExchange): AsyncGenerator<string> {
  const request = headText(requestLine(exchange), requestHeaders(exchange, await source.requestBody_bytes(exchange)));
  const response = headText(statusLine(exchange), responseHeaders(exchange));
  yield '{"SerializedRequest":"';
  yield* base64(message(request, source.requestBody(exchange)));
  yield '","SerializedResponse":"';
  yield* base64(message(response, source.responseBody(exchange)));
  yield '","LastServedSessionId":0}';
}

/** Each element of `items` by `each`, with commas between. */
async function* list<Item>(items: Iterable<Item>, each: (item: Item) => AsyncIterable<string>): AsyncGenerator<string> {
  let first = true;
  for (const item of items) {
    if (!first) yield ",";
    first = false;
    yield* each(item);
  }
}

/** What a host's connections spoke: h3 is h2 for a server that has no other. */
function protocols(exchanges: readonly ArchivedExchange[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const { scheme, host, recorded } of exchanges)
    if (scheme === "https" && named[host] !== "h2")
      named[host] = recorded.protocol === "h2" || recorded.protocol === "h3" ? "h2" : "http/1.1";
  return named;
}

async function* jsonText(source: RecordingSource): AsyncGenerator<string> {
  const { exchanges, recording } = source;
  const byHost = Map.groupBy(exchanges, authorityOf);
  let repeated = false;
  yield '{"Requests":{';
  yield* list(byHost, async function* ([host, ofHost]) {
    yield `${JSON.stringify(host)}:{`;
    yield* list(Map.groupBy(ofHost, urlOf), async function* ([url, ofUrl]) {
      repeated ||= ofUrl.length > 1;
      yield `${JSON.stringify(url)}:[`;
      yield* list(ofUrl, (exchange) => archived(source, exchange));
      yield "]";
    });
    yield "}";
  });
  yield `},"Certs":{},"NegotiatedProtocol":${JSON.stringify(protocols(exchanges))}`;
  const seed_ms = Date.parse(recording.recorded_at ?? recording.created_at);
  yield `,"DeterministicTimeSeedMs":${seed_ms},"ServeResponseInChronologicalSequence":${repeated}`;
  yield ',"CurrentSessionId":0,"DisableFuzzyURLMatching":false}\n';
}

/** The bytes of the .wprgo file. */
export async function* wprPieces(source: RecordingSource): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 6 });
  const text = Readable.from(jsonText(source), { objectMode: true });
  text.on("error", (error) => gzip.destroy(error));
  for await (const piece of text.pipe(gzip)) yield piece as Uint8Array;
}
