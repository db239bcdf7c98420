// What Firefox reports of requests, joined with what the page's frames say of them: each fact from where it is known, and none made up.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedResource } from "../../../extension/background/observed_entry.ts";
import {
  bodyTextOf,
  type ObservedFrame,
  protocolOf,
  watchedEntries,
} from "../../../extension/background/watched_entries.ts";
import type { WebRequest } from "../../../extension/background/web_requests.ts";

const origin_ms = 1_795_926_351_000;

const request: WebRequest = {
  requestId: "1",
  url: "https://a.test/x.js",
  method: "GET",
  type: "script",
  frameId: 0,
  documentUrl: "https://a.test/",
  start_ms: origin_ms + 100,
  requestHeaders: [{ name: "Accept", value: "*/*" }],
  responseHeaders: [{ name: "content-type", value: "text/javascript" }],
  sent_ms: origin_ms + 130,
  response_ms: origin_ms + 180,
  end_ms: origin_ms + 200,
  status: 200,
  statusLine: "HTTP/2.0 200 OK",
  ip: "192.0.2.1",
  fromCache: false,
  received_bytes: 1300,
  redirectUrl: "",
  error: null,
  security: null,
  sentText: null,
  body: null,
};

const resource: ObservedResource = {
  name: "https://a.test/x.js",
  entryType: "resource",
  initiatorType: "script",
  nextHopProtocol: "h2",
  startTime: 101,
  workerStart: 0,
  redirectStart: 0,
  fetchStart: 101,
  domainLookupStart: 105,
  domainLookupEnd: 110,
  connectStart: 110,
  secureConnectionStart: 112,
  connectEnd: 125,
  requestStart: 126,
  responseStart: 181,
  responseEnd: 199,
  transferSize: 1300,
  encodedBodySize: 1000,
  decodedBodySize: 4000,
};

const frame = (resources: readonly ObservedResource[], frameId = 0): ObservedFrame => ({
  frameId,
  url: "https://a.test/",
  timeOrigin_ms: origin_ms,
  resources,
});

const of = (changes: Partial<WebRequest>, resources: readonly ObservedResource[] = []) => {
  const found = watchedEntries([{ ...request, ...changes }], [frame(resources)], origin_ms);
  const [entry] = found.entries;
  assert.ok(entry);
  return { ...found, entry };
};

test("the timeline's phases, with headers, status and bytes that only webRequest knows", () => {
  const { entry, compared, differing, hidden } = of({}, [resource]);
  const { blocked, dns, connect, ssl, send, wait, receive } = entry.timings;
  assert.deepEqual([dns, connect, ssl, wait, receive], [5, 15, 13, 55, 18]);
  assert.equal(blocked + dns + connect + send + wait + receive, entry.time);
  assert.deepEqual([entry._protocol, entry.response.status, entry.response._transferSize], ["h2", 200, 1300]);
  assert.deepEqual(entry.request.headers, [{ name: "Accept", value: "*/*" }]);
  assert.equal(entry._trilane.connectionReused, false);
  assert.deepEqual([compared, differing, hidden], [1, 0, 0]);
});

test("without the timeline nothing is made up: what came before sending is `blocked`, the protocol is the status line's", () => {
  const { entry, compared, hidden } = of({});
  const { blocked, dns, connect, ssl, wait, receive } = entry.timings;
  assert.deepEqual([blocked, dns, connect, ssl, wait, receive], [30, -1, -1, -1, 50, 20]);
  assert.equal(entry._protocol, "h2");
  assert.equal(entry._trilane.connectionReused, null);
  assert.deepEqual([compared, hidden], [0, 1]);
  const opaque = of({}, [{ ...resource, requestStart: 0, responseStart: 0, nextHopProtocol: "" }]);
  assert.deepEqual([opaque.entry.timings.blocked, opaque.hidden, opaque.compared], [30, 1, 0]);
});

test("two sources that name different protocols are counted", () => {
  const { entry, differing } = of({ statusLine: "HTTP/3 200" }, [resource]);
  assert.deepEqual([differing, entry._protocol], [1, "h2"]);
  assert.deepEqual(["HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/2 200", "HTTP/3.0 200 ", ""].map(protocolOf), [
    "http/1.1",
    "http/1.0",
    "h2",
    "h3",
    "",
  ]);
});

