// cli/recording/record/visits.ts: the union of visits, in one time line, each request as often as the visit that made it most.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importPage } from "../../../../cli/recording/import/import_har.ts";
import type { RecordedPage } from "../../../../cli/recording/record/record_page.ts";
import { uniteVisits } from "../../../../cli/recording/record/visits.ts";
import { onWire } from "../import/on_wire.ts";

interface Asked {
  readonly path: string;
  readonly at_ms?: number;
  readonly status?: number;
  readonly body?: string;
  readonly cached?: boolean;
  readonly connection?: string;
  readonly wait_ms?: number;
  readonly receive_ms?: number;
  readonly connect_ms?: number;
}

const rtt_ms = 50;

/** A visit that began at this second of a minute, whose answers name it. */
function visit(number: number, second: number, asked: readonly Asked[], onLoad: number | null = null): RecordedPage {
  const start_ms = Date.UTC(2026, 0, 1, 0, 0, second);
  const entries = asked.map(({ path, at_ms = 0, status = 200, body, cached, ...wire }) => ({
    pageref: "page_1",
    startedDateTime: new Date(start_ms + at_ms).toISOString(),
    time: 1,
    timings: {
      ...{ blocked: 0, connect: path === "/" ? (wire.connect_ms ?? rtt_ms) : 0, send: 0 },
      ...{ wait: wire.wait_ms ?? 0, receive: wire.receive_ms ?? 0 },
    },
    request: {
      method: body === undefined ? "GET" : "POST",
      url: `https://shop.example${path}`,
      headers: [],
      ...(body === undefined ? {} : { postData: { mimeType: "text/plain", text: body } }),
    },
    response: {
      status,
      headers: [],
      content: { size: 3, mimeType: "text/plain", text: `v${number}` },
      _error: status > 0 ? null : "net::ERR_FAILED",
    },
    _connectionId: wire.connection ?? "7",
    ...(cached ? { _fromCache: "memory" } : {}),
  }));
  const page = { id: "page_1", startedDateTime: new Date(start_ms).toISOString(), title: "", pageTimings: { onLoad } };
  return {
    load: onWire({ log: { pages: [page], entries } }, (index) => ({
      body: null,
      trailers: [[`${number}`, `${index}`]],
      certificate: null,
      tlsVersion: null,
      connect_ms: null,
      recordWait_ms: 0,
    })),
    counts: { answered: asked.length, seen: asked.length, unattended: 0, under_way: 1 },
    browser: "Chromium 156",
    screensScrolled: number,
  };
}

/** Path, from which visit, when, and how many visits asked for it; as imported. */
function united(visits: readonly RecordedPage[]): { lines: string[]; added: readonly number[] } {
  const { page, added } = uniteVisits({ pages: visits, timing: null, untimed: null }, false);
  const { exchanges } = importPage(page.load, { url: "https://shop.example/" });
  const lines = exchanges.map(({ exchange, body }) => {
    const { start_offset_ms, visits: times, connection, trailers } = exchange.recorded;
    const of = (trailers as [string, string][] | undefined)?.[0]?.[0];
    assert.equal(String(body), `v${of}`, "each body with its own visit's facts");
    return `${exchange.path} v${of} ${start_offset_ms} ms of ${times ?? "all"} on ${connection}`;
  });
  return { lines, added };
}

test("one visit is itself", () => {
  const only = visit(1, 0, [{ path: "/" }]);
  assert.equal(uniteVisits({ pages: [only], timing: null, untimed: null }, false).page, only);
});

test("what all ask for is the first's; what differs is added in its order, on connections of its own", () => {
  const { lines, added } = united([
    visit(1, 0, [{ path: "/" }, { path: "/fixed", at_ms: 10 }, { path: "/ad?1", at_ms: 30 }]),
    visit(2, 7, [{ path: "/" }, { path: "/ad?2", at_ms: 20 }, { path: "/fixed", at_ms: 25 }]),
    visit(3, 20, [{ path: "/" }, { path: "/fixed", at_ms: 12 }, { path: "/ad?2", at_ms: 13 }]),
  ]);
  assert.deepEqual(lines, [
    "/ v1 0 ms of all on 7",
    "/fixed v1 10 ms of all on 7",
    "/ad?2 v2 20 ms of 2 on 2.7",
    "/ad?1 v1 30 ms of 1 on 7",
  ]);
  assert.deepEqual(added, [1, 0]);
});

