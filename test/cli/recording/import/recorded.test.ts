// What an exchange is recorded with beyond its bytes: server times, round trips, certificates; and bodies that were seen on
// the wire.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Ajv } from "ajv";
import type { NewExchange } from "../../../../cli/recording/archive/archive.ts";
import { type ImportOptions, importHar, importPage } from "../../../../cli/recording/import/import_har.ts";
import type { WireFacts } from "../../../../cli/recording/import/wire_exchange.ts";
import { onWire } from "./on_wire.ts";

const root = join(import.meta.dirname, "../../../..");
const schema = JSON.parse(readFileSync(join(root, "schemas/recorded.schema.json"), "utf8")) as object;
const isRecorded = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

interface Sent {
  readonly url: string;
  readonly address?: string;
  readonly timings?: object;
  readonly headers?: readonly { name: string; value: string }[];
}

const entry = ({ url, address, timings, headers = [] }: Sent) => ({
  request: { method: "GET", url, headers: [] },
  response: { status: 200, headers, content: { size: 4, mimeType: "text/plain", text: "body" } },
  ...(address ? { serverIPAddress: address } : {}),
  ...(timings ? { timings } : {}),
});

type Options = ImportOptions & { readonly wireOf?: (index: number) => WireFacts | null };

/** Exchanges of a HAR with these entries, each recorded as the schema has it. */
function exchangesOf(sent: readonly Sent[], { wireOf = () => null, ...options }: Options = {}): readonly NewExchange[] {
  const har = onWire({ log: { entries: sent.map(entry) } }, wireOf);
  const { exchanges } = importPage(har, { url: sent[0]?.url, ...options });
  for (const { exchange } of exchanges) assert.ok(isRecorded(exchange.recorded), JSON.stringify(isRecorded.errors));
  return exchanges;
}

const recordedOf = (sent: readonly Sent[], options?: Options) =>
  exchangesOf(sent, options).map(({ exchange }) => exchange.recorded);

test("a connection is known by a name of its own, not by the server's port", () => {
  const har = {
    log: {
      entries: [
        { ...entry({ url: "https://a.test/" }), connection: "443", _connectionId: "7" },
        { ...entry({ url: "https://a.test/1" }), connection: "443" },
        { ...entry({ url: "https://a.test:8443/2" }), connection: "443" },
        { ...entry({ url: "http://a.test/3" }), connection: "80" },
        { ...entry({ url: "https://a.test/4" }), _socket: 287 },
      ],
    },
  };
  const { exchanges } = importHar(har, { url: "https://a.test/" });
  const connections = exchanges.map(({ exchange }) => exchange.recorded.connection);
  assert.deepEqual(connections, ["7", null, "443", null, 287]);
});

const seen: WireFacts = { body: null, trailers: [], certificate: null, tlsVersion: null, connect_ms: null };

test("a server's own time is what was waited less a round trip, the shortest connect to its address", () => {
  const at = "203.0.113.1";
  const [first, reused, slow, quick] = recordedOf([
    { url: "https://a.test/", address: at, timings: { connect: 110, ssl: 60, wait: 170 } },
    { url: "https://a.test/2", address: at, timings: { connect: -1, ssl: -1, wait: 51.25 } },
    // A SYN was lost.
    { url: "https://b.test/3", address: at, timings: { connect: 1100, ssl: 50, wait: 80 } },
    { url: "https://b.test/4", address: at, timings: { connect: 0, ssl: 0, wait: 20 } },
  ]);
  assert.deepEqual([first?.rtt_ms, first?.server_time_ms], [50, 120]);
  assert.deepEqual([reused?.rtt_ms, reused?.server_time_ms], [50, 0]);
  assert.deepEqual([slow?.rtt_ms, slow?.server_time_ms], [50, 30]);
  assert.deepEqual([quick?.rtt_ms, quick?.server_time_ms], [50, 0], "never negative");
});

test("a connect that is all TLS is QUIC's, one without TLS is TCP's: both are one round trip", () => {
  const [quic, clear] = recordedOf([
    { url: "https://a.test/", address: "203.0.113.1", timings: { connect: 40, ssl: 40, wait: 50 } },
    { url: "http://b.test/", address: "203.0.113.2", timings: { connect: 30, ssl: -1, wait: 50 } },
  ]);
  assert.deepEqual([quic?.rtt_ms, quic?.server_time_ms], [40, 10]);
  assert.deepEqual([clear?.rtt_ms, clear?.server_time_ms], [30, 20]);
});

test("where no connect or no waiting was told, the server's time is not known", () => {
  const [noConnect, noTimings, noWait] = recordedOf([
    { url: "https://a.test/", address: "203.0.113.1", timings: { connect: -1, ssl: -1, wait: 50 } },
    { url: "https://b.test/", address: "203.0.113.2" },
    { url: "https://c.test/", address: "203.0.113.3", timings: { connect: 20, ssl: 10, wait: 0 } },
  ]);
  assert.deepEqual([noConnect?.rtt_ms, noConnect?.server_time_ms], [null, null]);
  assert.deepEqual([noTimings?.rtt_ms, noTimings?.server_time_ms], [null, null]);
  assert.deepEqual([noWait?.rtt_ms, noWait?.server_time_ms], [10, null]);
});

