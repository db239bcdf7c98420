// A capture of a real page (test/fixtures/capture) with and without a net log beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { importPage } from "../../../../cli/recording/import/import_har.ts";
import { composeRecorded } from "../../../../cli/recording/record/compose.ts";
import { LoggedBody } from "../../../../cli/recording/record/logged_body.ts";
import type { LoggedRequest } from "../../../../cli/recording/record/net_log.ts";
import { beginsLate } from "../../../../cli/recording/record/pair.ts";
import type { BodyText, BodyTexts } from "../../../../extension/capture/bodies.ts";
import type { Capture, CapturedRequest } from "../../../../extension/capture/requests.ts";
import { captureOf, fixture } from "../../../capture/fixture.ts";

const browser = { name: "Chromium", version: "156" };
const none = { requests: [], connections: [] };
const url = "https://shop.test/";

/** The fixture ends at its load event, with the icon under way, and has no certificates' names. */
function captured(): Capture {
  const capture = captureOf(fixture("h2"));
  for (const request of capture.requests) {
    if (request.response?.securityDetails) request.response.securityDetails.sanList = ["*.test", "203.0.113.1"];
  }
  const ended = capture.requests.filter(({ end }) => end !== null);
  capture.requests.splice(0, Number.POSITIVE_INFINITY, ...ended);
  return capture;
}

const text = (request: CapturedRequest): string => `the body of ${request.sent.request.url}`;

/** Every response's body as told by DevTools. */
function told(capture: Capture): BodyTexts {
  const finished = capture.requests.filter(({ end }) => end?.how === "finished");
  return {
    ofResponses: new Map(finished.map((request): [CapturedRequest, BodyText] => [request, { text: text(request) }])),
    ofRequests: new Map(),
  };
}

function logged(request: CapturedRequest, body: string, over: Partial<LoggedRequest> = {}): LoggedRequest {
  const logged = new LoggedBody("/dev/null");
  logged.add({ offset: 0, length: 0 }, Buffer.from(body).toString("base64"));
  return {
    ...{ method: request.sent.request.method, url: request.sent.request.url },
    started_ms: Math.ceil(request.sent.timestamp * 1000),
    ...{ isolation: "https://shop.test https://shop.test", protocol: "h2", requestHeaders: [[":method", "GET"]] },
    ...{ status: request.response?.status ?? 200, responseHeaders: [["x-logged", "1"]], body: logged },
    ...{ sent_ms: null, answered_ms: null, ended_ms: null, hints: [] },
    ...{ trailers: [], ended: true, hasFilters: false, ...over },
  };
}

const imported = ({ load }: ReturnType<typeof composeRecorded>) => importPage(load, { url });

test("without a log the bodies are those that DevTools told, and none was seen on the wire", () => {
  const capture = captured();
  const recorded = composeRecorded(capture, told(capture), none, browser);
  assert.deepEqual([recorded.counts.seen, recorded.counts.unattended, recorded.counts.under_way], [0, 0, 0]);
  assert.ok(recorded.counts.answered >= 8);
  const { exchanges, notes } = imported(recorded);
  const style = exchanges.find(({ exchange }) => exchange.path === "/a.css");
  assert.match(Buffer.from(style?.body ?? []).toString(), /^the body of https:.*shop/);
  assert.ok(style);
  const { names } = style.exchange.recorded.tls as { names: string[] };
  assert.deepEqual(names, ["*.test"], "an address is no name");
  assert.notEqual(style.exchange.recorded.transfer_size_from, "wire");
  const post = exchanges.find(({ exchange }) => exchange.method === "POST");
  assert.equal(Buffer.from(post?.requestBody ?? []).toString(), "hello");
  assert.deepEqual(notes.failed_urls, ["https://gone.test/three.gif", "https://blocked.test/four.gif"]);
});

test("with one, its bytes and headers are taken, for the requests that it has", () => {
  const capture = captured();
  const style = capture.requests.find(({ sent }) => sent.request.url.endsWith("/a.css"));
  assert.ok(style);
  const net = { requests: [logged(style, "on the wire")], connections: [] };
  const recorded = composeRecorded(capture, told(capture), net, browser);
  assert.equal(recorded.counts.seen, 1);
  const { exchanges } = imported(recorded);
  const found = exchanges.find(({ exchange }) => exchange.path === "/a.css");
  assert.equal(Buffer.from(found?.body ?? []).toString(), "on the wire");
  assert.deepEqual(found?.exchange.response_headers, [["x-logged", "1"]]);
  assert.equal(found?.exchange.recorded.transfer_size_from, "wire");
});

test("a request of the page that only the log has is taken, the browser's own and those given up are not", () => {
  const capture = captured();
  const [first] = capture.requests.filter(({ end }) => end?.how === "finished");
  assert.ok(first);
  const other = (path: string, over: Partial<LoggedRequest> = {}): LoggedRequest =>
    logged(first, path, { url: `https://www.shop.test${path}`, status: 200, ...over });
  const requests = [
    logged(first, "the page"),
    other("/worker.json"),
    other("/given-up", { ended: false }),
    other("/update", { isolation: "https://google.com https://google.com" }),
    other("/time", { isolation: "" }),
  ];
  const recorded = composeRecorded(capture, told(capture), { requests, connections: [] }, browser);
  assert.equal(recorded.counts.unattended, 1);
  const paths = imported(recorded).exchanges.map(({ exchange }) => exchange.path);
  assert.ok(paths.includes("/worker.json"));
  for (const path of ["/given-up", "/update", "/time"]) assert.ok(!paths.includes(path), path);
});