test("a request that failed has its error; one that a policy blocked was not sent; one from the cache has no protocol", () => {
  const failed = of({ error: "NS_ERROR_NET_TIMEOUT", status: 0, statusLine: "", response_ms: null }).entry;
  assert.deepEqual(
    [failed.response._error, failed._trilane.complete, failed._protocol],
    ["NS_ERROR_NET_TIMEOUT", false, undefined],
  );
  assert.equal(of({ error: "NS_ERROR_CONTENT_BLOCKED" }).entry._trilane.blocked, "NS_ERROR_CONTENT_BLOCKED");
  assert.equal(of({ error: "NS_BINDING_ABORTED" }).entry._trilane.canceled, true);
  const cached = of({ fromCache: true, received_bytes: 1300 }, [resource]).entry;
  assert.deepEqual([cached._fromCache, cached._protocol, cached.response._transferSize], ["cache", undefined, 0]);
});

test("each resource is one request's: those of one URL by their start, and the last hop of a redirect by the first one's URL", () => {
  const later = { ...resource, startTime: 500, nextHopProtocol: "h3" };
  const { entries } = watchedEntries(
    [request, { ...request, requestId: "2", start_ms: origin_ms + 499 }],
    [frame([later, resource])],
    origin_ms,
  );
  assert.deepEqual(
    entries.map(({ _protocol }) => _protocol),
    ["h2", "h3"],
  );
  const hops = [
    { ...request, url: "https://a.test/old.js", redirectUrl: request.url, status: 302 },
    {
      ...request,
      start_ms: origin_ms + 210,
      sent_ms: origin_ms + 215,
      response_ms: origin_ms + 250,
      end_ms: origin_ms + 260,
    },
  ];
  const chain = watchedEntries(
    hops,
    [frame([{ ...resource, name: "https://a.test/old.js", nextHopProtocol: "h3" }])],
    origin_ms,
  );
  assert.deepEqual(
    chain.entries.map(({ response, timings, _protocol }) => [response.status, timings.wait, _protocol]),
    [
      [302, 50, "h2"],
      [200, 35, "h3"],
    ],
  );
});

test("what a style sheet requested is its own; a frame's requests are a child's", () => {
  const sheet = { ...request, url: "https://a.test/s.css", type: "stylesheet" };
  const font = {
    ...request,
    requestId: "2",
    url: "https://a.test/f.woff2",
    type: "font",
    frameId: 7,
    start_ms: origin_ms + 300,
    requestHeaders: [{ name: "Referer", value: sheet.url }],
  };
  const [, entry] = watchedEntries([sheet, font], [], origin_ms).entries;
  assert.deepEqual([entry?._initiator.url, entry?._trilane.frame], [sheet.url, "child"]);
});

test("bodies are text if that is the same in every encoding, else their bytes, at the entries' places", () => {
  assert.deepEqual(bodyTextOf([Uint8Array.of(104, 105), Uint8Array.of(33)]), { text: "hi!" });
  assert.deepEqual(bodyTextOf([Uint8Array.of(0xc3), Uint8Array.of(0xa4)]), { text: "w6Q=", encoding: "base64" });
  const large = bodyTextOf([new Uint8Array(100_000).fill(255)]);
  assert.equal(Buffer.from(large.text, "base64").length, 100_000);
  const first = { ...request, requestId: "2", start_ms: origin_ms, sentText: "a=b" };
  const { bodies } = watchedEntries([{ ...request, body: [Uint8Array.of(49)] }, first], [], origin_ms);
  assert.deepEqual([...bodies.ofResponses], [[1, { text: "1" }]]);
  assert.deepEqual([...bodies.ofRequests], [[0, "a=b"]]);
});

test("of a connection's TLS what Firefox names", () => {
  const security = {
    state: "secure",
    protocolVersion: "TLSv1.3",
    cipherSuite: "TLS_AES_128_GCM_SHA256",
    keaGroupName: "mlkem768x25519",
    certificates: [{ subject: "CN=a.test,O=A", issuer: "CN=Root" }],
  };
  assert.deepEqual(of({ security }).entry.response._securityDetails, {
    protocol: "TLS 1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    keyExchangeGroup: "mlkem768x25519",
    subjectName: "a.test",
    issuer: "Root",
  });
});
