// What of a recording a load is expected to ask for: one kind of exchange at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArchivedExchange, JsonObject } from "../../../../cli/recording/archive/archive.ts";
import { recordedRequests, requestKey } from "../../../../cli/recording/archive/recorded_requests.ts";

let seq = 0;

function exchange(url: string, change: Partial<ArchivedExchange> = {}): ArchivedExchange {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  return {
    seq: seq++,
    method: "GET",
    scheme: protocol === "http:" ? "http" : "https",
    host: hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
    path: pathname + search,
    request_headers: [],
    request_body_sha256: null,
    address: "198.18.0.1",
    status: 200,
    response_headers: [],
    body_sha256: "00",
    body_size: 1000,
    body_origin: "recorded",
    recorded: {},
    ...change,
  };
}

function reasonsOf(exchanges: readonly ArchivedExchange[], notes: JsonObject = {}): (string | null)[] {
  const recording = { url: "https://shop.example/", digest: "d", notes };
  return recordedRequests(recording, exchanges).requests.map(({ notExpected }) => notExpected);
}

test("what the page asks for is expected", () => {
  assert.deepEqual(reasonsOf([exchange("https://shop.example/"), exchange("https://cdn.example/a.js")]), [null, null]);
});

test("reports, preflights, icons, manifests and the browser's own requests are not", () => {
  const url = "https://shop.example/x";
  const headers = (...request_headers: [string, string][]): Partial<ArchivedExchange> => ({ request_headers });
  const cases: [string, ArchivedExchange][] = [
    ["report", exchange(url, { method: "POST", recorded: { resource_type: "Ping" } })],
    ["report", exchange(url, { method: "POST", ...headers(["content-type", "application/csp-report"]) })],
    ["report", exchange(url, { method: "POST", ...headers(["content-type", "application/reports+json"]) })],
    [
      "report",
      exchange(url, { method: "POST", ...headers(["sec-fetch-mode", "no-cors"], ["sec-fetch-dest", "empty"]) }),
    ],
    ["preflight", exchange(url, { method: "OPTIONS", ...headers(["access-control-request-method", "POST"]) })],
    ["icon", exchange("https://shop.example/favicon.ico")],
    ["icon", exchange(url, { response_headers: [["content-type", "image/vnd.microsoft.icon"]] })],
    ["manifest", exchange(url, headers(["sec-fetch-dest", "manifest"]))],
    [
      "browser",
      exchange("http://ocsp.example/", { method: "POST", ...headers(["content-type", "application/ocsp-request"]) }),
    ],
    ["browser", exchange("https://clients2.google.com/time/1/current")],
  ];
  for (const [reason, each] of cases) assert.deepEqual(reasonsOf([each]), [reason], each.path);
  // A script that sends data and reads the answer, and a picture that stands for a beacon, belong to the page.
  const fetched = exchange(url, {
    method: "POST",
    ...headers(["sec-fetch-mode", "cors"], ["sec-fetch-dest", "empty"]),
  });
  assert.deepEqual(reasonsOf([fetched, exchange("https://stats.example/pixel.gif")]), [null, null]);
});

test("only what was sent before the recorded load event is expected, and all of it where that is not known", () => {
  const at = (start_offset_ms: number | null) =>
    exchange(`https://shop.example/${seq}`, { recorded: { start_offset_ms } });
  const exchanges = [at(0), at(1999), at(2001), at(null)];
  assert.deepEqual(reasonsOf(exchanges, { load_event_ms: 2000 }), [null, null, "after the load event", null]);
  assert.deepEqual(reasonsOf(exchanges, {}), [null, null, null, null]);
  assert.deepEqual(reasonsOf(exchanges, { load_event_ms: null }), [null, null, null, null]);
});

test("the page itself is expected whenever it was sent", () => {
  const page = exchange("https://shop.example/", { recorded: { start_offset_ms: 5000 } });
  assert.deepEqual(reasonsOf([page], { load_event_ms: 2000 }), [null]);
});

