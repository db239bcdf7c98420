// Real loads of one small page over each lane, at 10 Mbit/s and 40 ms, as their events tell them: what was requested,
// over which protocol and connection, and phases that fit the link. The page is described in record.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { captureOf, entriesFrom, fixture, type Lane, lanes } from "./fixture.ts";

const rtt_ms = 40;
const protocols: Record<Lane, string> = { h1: "http/1.1", h2: "h2", h3: "h3" };

function named(entries: HarEntry[], url: string): HarEntry {
  const found = entries.find((entry) => entry.request.url === url);
  assert.ok(found, url);
  return found;
}

for (const lane of lanes) {
  const capture = captureOf(fixture(lane));
  const entries = entriesFrom(capture);

  test(`${lane}: every request of the page is there once, the redirect apart`, () => {
    assert.deepEqual(entries.map((entry) => `${entry.request.method} ${entry.request.url}`).sort(), [
      "GET https://blocked.test/four.gif",
      "GET https://cdn.test/two.gif?v=1",
      "GET https://frame.test/",
      "GET https://frame.test/inner.gif",
      "GET https://gone.test/three.gif",
      "GET https://shop.test/",
      "GET https://www.shop.test/",
      "GET https://www.shop.test/a.css",
      "GET https://www.shop.test/a.js",
      "GET https://www.shop.test/favicon.ico",
      "GET https://www.shop.test/missing.gif",
      "GET https://www.shop.test/one.gif",
      "POST https://www.shop.test/post?x=1",
    ]);
    assert.deepEqual(
      capture.documents.map(({ url }) => url),
      ["https://www.shop.test/"],
    );
    assert.ok(
      capture.loadEvent_s !== null && capture.domContent_s !== null && capture.loadEvent_s > capture.domContent_s,
    );
  });

  test(`${lane}: each answered request was on the lane, with its address and connection`, () => {
    const answered = entries.filter((entry) => entry.response.status > 0);
    assert.equal(answered.length, 10);
    for (const entry of answered) {
      assert.equal(entry._protocol, protocols[lane], entry.request.url);
      assert.equal(entry.response.httpVersion, protocols[lane]);
      assert.match(entry.serverIPAddress ?? "", /^203\.0\.113\.[1-4]$/);
      assert.equal(entry._trilane.serverPort, 443);
      assert.equal(entry.connection, entry._connectionId);
      assert.match(entry.response._securityDetails?.protocol ?? "", lane === "h3" ? /^QUIC$/ : /^TLS 1\.3$/);
    }
    const connections = new Map<string, Set<string>>();
    for (const entry of answered) {
      const host = new URL(entry.request.url).host;
      connections.set(host, (connections.get(host) ?? new Set()).add(entry._connectionId ?? ""));
    }
    if (lane !== "h1") for (const [host, ids] of connections) assert.equal(ids.size, 1, `one connection to ${host}`);
  });

  test(`${lane}: phases add up to the time and fit the link`, () => {
    for (const entry of entries) {
      const { blocked, dns, connect, ssl, send, wait, receive } = entry.timings;
      const sum = blocked + Math.max(0, dns) + Math.max(0, connect) + send + wait + receive;
      assert.ok(Math.abs(sum - entry.time) < 1e-6, entry.request.url);
      assert.ok(ssl <= connect, entry.request.url);
      // Every answer takes at least one round trip, and on a link this fast not two more of waiting.
      if (entry.response.status > 0)
        assert.ok(wait > rtt_ms * 0.85 && wait < rtt_ms * 3, `${entry.request.url}: wait ${wait}`);
    }
    // A site that nothing has connected to before: the handshake's round trips are all in its first request.
    const first = named(entries, "https://cdn.test/two.gif?v=1").timings;
    const roundTrips = lane === "h3" ? 1 : 2;
    assert.ok(first.dns >= rtt_ms && first.dns < rtt_ms * 2, `dns ${first.dns}`);
    assert.ok(
      first.connect >= rtt_ms * roundTrips && first.connect < rtt_ms * (roundTrips + 1),
      `connect ${first.connect}`,
    );
    assert.ok(first.ssl >= rtt_ms && first.ssl < rtt_ms * 2, `ssl ${first.ssl}`);
    const later = named(entries, "https://www.shop.test/a.css");
    assert.deepEqual([later.timings.dns, later.timings.connect, later.timings.ssl], [-1, -1, -1]);
    assert.equal(later._trilane.connectionReused, true);
  });

  test(`${lane}: a redirect is an entry of its own`, () => {
    const redirect = named(entries, "https://shop.test/");
    assert.equal(redirect.response.status, 301);
    assert.equal(redirect.response.redirectURL, "https://www.shop.test/");
    assert.equal(redirect._trilane.startOffset_ms, 0);
    assert.ok(redirect._trilane.complete);
    const document = named(entries, "https://www.shop.test/");
    assert.equal(document._trilane.requestId, redirect._trilane.requestId);
    assert.ok(document._trilane.start_ns >= (redirect._trilane.end_ns ?? Number.POSITIVE_INFINITY));
    assert.equal(document.response.status, 200);
    assert.equal(document.response.content.size, 450);
    assert.ok(document.response._transferSize > 450);
  });

  test(`${lane}: what failed, what the page blocked and what was missing are told apart`, () => {
    const gone = named(entries, "https://gone.test/three.gif");
    assert.equal(gone.response._error, "net::ERR_NAME_NOT_RESOLVED");
    assert.deepEqual([gone.response.status, gone._trilane.complete, gone._trilane.blocked], [0, false, null]);
    assert.ok(gone.time > 0 && gone.timings.blocked === gone.time);
    const blocked = named(entries, "https://blocked.test/four.gif");
    assert.deepEqual([blocked.response._error, blocked._trilane.blocked], ["blocked:csp", "csp"]);
    const missing = named(entries, "https://www.shop.test/missing.gif");
    assert.deepEqual([missing.response.status, missing.response._error, missing._trilane.complete], [404, null, true]);
  });

  test(`${lane}: a frame in a process of its own is told whole`, () => {
    for (const url of ["https://frame.test/", "https://frame.test/inner.gif"]) {
      const { _trilane } = named(entries, url);
      assert.deepEqual([_trilane.frame, _trilane.complete], ["child", true], url);
    }
  });

  test(`${lane}: what went over the wire is kept: headers, cookies, bodies sent, priorities, initiators`, () => {
    const script = named(entries, "https://www.shop.test/a.js");
    assert.deepEqual(script.response.cookies, [
      { name: "a", value: "1" },
      { name: "b", value: "2" },
    ]);
    assert.equal(script.response.headers.filter(({ name }) => name.toLowerCase() === "set-cookie").length, 2);
    const post = named(entries, "https://www.shop.test/post?x=1");
    assert.deepEqual(post.request.cookies, script.response.cookies);
    assert.deepEqual(post.request.queryString, [{ name: "x", value: "1" }]);
    assert.deepEqual([post.request.postData?.text, post.request.bodySize], ["hello", 5]);
    assert.equal(post._initiator.type, "script");
    assert.equal(named(entries, "https://www.shop.test/a.css")._initiator.type, "parser");
    const image = named(entries, "https://www.shop.test/one.gif");
    assert.deepEqual([image._initialPriority, image._priority, image._resourceType], ["Low", "High", "image"]);
    const wireName = lane === "h1" ? "host" : ":authority";
    assert.ok(
      image.request.headers.some(({ name, value }) => name.toLowerCase() === wireName && value === "www.shop.test"),
    );
  });
}

test("ExtraInfo events may come early or late: the entries are the same", () => {
  for (const lane of lanes) {
    const recorded = fixture(lane);
    const isExtra = (method: string) => method.endsWith("ExtraInfo");
    const extra = recorded.events.filter(({ method }) => isExtra(method));
    const rest = recorded.events.filter(({ method }) => !isExtra(method));
    const expected = entriesFrom(captureOf(recorded));
    assert.deepEqual(entriesFrom(captureOf({ ...recorded, events: [...extra, ...rest] })), expected);
    assert.deepEqual(entriesFrom(captureOf({ ...recorded, events: [...rest, ...extra] })), expected);
  }
});

test("a capture that is cut off at any event still gives entries", () => {
  for (const lane of lanes) {
    const recorded = fixture(lane);
    for (let length = 0; length <= recorded.events.length; length++) {
      for (const entry of entriesFrom(captureOf({ ...recorded, events: recorded.events.slice(0, length) }))) {
        assert.ok(entry.time >= 0 && Number.isFinite(entry.time));
        assert.equal(entry._trilane.complete && entry._trilane.end_ns === null, false);
      }
    }
  }
});
