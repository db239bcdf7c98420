// The reducer on what recorded loads do not show: told twice, redirected without wire headers, cached, cancelled.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaptureEvent } from "../../extension/capture/events.ts";
import { maxArrivals, newCapture, take, wireHeaders } from "../../extension/capture/requests.ts";
import { captureOf, entriesFrom, fixture } from "./fixture.ts";

/** The events of one request of the recorded h2 load. */
function eventsOf(url: string, { events } = fixture("h2")): CaptureEvent[] {
  const sent = events.find((event) => event.method === "Network.requestWillBeSent" && event.params.request.url === url);
  assert.ok(sent?.method === "Network.requestWillBeSent");
  const { requestId } = sent.params;
  return events.filter((event) => "requestId" in event.params && event.params.requestId === requestId);
}

const image = "https://www.shop.test/one.gif";

test("a request told by two sessions is one request", () => {
  const capture = newCapture("frame");
  const events = eventsOf(image);
  for (const event of events) {
    take(capture, event);
    take(capture, { ...event, target: "iframe" });
  }
  const [entry, ...more] = entriesFrom(capture);
  assert.deepEqual(more, []);
  assert.deepEqual(
    entry?.response._transferSize,
    entriesFrom(captureOf({ mainFrame: "frame", events }))[0]?.response._transferSize,
  );
});

test("when a body's bytes came: every one of them, in order, none after the end, in few pairs however many came", () => {
  const pairsOf = (pieces: number): { at_ms: number; bytes: number }[] => {
    const capture = newCapture("frame");
    for (const event of eventsOf(image)) {
      if (event.method === "Network.dataReceived") continue;
      if (event.method === "Network.loadingFinished") {
        const { requestId, timestamp } = event.params;
        for (let piece = 1; piece <= pieces; piece++) {
          const params = {
            requestId,
            timestamp: timestamp + (piece - pieces + 1) / 1e5,
            dataLength: 10,
            encodedDataLength: 0,
          };
          take(capture, { method: "Network.dataReceived", params, target: "page" });
        }
      }
      take(capture, event);
    }
    const [entry] = entriesFrom(capture);
    const { arrivals = [], end_ns, start_ns } = entry?._trilane ?? assert.fail();
    const pairs = arrivals.flatMap((at_ms, index) =>
      index % 2 === 0 ? [{ at_ms, bytes: arrivals[index + 1] ?? 0 }] : [],
    );
    assert.ok(pairs.every(({ at_ms }) => end_ns !== null && at_ms <= (end_ns - start_ns) / 1e6 + 0.05));
    assert.deepEqual(
      pairs,
      pairs.toSorted((a, b) => a.at_ms - b.at_ms),
    );
    return pairs;
  };
  assert.equal(pairsOf(3).length, 3);
  const many = pairsOf(1000);
  assert.ok(many.length <= maxArrivals && many.length > maxArrivals / 4, `${many.length}`);
  assert.equal(
    many.reduce((sum, { bytes }) => sum + bytes, 0),
    10_000,
  );
});

test("events of a request whose beginning was not told are left out", () => {
  const capture = newCapture("frame");
  for (const event of eventsOf(image).slice(1)) take(capture, event);
  assert.deepEqual(entriesFrom(capture), []);
});

test("a request of the browser's memory moved no bytes", () => {
  const capture = newCapture("frame");
  const [sent, ...rest] = eventsOf(image);
  assert.ok(sent && "requestId" in sent.params);
  take(capture, sent);
  take(capture, {
    method: "Network.requestServedFromCache",
    params: { requestId: sent.params.requestId },
    target: "page",
  });
  for (const event of rest) take(capture, event);
  const [entry] = entriesFrom(capture);
  assert.equal(entry?._fromCache, "memory");
  assert.equal(entry?.response._transferSize, 0);
  assert.equal(entry?.timings.wait, 0);
});

test("what another request of the same URL was still filling the cache with moved no bytes of its own", () => {
  const shared = (headers: Record<string, string>, isWhole = true) => {
    const capture = newCapture("frame");
    for (const event of eventsOf(image)) {
      if (event.method === "Network.responseReceived") {
        const response = { ...event.params.response, connectionId: 0, encodedDataLength: 0 };
        const withHeaders = { ...response, headers: { ...response.headers, ...headers } };
        take(capture, { ...event, params: { ...event.params, response: withHeaders } });
      } else if (event.method === "Network.loadingFinished") {
        if (isWhole) take(capture, { ...event, params: { ...event.params, encodedDataLength: 0 } });
      } else if (event.method !== "Network.dataReceived") take(capture, event);
    }
    return entriesFrom(capture)[0];
  };
  assert.equal(shared({})?._fromCache, "shared");
  assert.equal(shared({}, false)?._fromCache, "shared", "also where it did not come to its end");
  assert.equal(
    shared({ "Non-Authoritative-Reason": "HSTS" })?._fromCache,
    undefined,
    "nor does what the browser made up",
  );
});