test("a redirect from http to the same on https is not expected, another redirect is", () => {
  const redirect = (location: string) =>
    exchange("http://shop.example/a?b", { status: 301, response_headers: [["location", location]] });
  assert.deepEqual(reasonsOf([redirect("https://shop.example/a?b")]), ["upgrade"]);
  assert.deepEqual(reasonsOf([redirect("https://www.shop.example/a?b")]), [null]);
  assert.deepEqual(reasonsOf([redirect("/c")]), [null]);
});

test("the same requests are one, with the largest body; another body of a request makes another one", () => {
  const first = exchange("http://cdn.example/film", { status: 206, body_size: 10 });
  const second = exchange("https://cdn.example/film", { status: 206, body_size: 500 });
  const post = (request_body_sha256: string) =>
    exchange("https://cdn.example/film", { method: "POST", request_body_sha256 });
  const found = recordedRequests({ url: "https://shop.example/", digest: "d", notes: {} }, [
    first,
    second,
    post("a"),
    post("b"),
  ]);
  assert.deepEqual(
    found.requests.map(({ method, bytes }) => [method, bytes]),
    [
      ["GET", 500],
      ["POST", 1000],
      ["POST", 1000],
    ],
  );
  assert.equal(found.placeOf.get(first.seq), found.placeOf.get(second.seq));
});

test("a request that is expected once is expected, however often it was sent after the load event", () => {
  const url = "https://shop.example/poll";
  const at = (start_offset_ms: number) => exchange(url, { recorded: { start_offset_ms } });
  assert.deepEqual(reasonsOf([at(10), at(5000)], { load_event_ms: 2000 }), [null]);
  assert.deepEqual(reasonsOf([at(5000), at(10)], { load_event_ms: 2000 }), [null]);
});

test("keys leave out the scheme, default ports and the fragment", () => {
  assert.equal(requestKey("GET", "http://a.example:80/x?y#z"), requestKey("GET", "https://a.example/x?y"));
  assert.notEqual(requestKey("GET", "https://a.example:8443/x"), requestKey("GET", "https://a.example/x"));
  assert.equal(requestKey("GET", "no URL"), "GET no URL");
});

test("of several recorded visits, only what all of them asked for is expected", () => {
  const exchanges = [
    exchange("https://shop.example/", { recorded: { start_offset_ms: 0 } }),
    exchange("https://ads.example/1", { recorded: { start_offset_ms: 1, visits: 1 } }),
    exchange("https://shop.example/a.js", { recorded: { start_offset_ms: 2 } }),
  ];
  assert.deepEqual(reasonsOf(exchanges), [null, "some visits", null]);
});

test("what browsers write as %E9 or %C3%A9 by the page's charset is one request, and a 304 alone is not expected", () => {
  const twins = ["https://shop.example/caf%E9.png", "https://shop.example/caf%C3%A9.png"].map((url) => exchange(url));
  assert.deepEqual(reasonsOf([...twins, exchange("https://shop.example/caf%41.png")]), [null, null]);
  assert.deepEqual(reasonsOf([exchange("https://shop.example/old", { status: 304 })]), ["not modified"]);
});

test("a page of https:// that asks for http:// is mixed; its own redirect from http:// is not", () => {
  const isMixed = (url: string, ...exchanges: ArchivedExchange[]): boolean =>
    recordedRequests({ url, digest: "d", notes: {} }, exchanges).isMixed;
  const page = "https://shop.example/";
  const upgrade = exchange("http://shop.example/", { status: 301, response_headers: [["location", page]] });
  const image = exchange("http://cdn.example/a.png");
  assert.equal(isMixed(page, exchange(page), exchange("https://cdn.example/a.png")), false);
  assert.equal(isMixed(page, exchange(page), image), true);
  assert.equal(isMixed("http://shop.example/", upgrade, exchange(page)), false);
  assert.equal(isMixed("http://shop.example/", upgrade, exchange(page), image), true);
  assert.equal(isMixed("http://shop.example/", exchange("http://shop.example/"), image), false);
});
