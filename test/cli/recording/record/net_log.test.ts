// Net logs as Chromium writes them, a line an event: what is read out of them, and that broken ones break nothing.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { type NetLog, readNetLog } from "../../../../cli/recording/record/net_log.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-net-log-");

// Numbers of Chromium's own; they differ from version to version.
const types = {
  REQUEST_ALIVE: 2,
  CANCELLED: 1,
  FAILED: 3,
  URL_REQUEST_START_JOB: 101,
  URL_REQUEST_FILTERS_SET: 102,
  URL_REQUEST_JOB_BYTES_READ: 103,
  URL_REQUEST_JOB_FILTERED_BYTES_READ: 104,
  HTTP_TRANSACTION_SEND_REQUEST_HEADERS: 110,
  HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS: 111,
  HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS: 112,
  HTTP_TRANSACTION_READ_RESPONSE_HEADERS: 113,
  HTTP_TRANSACTION_READ_EARLY_HINTS_RESPONSE_HEADERS: 114,
  HTTP2_SESSION_SEND_HEADERS: 120,
  HTTP2_SESSION_RECV_HEADERS: 121,
  HTTP3_HEADERS_SENT: 122,
  HTTP3_HEADERS_DECODED: 123,
  TCP_CONNECT_ATTEMPT: 130,
  SSL_CERTIFICATES_RECEIVED: 131,
  QUIC_SESSION_PACKET_SENT: 140,
  QUIC_SESSION_PACKET_RECEIVED: 141,
  SOCKET_BYTES_RECEIVED: 150,
  SSL_CONNECT: 151,
};
type Type = keyof typeof types;
type Event = readonly [time_ms: number, source: number, type: Type, phase: 0 | 1 | 2, params?: object];

function line([time_ms, id, type, phase, params]: Event): string {
  const source = { id, start_time: "1", type: 1 };
  return JSON.stringify({ ...(params ? { params } : {}), phase, source, time: String(time_ms), type: types[type] });
}

function logOf(events: readonly Event[]): string {
  return `{"constants":${JSON.stringify({ logEventTypes: types })},\n"events": [\n${events.map(line).join(",\n")}],\n"polledData": [{}]\n}\n`;
}

async function read(text: string): Promise<NetLog> {
  const path = join(folder, "log.json");
  writeFileSync(path, text);
  return await readNetLog(path);
}

const readEvents = (...events: readonly Event[]): Promise<NetLog> => read(logOf(events));