test("what had not ended is left out and counted", () => {
  const capture = captured();
  const style = capture.requests.find(({ sent }) => sent.request.url.endsWith("/a.css"));
  assert.ok(style);
  style.end = null;
  const composed = composeRecorded(capture, told(capture), none, browser);
  assert.equal(composed.counts.under_way, 1);
  assert.ok(!imported(composed).exchanges.some(({ exchange }) => exchange.path === "/a.css"));
});

test("a body that DevTools told is compressed again to its size on the wire", () => {
  const capture = captured();
  const style = capture.requests.find(({ sent }) => sent.request.url.endsWith("/a.css"));
  assert.ok(style?.response);
  const content = "p { margin: 0 }\n".repeat(500);
  const bodies: BodyTexts = { ofResponses: new Map([[style, { text: content }]]), ofRequests: new Map() };
  for (const [encoding, decode] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    for (const info of capture.extraInfos.get(style.requestId)?.responses ?? [])
      info.headers = { "content-type": "text/css", "content-encoding": encoding, "content-length": "420" };
    const { exchanges } = imported(composeRecorded(capture, bodies, none, browser));
    const found = exchanges.find(({ exchange }) => exchange.path === "/a.css");
    assert.equal(found?.exchange.body_origin, "recompressed");
    assert.equal(found?.body?.byteLength, 420);
    assert.equal(decode(found?.body ?? Buffer.alloc(0)).toString(), content);
  }
});

test("a log that begins after the page is that of a network process that took another's place", () => {
  const capture = captured();
  const [redirect, page, ...others] = capture.requests;
  assert.ok(redirect && page);
  const after = others.map((request) => logged(request, ""));
  assert.equal(beginsLate(after, capture), true);
  assert.equal(beginsLate([logged(page, "", { url: `${page.sent.request.url}#top` }), ...after], capture), false);
  assert.equal(beginsLate([], capture), false, "there is no log");
});

test("what a 103 preloaded and the page took from the cache is the request that the log has, once and at its time", () => {
  const capture = captured();
  const [document, style] = ["/", "/a.css"].map((path) =>
    capture.requests.find(({ sent }) => sent.request.url === `https://www.shop.test${path}`),
  );
  assert.ok(document && style?.response);
  style.response.fromDiskCache = true;
  const began_ms = Math.ceil(document.sent.timestamp * 1000);
  const requests = [
    logged(document, "the page", {
      hints: [{ time_ms: began_ms + 5, headers: [["link", "</a.css>; rel=preload; as=style"]] }],
      answered_ms: began_ms + 300,
    }),
    logged(style, "preloaded", {
      started_ms: began_ms - 100,
      sent_ms: began_ms - 98,
      answered_ms: began_ms - 60,
      ended_ms: began_ms - 50,
    }),
  ];
  const { counts, load } = composeRecorded(capture, told(capture), { requests, connections: [] }, browser);
  assert.equal(counts.unattended, 0);
  const entries = load.entries.filter(({ url: { pathname } }) => pathname === "/a.css");
  assert.equal(entries.length, 1);
  const { raw, wire } = entries[0] ?? {};
  assert.deepEqual(raw?._initiator, { type: "early-hints", url: document.sent.request.url });
  assert.equal(raw?._fromCache, undefined);
  assert.deepEqual(raw?.timings, { blocked: 2, dns: -1, connect: -1, ssl: -1, send: 0, wait: 38, receive: 10 });
  assert.equal(wire?.body instanceof Buffer && wire.body.toString(), "preloaded");
  const page = load.entries.find(({ url: { href } }) => href === document.sent.request.url);
  assert.deepEqual(page?.wire?.hints, [{ headers: [["link", "</a.css>; rel=preload; as=style"]], before_ms: 295 }]);
});

test("a fetch that the page gave up, or never read on, is kept as far as it came, and said; an image that was given up is not", () => {
  const cases = [
    { type: "Fetch", end: "given up", isKept: true },
    { type: "XHR", end: "given up", isKept: true },
    { type: "Fetch", end: "open", isKept: true },
    { type: "XHR", end: "open", isKept: false },
    { type: "Image", end: "given up", isKept: false },
  ] as const;
  for (const { type, end, isKept } of cases) {
    const capture = captured();
    const style = capture.requests.find(({ sent }) => sent.request.url.endsWith("/a.css"));
    assert.ok(style?.end);
    style.sent.type = type;
    const gone = {
      how: "failed",
      timestamp_s: style.end.timestamp_s,
      error: "net::ERR_ABORTED",
      canceled: true,
    } as const;
    style.end = end === "open" ? null : { ...gone, blocked: null };
    const requests = [logged(style, "the beginn", { ended: false })];
    const recorded = composeRecorded(capture, told(capture), { requests, connections: [] }, browser);
    const { exchanges, notes } = imported(recorded);
    const found = exchanges.find(({ exchange }) => exchange.path === "/a.css");
    const words = `${type} ${end}`;
    assert.equal(found?.exchange.recorded.read_partly, isKept ? true : undefined, words);
    assert.equal(Buffer.from(found?.body ?? []).toString() === "the beginn", isKept, words);
    assert.equal(/1 body not read to the end by the page/.test(notes.remarks.join()), isKept, words);
  }
});