test("a request counts as often as the visit that made it most, and another body is another request", () => {
  const poll = { path: "/poll", body: "a" };
  const { lines, added } = united([
    visit(1, 0, [{ path: "/" }, { path: "/poll", body: "a" }]),
    visit(2, 1, [{ path: "/" }, poll, poll, { path: "/poll", body: "b" }]),
    visit(3, 2, [{ path: "/" }, poll]),
  ]);
  assert.deepEqual(lines.toSorted(), [
    "/ v1 0 ms of all on 7",
    "/poll v1 0 ms of all on 7",
    "/poll v2 0 ms of 1 on 2.7",
    "/poll v2 0 ms of 1 on 2.7",
  ]);
  assert.deepEqual(added, [2, 0]);
});

test("the first answer counts: what failed once is answered by the visit in which it did not", () => {
  const { lines, added } = united([
    visit(1, 0, [{ path: "/" }, { path: "/flaky", status: 0 }]),
    visit(2, 1, [{ path: "/" }, { path: "/flaky", at_ms: 5 }]),
    visit(3, 2, [{ path: "/" }, { path: "/flaky", status: 0 }]),
  ]);
  assert.deepEqual(lines, ["/ v1 0 ms of all on 7", "/flaky v2 5 ms of all on 2.7"]);
  assert.deepEqual(added, [1, 0]);
});

test("what a visit's cache gave is no further request", () => {
  const { added } = united([
    visit(1, 0, [{ path: "/" }, { path: "/a" }]),
    visit(2, 1, [{ path: "/" }, { path: "/a" }, { path: "/a", cached: true }]),
  ]);
  assert.deepEqual(added, [0]);
});

test("a page that is another each time keeps all of them", () => {
  const visits = Array.from({ length: 20 }, (_, number) => {
    const own = Array.from({ length: 50 }, (_each, each) => ({ path: `/${number}/${each}`, at_ms: each }));
    const fixed = Array.from({ length: 50 }, (_each, each) => ({ path: `/fixed/${each}`, at_ms: each }));
    return visit(number + 1, number, [{ path: "/" }, ...own, ...fixed]);
  });
  const { lines, added } = united(visits);
  assert.equal(lines.length, 1 + 50 + 20 * 50);
  assert.deepEqual(added, new Array(19).fill(50));
  assert.equal(uniteVisits({ pages: visits, timing: null, untimed: null }, false).page.screensScrolled, 20);
  assert.equal(uniteVisits({ pages: visits, timing: null, untimed: null }, false).page.counts.under_way, 20);
});

test("the times are those of the visit whose load event came first, if it was not answered much less", () => {
  const asked = (at_ms: number) => [{ path: "/" }, { path: "/a", at_ms }, { path: "/b", at_ms: at_ms + 1 }];
  const visits = [
    visit(1, 0, asked(300), 900),
    visit(2, 10, [...asked(40), { path: "/ad", at_ms: 60 }], 200),
    visit(3, 20, [{ path: "/blocked", at_ms: 5 }], 100),
  ];
  const { lines, added } = united(visits);
  assert.deepEqual(lines, [
    "/ v2 0 ms of 2 on 7",
    "/blocked v3 5 ms of 1 on 3.7",
    "/a v2 40 ms of 2 on 7",
    "/b v2 41 ms of 2 on 7",
    "/ad v2 60 ms of 1 on 7",
  ]);
  assert.deepEqual(added, [1, 1], "in the order of the visits");
});

// Over HTTP/2 /slow came right behind /large, as if it had been ready all the time.
const shared = visit(1, 0, [
  { path: "/", wait_ms: 60, receive_ms: 5 },
  { path: "/large", at_ms: 100, wait_ms: 55, receive_ms: 200 },
  { path: "/slow", at_ms: 100, wait_ms: 250, receive_ms: 5 },
  { path: "/only", at_ms: 400, wait_ms: 70, receive_ms: 5 },
]);