const base64 = (text: string): object => ({ byte_count: text.length, bytes: Buffer.from(text).toString("base64") });
const pseudo = (path: string): object => ({
  headers: [":method: GET", ":authority: a.test", ":scheme: https", `:path: ${path}`, "accept: */*"],
});
const started = (source: number, path: string, time_ms = 100): Event => [
  ...([time_ms, source, "URL_REQUEST_START_JOB", 1] as const),
  { method: "GET", url: `https://a.test${path}`, network_isolation_key: "https://a.test https://a.test" },
];
const answered = (source: number, ...headers: string[]): Event => [
  ...([110, source, "HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 0] as const),
  { headers: ["HTTP/1.1 200", ...headers] },
];

const wire = ({ requests }: NetLog, index = 0): string => requests[index]?.body.bytes?.toString() ?? "";

test("the body is that before decoding: logged once where the browser decodes nothing, else beside the decoded", async () => {
  const log = await readEvents(
    started(1, "/plain"),
    answered(1),
    [120, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("pla")],
    [121, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("in")],
    [122, 1, "REQUEST_ALIVE", 2],
    started(2, "/gzip"),
    answered(2, "content-encoding: gzip"),
    [120, 2, "URL_REQUEST_FILTERS_SET", 0, { filters: "GZIP" }],
    [121, 2, "URL_REQUEST_JOB_BYTES_READ", 0, base64("\x1f\x8b..")],
    [121, 2, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("decoded")],
  );
  assert.deepEqual([wire(log, 0), wire(log, 1)], ["plain", "\x1f\x8b.."]);
  assert.deepEqual(
    log.requests.map(({ ended }) => ended),
    [true, false],
  );
});

test("headers keep their order and their repetitions", async () => {
  const log = await readEvents(
    started(1, "/"),
    [101, 1, "HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS", 0, pseudo("/")],
    answered(1, "Z: 1", "set-cookie: a=1", "set-cookie: b=2", "a: x: y", "nonsense"),
  );
  const [request] = log.requests;
  assert.deepEqual(request?.responseHeaders, [
    ["z", "1"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["a", "x: y"],
  ]);
  assert.deepEqual([request?.status, request?.protocol, request?.started_ms], [200, "h2", 100]);
  assert.deepEqual(request?.requestHeaders?.at(-1), ["accept", "*/*"]);
});

test("a redirect ends one request and begins another; asked again, the last answer counts", async () => {
  const log = await readEvents(
    started(1, "/old"),
    [110, 1, "HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 0, { headers: ["HTTP/1.1 302 Found", "location: /new"] }],
    started(1, "/new", 130),
    [140, 1, "HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 0, { headers: ["HTTP/1.1 401 Unauthorized"] }],
    [141, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("who?")],
    [150, 1, "HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 0, { headers: ["HTTP/1.1 200 OK"] }],
    [151, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("new")],
  );
  assert.deepEqual(
    log.requests.map(({ url, status, started_ms }) => [url, status, started_ms]),
    [
      ["https://a.test/old", 302, 100],
      ["https://a.test/new", 200, 130],
    ],
  );
  assert.equal(wire(log, 1), "new");
});

test("a request that was given up has not ended", async () => {
  const log = await readEvents(
    ...[started(1, "/"), answered(1)],
    [120, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("half")],
    [121, 1, "CANCELLED", 0, { net_error: -3 }],
    [122, 1, "REQUEST_ALIVE", 2],
  );
  assert.equal(log.requests[0]?.ended, false);
});

for (const [name, sent, received, stream] of [
  ["HTTP/2", "HTTP2_SESSION_SEND_HEADERS", "HTTP2_SESSION_RECV_HEADERS", [1, 3]],
  ["HTTP/3", "HTTP3_HEADERS_SENT", "HTTP3_HEADERS_DECODED", [0, 4]],
] as const) {
  test(`${name}'s trailers belong to the request of their stream, the second of two alike here`, async () => {
    const log = await readEvents(
      ...[started(1, "/same"), started(2, "/same")],
      [101, 1, "HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS", 0, pseudo("/same")],
      [101, 9, sent, 0, { ...pseudo("/same"), stream_id: stream[0] }],
      [102, 2, "HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS", 0, pseudo("/same")],
      [102, 9, sent, 0, { ...pseudo("/same"), stream_id: stream[1] }],
      [110, 9, received, 0, { headers: [":status: 200", "content-type: a/b"], stream_id: stream[0] }],
      [110, 9, received, 0, { headers: [":status: 200", "content-type: a/b"], stream_id: stream[1] }],
      [120, 9, received, 0, { headers: ["server-timing: db;dur=3"], stream_id: stream[1] }],
    );
    assert.deepEqual(
      log.requests.map(({ trailers }) => trailers),
      [[], [["server-timing", "db;dur=3"]]],
    );
  });
}

test("connects are timed: TCP's that were answered, QUIC's from its first packet to the first answer", async () => {
  const log = await readEvents(
    [100, 1, "TCP_CONNECT_ATTEMPT", 1, { address: "203.0.113.1:443" }],
    [151, 1, "TCP_CONNECT_ATTEMPT", 2],
    [200, 1, "SSL_CERTIFICATES_RECEIVED", 0, { certificates: ["leaf", "root"] }],
    [100, 2, "TCP_CONNECT_ATTEMPT", 1, { address: "203.0.113.2:443" }],
    [900, 2, "TCP_CONNECT_ATTEMPT", 2, { os_error: 111 }],
    [100, 3, "QUIC_SESSION_PACKET_SENT", 0, {}],
    [140, 3, "QUIC_SESSION_PACKET_SENT", 0, {}],
    [152, 3, "QUIC_SESSION_PACKET_RECEIVED", 0, { peer_address: "[2001:db8::3]:443" }],
    [160, 3, "QUIC_SESSION_PACKET_RECEIVED", 0, { peer_address: "[2001:db8::3]:443" }],
  );
  assert.deepEqual(
    log.connections.map(({ records, ...connection }) => connection),
    [
      { id: 1, address: "203.0.113.1:443", connect_ms: 51, certificates: ["leaf", "root"] },
      { id: 2, address: "203.0.113.2:443", connect_ms: null, certificates: [] },
      { id: 3, address: "[2001:db8::3]:443", connect_ms: 52, certificates: [] },
    ],
  );
});

test("each TCP connection's TLS records are followed, those after its handshake as the lane's", async () => {
  const record = (size_bytes: number) =>
    Buffer.concat([Buffer.from([23, 3, 3, size_bytes >> 8, size_bytes & 0xff]), Buffer.alloc(size_bytes)]);
  const bytes = (...sizes: number[]) => ({ bytes: Buffer.concat(sizes.map(record)).toString("base64") });
  const { connections } = await readEvents(
    [100, 1, "TCP_CONNECT_ATTEMPT", 1, { address: "203.0.113.1:443" }],
    [101, 2, "TCP_CONNECT_ATTEMPT", 1, { address: "203.0.113.1:443" }],
    [151, 1, "SSL_CONNECT", 1],
    [200, 1, "SOCKET_BYTES_RECEIVED", 0, bytes(4000)],
    [201, 1, "SSL_CONNECT", 2],
    [260, 1, "SOCKET_BYTES_RECEIVED", 0, bytes(266, 2017)],
    [260, 9, "SOCKET_BYTES_RECEIVED", 0, bytes(5000)],
  );
  assert.deepEqual(
    connections.map(({ records }) => records?.youngRecord_bytes),
    [2000, null],
  );
});

test("a large body is read from the log again, between the pieces of others", async () => {
  const pieces = Array.from({ length: 40 }, (_, index) => String.fromCharCode(65 + (index % 26)).repeat(4000 + index));
  const events: Event[] = [started(1, "/large"), answered(1), started(2, "/ö"), answered(2)];
  for (const piece of pieces) {
    events.push([120, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64(piece)]);
    events.push([120, 2, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("small")]);
  }
  const { requests } = await read(logOf(events));
  const [large, small] = requests;
  assert.ok(large && small);
  const whole = pieces.join("");
  assert.deepEqual([large.body.bytes, large.body.size], [null, whole.length]);
  const chunks: Buffer[] = [];
  for await (const chunk of large.body.chunks()) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), whole);
  assert.equal(small.body.bytes?.toString(), "small".repeat(pieces.length));
});

test("a log that was cut off anywhere is read up to there", async () => {
  const whole = logOf([
    ...[started(1, "/"), answered(1)],
    [120, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("first")],
    [121, 1, "URL_REQUEST_JOB_FILTERED_BYTES_READ", 0, base64("second")],
  ]);
  for (let length = 0; length <= whole.length; length += 7) {
    const log = await read(whole.slice(0, length));
    assert.ok("firstsecond".startsWith(wire(log)));
  }
  assert.equal(wire(await read(whole)), "firstsecond");
});

test("what is no net log gives nothing, whatever is in it", async () => {
  const whole = logOf([...[started(1, "/"), answered(1)], [120, 1, "URL_REQUEST_JOB_BYTES_READ", 0, base64("x")]]);
  const random = randomSource(7);
  for (const text of ["", "{}", '{"constants":null,', '{"constants":{}}\n{"type":1}', "\0\0", "[1,2]"])
    assert.deepEqual(await read(text), { requests: [], connections: [] });
  for (let round = 0; round < 400; round++) {
    const bytes = Buffer.from(whole);
    for (let change = 0; change < 3; change++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    const log = await read(bytes.toString("latin1"));
    assert.ok(log.requests.length <= 1);
  }
  await assert.rejects(readNetLog(join(folder, "not-there.json")), /ENOENT/);
});

test("a URL is logged with the password that was typed, which no other list of requests has", async () => {
  const url = "https://me:word@a.test/x";
  const { requests } = await readEvents([100, 1, "URL_REQUEST_START_JOB", 1, { method: "GET", url }], answered(1), [
    130,
    1,
    "REQUEST_ALIVE",
    2,
  ]);
  assert.deepEqual(
    requests.map((request) => request.url),
    ["https://a.test/x"],
  );
});

test("responses before the final one (103) are kept with their times, those of a request sent again only once", async () => {
  const hint = (time_ms: number, ...fields: string[]): Event => [
    ...([time_ms, 1, "HTTP_TRANSACTION_READ_EARLY_HINTS_RESPONSE_HEADERS", 0] as const),
    { headers: ["HTTP/1.1 103", ...fields] },
  ];
  const sent: Event = [101, 1, "HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS", 0, pseudo("/")];
  const { requests } = await readEvents(
    ...[started(1, "/"), sent, hint(102, "link: </old.css>; rel=preload"), sent],
    ...[hint(103, "link: </a.css>; rel=preload", "Link: </b.js>; rel=preload"), hint(106, "x: 1")],
    answered(1),
    [120, 1, "REQUEST_ALIVE", 2],
  );
  const [request] = requests;
  assert.deepEqual(request?.hints, [
    {
      time_ms: 103,
      headers: [
        ["link", "</a.css>; rel=preload"],
        ["link", "</b.js>; rel=preload"],
      ],
    },
    { time_ms: 106, headers: [["x", "1"]] },
  ]);
  assert.deepEqual([request?.sent_ms, request?.answered_ms, request?.ended_ms, request?.status], [101, 110, 120, 200]);
});
