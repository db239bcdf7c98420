// What Firefox tells of its requests, as the rest of the product has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf, type NetworkEvent, NetworkLog } from "../../../../cli/browser/firefox/bidi_entries.ts";
import { withStyleSheets } from "../../../../extension/capture/messages.ts";

const wall_ms = 1_795_926_351_000;
const clock = { monotonicMinusWall_ms: 5_000 - wall_ms, navigation_ms: 5_000 };

const none = { dnsStart: 0, dnsEnd: 0, connectStart: 0, connectEnd: 0, tlsStart: 0, tlsEnd: 0 };
const timings = {
  ...none,
  requestTime: wall_ms + 10,
  fetchStart: wall_ms + 12,
  dnsStart: wall_ms + 12,
  dnsEnd: wall_ms + 62,
  connectStart: wall_ms + 62,
  connectEnd: wall_ms + 162,
  tlsStart: wall_ms + 112,
  tlsEnd: wall_ms + 162,
  requestStart: wall_ms + 163,
  responseStart: wall_ms + 213,
  responseEnd: wall_ms + 220,
};

function event(method: string, more: Partial<NetworkEvent> = {}): NetworkEvent {
  return {
    method: `network.${method}`,
    context: "tab",
    navigation: "navigation",
    redirectCount: 0,
    request: {
      request: "7-a",
      url: "https://a.test/?q=1",
      method: "GET",
      headers: [{ name: "Host", value: { type: "string", value: "a.test" } }],
      bodySize: 0,
      destination: "document",
      initiatorType: null,
      timings,
    },
    ...more,
  };
}

const response = {
  protocol: "h2",
  status: 200,
  statusText: "OK",
  fromCache: false,
  headers: [],
  mimeType: "text/html",
  bytesReceived: 229,
  headersSize: 148,
  bodySize: 81,
};

function entriesOf(events: readonly NetworkEvent[]) {
  const log = new NetworkLog();
  for (const each of events) log.take(each);
  return log.requests.map((asked) => entryOf(asked, clock, "tab", "https://a.test/"));
}

test("a request's times are on the reports' clock, and its phases add up", () => {
  const [entry] = entriesOf([event("beforeRequestSent"), event("responseCompleted", { response })]);
  assert.ok(entry);
  const { start_ns, startOffset_ms, response_ns, end_ns, complete } = entry._trilane;
  assert.deepEqual([start_ns, response_ns, end_ns], [5.01e9, 5.213e9, 5.22e9]);
  assert.deepEqual([startOffset_ms, complete, entry._protocol, entry.response._transferSize], [10, true, "h2", 229]);
  const { blocked, dns, connect, ssl, send, wait, receive } = entry.timings;
  assert.deepEqual([dns, connect, ssl, wait, receive].map(Math.round), [50, 100, 50, 50, 7]);
  assert.equal(Math.round(blocked + dns + connect + send + wait + receive), 210);
});

test("under way, failed, given up, kept from the network and cached are told apart", () => {
  const [underWay] = entriesOf([event("beforeRequestSent")]);
  assert.deepEqual([underWay?._trilane.end_ns, underWay?._trilane.complete], [null, false]);
  const failed = (errorText: string) => entriesOf([event("beforeRequestSent"), event("fetchError", { errorText })])[0];
  assert.deepEqual(failed("NS_ERROR_NET_RESET")?.response._error, "NS_ERROR_NET_RESET");
  assert.equal(failed("NS_BINDING_ABORTED")?._trilane.canceled, true);
  assert.equal(failed("NS_ERROR_CONTENT_BLOCKED")?._trilane.blocked, "NS_ERROR_CONTENT_BLOCKED");
  const [cached] = entriesOf([event("responseCompleted", { response: { ...response, fromCache: true } })]);
  assert.deepEqual([cached?._fromCache, cached?._protocol, cached?.response._transferSize], ["cache", undefined, 0]);
});

test("each of a redirect chain is an entry; the browser's own requests and those of no network are none", () => {
  const further = event("responseCompleted", { redirectCount: 1, response });
  const entries = entriesOf([event("responseCompleted", { response: { ...response, status: 302 } }), further]);
  assert.deepEqual(
    entries.map((entry) => entry.response.status),
    [302, 200],
  );
  const data = { ...event("x").request, url: "data:,x" };
  assert.deepEqual(entriesOf([event("responseCompleted", { context: null }), event("x", { request: data })]), []);
});

test("what a style sheet asked for names it; all else names the document, whoever asked, and stays unknown", () => {
  const asked = (request: string, url: string, destination: string, referer: string): NetworkEvent => {
    const headers = [{ name: "Referer", value: { type: "string", value: referer } }];
    return event("responseCompleted", {
      request: { ...event("x").request, request, url, destination, headers },
      response,
    });
  };
  const entries = withStyleSheets(
    entriesOf([
      asked("1", "https://a.test/style.css", "style", "https://a.test/"),
      asked("2", "https://a.test/font.woff2", "font", "https://a.test/style.css"),
      asked("3", "https://a.test/by-script.png", "image", "https://a.test/"),
    ]),
  );
  assert.deepEqual(
    entries.map(({ _initiator }) => _initiator),
    [{ type: "other" }, { type: "parser", url: "https://a.test/style.css" }, { type: "other" }],
  );
});