/** When servers were ready, with the rest of each exchange. */
function served(timing: RecordedPage | null): string[] {
  const { page, added, timed } = uniteVisits({ pages: [shared], timing, untimed: null }, false);
  assert.deepEqual(added, []);
  const { exchanges } = importPage(page.load, { url: "https://shop.example/" });
  return [
    timed ? "timed" : "not timed",
    ...exchanges.map(
      ({ exchange: { path, recorded } }) =>
        `${path} ${recorded.server_time_ms} ms at ${recorded.start_offset_ms} on ${recorded.connection}`,
    ),
  ];
}

const untimed = ["/ 10 ms at 0 on 7", "/large 5 ms at 100 on 7", "/slow 5 ms at 100 on 7", "/only 20 ms at 400 on 7"];

test("how long servers took is measured by the visit over HTTP/1.1, too, of which nothing else is kept", () => {
  assert.deepEqual(served(null), ["not timed", ...untimed]);
  const alone = visit(2, 10, [
    { path: "/", wait_ms: 55, receive_ms: 5 },
    { path: "/large", at_ms: 100, wait_ms: 400, receive_ms: 200, connection: "8" },
    { path: "/slow", at_ms: 100, wait_ms: 230, receive_ms: 5, connection: "9" },
    { path: "/other", at_ms: 100, wait_ms: 90, receive_ms: 5, connection: "8" },
  ]);
  // /large took longer there, / on the page's own visit.
  const [, large, , only] = untimed;
  assert.deepEqual(served(alone), ["timed", "/ 5 ms at 0 on 7", large, "/slow 180 ms at 100 on 7", only]);
});

test("of several visits the shortest time counts that was measured; where none was, the longest that was needed", () => {
  const timesOf = (...visits: RecordedPage[]): unknown[] => {
    const { page } = uniteVisits({ pages: visits, timing: null, untimed: null }, false);
    const { exchanges } = importPage(page.load, { url: "https://shop.example/" });
    return exchanges.map(({ exchange: { recorded } }) => recorded.server_time_ms);
  };
  const quickest = visit(1, 0, [
    { path: "/", wait_ms: 80, receive_ms: 5 },
    { path: "/large", at_ms: 100, wait_ms: 55, receive_ms: 200 },
    { path: "/slow", at_ms: 100, wait_ms: 250, receive_ms: 5 },
  ]);
  const warm = visit(2, 10, [
    { path: "/", wait_ms: 70, receive_ms: 5 },
    { path: "/large", at_ms: 100, wait_ms: 90, receive_ms: 200 },
    { path: "/slow", at_ms: 100, wait_ms: 290, receive_ms: 5 },
  ]);
  assert.deepEqual(timesOf(quickest, warm), [20, 5, 40]);
  assert.deepEqual(timesOf(warm, quickest), [20, 5, 40]);
});

test("a visit whose connect took long measures by the round trip of the others", () => {
  const lost = visit(2, 10, [{ path: "/", wait_ms: 250, receive_ms: 5, connect_ms: 1050 }]);
  const other = visit(1, 0, [{ path: "/", wait_ms: 250, receive_ms: 5 }]);
  for (const pages of [
    [other, lost],
    [lost, other],
  ]) {
    const { page } = uniteVisits({ pages, timing: null, untimed: null }, false);
    const { exchanges } = importPage(page.load, { url: "https://shop.example/" });
    assert.deepEqual(
      exchanges.map(({ exchange: { recorded } }) => recorded.server_time_ms),
      [pages[0] === other ? 200 : 0],
      "no more than until the first byte of the page's own visit",
    );
  }
});

test("a visit over HTTP/1.1 that met a challenge, or other answers, measures nothing of the page", () => {
  assert.deepEqual(served(visit(2, 10, [{ path: "/", wait_ms: 59, receive_ms: 5 }])), ["not timed", ...untimed]);
  const refused = visit(2, 10, [
    { path: "/", wait_ms: 60, receive_ms: 5 },
    { path: "/large", at_ms: 100, wait_ms: 55, receive_ms: 5, status: 403 },
    { path: "/slow", at_ms: 100, wait_ms: 230, receive_ms: 5, status: 403, connection: "9" },
  ]);
  assert.deepEqual(served(refused), ["timed", ...untimed]);
});