test("of two requests of one URL that read the same answer, the one without a connection is shared, whatever it read", () => {
  const withTwin = (isTwinOver: boolean) => {
    const capture = newCapture("frame");
    const [first] = eventsOf(image);
    assert.equal(first?.method, "Network.requestWillBeSent");
    for (const event of eventsOf(image)) {
      if (isTwinOver || event.method !== "Network.loadingFinished") take(capture, event);
    }
    const shift_s = isTwinOver ? 1e6 : 0;
    for (const event of eventsOf(image)) {
      if (!("requestId" in event.params)) continue;
      const renamed = { ...event.params, requestId: "twin" };
      if (event.method === "Network.requestWillBeSent")
        take(capture, {
          ...event,
          params: { ...renamed, timestamp: event.params.timestamp + shift_s },
        } as typeof event);
      else if (event.method === "Network.responseReceived")
        take(capture, {
          ...event,
          params: { ...renamed, response: { ...event.params.response, connectionId: 0 } },
        } as typeof event);
      else if (event.method === "Network.loadingFinished" || event.method === "Network.dataReceived")
        take(capture, { ...event, params: renamed } as typeof event);
    }
    return entriesFrom(capture).find(({ _trilane: { requestId } }) => requestId === "twin");
  };
  assert.equal(withTwin(false)?._fromCache, "shared");
  assert.equal(withTwin(false)?.response._transferSize, 0);
  assert.equal(withTwin(true)?._fromCache, undefined, "the first one had ended");
});

test("a cancelled request says so and counts the bytes that came", () => {
  const capture = newCapture("frame");
  const events = eventsOf(image).filter(({ method }) => method !== "Network.loadingFinished");
  for (const event of events) take(capture, event);
  const [sent] = events;
  assert.ok(sent && "requestId" in sent.params);
  const { requestId } = sent.params;
  const failed = { requestId, timestamp: 1e9, type: "Image", errorText: "net::ERR_ABORTED", canceled: true } as const;
  take(capture, { method: "Network.loadingFailed", params: failed, target: "page" });
  const [entry] = entriesFrom(capture);
  assert.equal(entry?._trilane.canceled, true);
  assert.equal(entry?.response._error, "net::ERR_ABORTED");
  assert.ok((entry?.response._transferSize ?? 0) > 0);
});

test("a redirect inside the browser takes no wire headers from the request after it", () => {
  const recorded = fixture("h2");
  const { mainFrame, events } = recorded;
  // As for an upgrade to https: the first answer never was on the wire, so it has no ExtraInfo.
  const document = eventsOf("https://shop.test/", recorded);
  const extraInfos = document.filter(({ method }) => method.endsWith("ExtraInfo"));
  assert.equal(extraInfos.length, 4);
  const dropped = new Set(extraInfos.slice(0, 2));
  const capture = newCapture(mainFrame);
  for (const event of events) {
    if (dropped.has(event)) continue;
    const internal = event.method === "Network.requestWillBeSent" && event.params.redirectHasExtraInfo;
    take(capture, internal ? { ...event, params: { ...event.params, redirectHasExtraInfo: false } } : event);
  }
  const wires = wireHeaders(capture);
  assert.deepEqual(wires[0], { request: null, response: null });
  assert.equal(wires[1]?.response?.statusCode, 200);
});

test("the page's load event is that of the document shown, not of the empty page before it", () => {
  const { mainFrame, events } = fixture("h2");
  const capture = newCapture(mainFrame);
  take(capture, { method: "Page.loadEventFired", params: { timestamp: 1 }, target: "page" });
  assert.equal(capture.loadEvent_s, null);
  for (const event of events) take(capture, event);
  assert.ok(capture.loadEvent_s !== null && capture.loadEvent_s > 1);
  take(capture, { method: "Page.loadEventFired", params: { timestamp: 2 }, target: "iframe" });
  assert.notEqual(capture.loadEvent_s, 2);
});

test("only http and https are requests", () => {
  const capture = newCapture("frame");
  for (const event of eventsOf(image)) {
    const isSent = event.method === "Network.requestWillBeSent";
    take(
      capture,
      isSent
        ? { ...event, params: { ...event.params, request: { ...event.params.request, url: "data:image/gif,x" } } }
        : event,
    );
  }
  assert.equal(capture.requests.length, 1);
  assert.deepEqual(entriesFrom(capture), []);
});