test("a connect that began ahead of its request is told too short: the log's time counts, the page's where it fits", () => {
  const wireOf = (): WireFacts => ({ ...seen, connect_ms: 49 });
  const at = "203.0.113.1";
  const clipped = recordedOf([{ url: "https://a.test/", address: at, timings: { connect: 60, ssl: 50, wait: 70 } }], {
    wireOf,
  });
  assert.deepEqual([clipped[0]?.rtt_ms, clipped[0]?.server_time_ms], [49, 21]);
  const whole = recordedOf(
    [{ url: "https://a.test/", address: at, timings: { connect: 100.5, ssl: 51.3, wait: 70 } }],
    { wireOf },
  );
  assert.deepEqual([whole[0]?.rtt_ms, whole[0]?.server_time_ms], [49.2, 20.8]);
});

test("an address that no lab can have is replaced, and kept beside", () => {
  const [mapped, kept] = exchangesOf([
    { url: "https://a.test/", address: "10.0.0.7" },
    { url: "https://b.test/", address: "203.0.113.1" },
  ]);
  assert.deepEqual([mapped?.exchange.address, mapped?.exchange.recorded.address_recorded], ["198.18.0.1", "10.0.0.7"]);
  assert.equal(kept?.exchange.recorded.address_recorded, undefined);
});

test("a certificate's names and chain are kept, for https only; QUIC's TLS is 1.3", () => {
  const certificate = { names: ["a.test", "*.a.test"], issuer: "Test Root", chain_bytes: 800 };
  const versions = ["TLS 1.2", "QUIC", "TLS 1.3"];
  const [h2, h3, clear] = recordedOf(
    [{ url: "https://a.test/" }, { url: "https://b.a.test/" }, { url: "http://c.a.test/" }],
    { wireOf: (index) => ({ ...seen, certificate, tlsVersion: versions[index] ?? null }) },
  );
  assert.deepEqual(h2?.tls, { version: "TLS 1.2", ...certificate });
  assert.deepEqual(h3?.tls, { version: "TLS 1.3", ...certificate });
  assert.equal(clear?.tls, undefined);
});

test("a body that was seen on the wire is stored to the byte, and the headers that say what it is stay", () => {
  const bodies = [gzipSync("body", { level: 1 }), Buffer.from("not gzip at all"), Buffer.alloc(0), null];
  const headers = ["gzip", "gzip, br", "gzip", "gzip"].map((value) => [{ name: "Content-Encoding", value }]);
  const paths = headers.map((each, index) => ({ url: `https://a.test/${index}`, headers: each }));
  const exchanges = exchangesOf(paths, { wireOf: (index) => ({ ...seen, body: bodies[index] ?? null }) });
  assert.deepEqual(
    exchanges.map(({ exchange }) => exchange.body_origin),
    ["recorded", "recorded", "empty", "recompressed"],
  );
  for (const [index, { exchange, body }] of exchanges.slice(0, 3).entries()) {
    assert.deepEqual(Buffer.from((body as Buffer) ?? []), bodies[index]);
    assert.deepEqual(exchange.response_headers, [["content-encoding", headers[index]?.[0]?.value]]);
    assert.equal(exchange.recorded.transfer_size_from, "wire");
    assert.equal(exchange.recorded.transfer_size, bodies[index]?.length);
  }
});

test("a body that is too large for memory is handed on as it is, with its size", () => {
  const body = {
    size: 1_000_000_000,
    async *chunks() {
      yield Buffer.alloc(0);
    },
  };
  const headers = [{ name: "content-encoding", value: "br" }];
  const sent = entry({ url: "https://a.test/", headers });
  const page = importPage(
    onWire({ log: { entries: [sent] } }, () => ({ ...seen, body })),
    { url: "https://a.test/" },
  );
  const [exchange] = page.exchanges;
  assert.ok(exchange);
  assert.equal(page.large.get(exchange), body);
  assert.equal(exchange.exchange.body_origin, "recorded");
  assert.equal(exchange.exchange.recorded.transfer_size, body.size);
  assert.deepEqual(exchange.exchange.response_headers, [["content-encoding", "br"]]);
  assert.deepEqual(page.notes.sizes, { compared: 1, exact: 1, worst_error_bytes: 0, unknown: 0 });
  assert.equal(page.notes.encoding_changed, 0);
});

test("no document is filled that was seen on the wire", () => {
  const { content: _, ...response } = entry({ url: "https://a.test/" }).response;
  const html = { size: 9, mimeType: "text/html" };
  const document = { ...entry({ url: "https://a.test/" }), response: { ...response, content: html } };
  const har = { log: { entries: [document, entry({ url: "https://a.test/a.css" })] } };
  assert.equal(importHar(har, { url: "https://a.test/" }).notes.bodies.filled, 1);
  const wireOf = (): WireFacts => ({ ...seen, body: Buffer.from("<p>as it was") });
  const page = importPage(onWire(har, wireOf), { url: "https://a.test/" });
  assert.equal(Buffer.from(page.exchanges[0]?.body ?? []).toString(), "<p>as it was");
});

test("trailers that were seen are kept", () => {
  const trailers = [["server-timing", "db;dur=3"]] as const;
  const [first] = recordedOf([{ url: "https://a.test/" }], { wireOf: () => ({ ...seen, trailers: [...trailers] }) });
  assert.deepEqual(first?.trailers, trailers);
});
