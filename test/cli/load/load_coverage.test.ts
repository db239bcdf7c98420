// Which loads count by what they asked for of their recording: a page of twenty objects, one thing spoiled at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { verify } from "../../../cli/load/validity.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import {
  connectionOn,
  entry,
  evidence,
  objectUrl,
  pageUrl,
  recordedOf,
  replayed,
  replayReport,
  unanswered,
} from "./fixtures.ts";

const recorded = recordedOf(...Array.from({ length: 20 }, (_, place) => (place === 19 ? 0 : 1000)));
const { requests } = recorded;

/** A load of the first `count` objects. */
function load(count: number, strict = false, more: readonly HarEntry[] = [], missed: readonly string[] = []) {
  const places = Array.from({ length: count }, (_, place) => place);
  return evidence({
    recorded,
    strict,
    entries: [...places.map((place) => entry(objectUrl(place))), ...more],
    replay: replayReport([
      ...places.map((seq) => ({ ...replayed(objectUrl(seq)), seq })),
      ...missed.map((url) => replayed(url, "missed")),
    ]),
  });
}

test("a load of the whole page is valid, and its coverage is whole", () => {
  for (const strict of [false, true]) {
    const { status, coverage } = verify(load(20, strict));
    assert.equal(status, "valid");
    assert.deepEqual([coverage?.requests, coverage?.bytes, coverage?.unanswered], [1, 1, 0]);
  }
});

test("a load of 1 or 2 of many recorded requests is invalid, whichever rule", () => {
  for (const strict of [false, true]) {
    const { status, reasons } = verify(load(2, strict));
    assert.equal(status, "invalid");
    assert.deepEqual(reasons, [
      "covers too little of the recording: 2 of 20 requests (10 %, bound 95 %), 2 kB of 19 kB (10.5 %, bound 98 %)",
    ]);
  }
});

test("a beacon, a report and a missing script spoil a load only where each request must be recorded", () => {
  const report = "https://reports.example/csp";
  const script = "https://cdn.example/a.js";
  const more = [entry(report, { _resourceType: "cspviolationreport" }), entry(script, { _resourceType: "script" })];
  const { status, coverage, entries } = verify(load(20, false, more, [report, script]));
  assert.equal(status, "valid");
  assert.deepEqual(coverage?.beyond, { reports: 1, other: 1, failed: 0 });
  assert.equal(coverage?.unanswered, 1 / 21);
  assert.deepEqual(
    entries.slice(20).map(({ _trilane }) => _trilane.unrecorded),
    ["report", "other"],
  );
  assert.match(verify(load(20, true, more, [report, script])).reasons.join(), /^2 of 22 requests not in the recording/);
});

test("what a load asks for beyond its recording is told apart by who waits for it, and spoils no load of twenty requests", () => {
  const worker = entry(`${pageUrl}sw.js`, { _resourceType: "script" });
  const asWorker = {
    ...worker,
    request: { ...worker.request, headers: [{ name: "Service-Worker", value: "script" }] },
  };
  const failing = (url: string, error: string) =>
    unanswered(url, { _resourceType: "fetch", response: { _error: error } });
  const gone = failing("https://gone.example/", "net::ERR_NAME_NOT_RESOLVED");
  const late = entry("https://late.example/", { facts: { start_ns: 1_600_000_000 } });
  for (const [asked, beyond, change] of [
    [asWorker, { reports: 1 }, {}],
    [worker, { other: 1 }, {}],
    [entry(`${pageUrl}app.webmanifest`, { _resourceType: "manifest" }), { reports: 1 }, {}],
    // Of thousands at once the browser refuses to send some.
    [failing("https://collector.example/b", "net::ERR_INSUFFICIENT_RESOURCES"), {}, {}],
    [failing("https://collector.example/b", "net::ERR_CONNECTION_CLOSED"), { other: 1 }, {}],
    [gone, { other: 1 }, {}],
    [gone, { failed: 1 }, { failedUrls: ["https://gone.example/"] }],
    // No network serves it.
    [failing("chrome-extension://abc/x.js", "net::ERR_FAILED"), {}, {}],
    [late, {}, {}],
  ] as const) {
    const missed = asked.response.status === 200 ? [asked.request.url] : [];
    const { status, coverage } = verify({ ...load(20, false, [asked], missed), ...change });
    assert.deepEqual([status, coverage?.beyond], ["valid", { reports: 0, other: 0, failed: 0, ...beyond }]);
  }
});

test("too many requests without an answer make a load invalid", () => {
  const urls = ["https://a.example/1", "https://a.example/2"];
  const { reasons } = verify(
    load(
      20,
      false,
      urls.map((url) => entry(url)),
      urls,
    ),
  );
  assert.deepEqual(reasons, [
    "asks for too much that is not in the recording: 2 requests (9.1 %, bound 5 %), the first: https://a.example/1",
  ]);
});

test("a recorded request that failed on its way spoils a load, one that the browser kept from the page does not", () => {
  const withError = (error: string) => {
    const whole = load(20);
    const failed = entry(objectUrl(5), { response: { _error: error }, facts: { complete: false } });
    return verify({ ...whole, entries: whole.entries.with(5, failed) });
  };
  assert.match(withError("net::ERR_CONNECTION_RESET").reasons.join(), /^1 of 20 requests failed: .*RESET/);
  for (const error of ["net::ERR_FAILED", "net::ERR_BLOCKED_BY_ORB"]) assert.equal(withError(error).status, "valid");
});

test("a repeat visit asked for what its kept cache answers, also by another URL than the recorded one", () => {
  const visit_ns = 500_000_000;
  const stamped = `${pageUrl}7?now=1`;
  const first = requests.map(({ url }, seq) => ({
    ...replayed(seq === 7 ? stamped : url),
    seq,
    connection: 0,
    request_ns: 1000 + seq,
  }));
  const page = { ...replayed(pageUrl), seq: 0, connection: 1 };
  const report = replayReport([...first, page]);
  const connection = report.connections[connectionOn.h2];
  assert.ok(connection);
  const { status, reasons, coverage } = verify({
    ...load(20),
    lane: "h2-0rtt",
    entries: [
      entry(pageUrl),
      ...requests
        .slice(1)
        .map(({ url }, index) => entry(index + 1 === 7 ? stamped : url, { _fromCache: "disk" as const })),
    ],
    replay: {
      ...report,
      visits_ns: [visit_ns],
      connections: [
        { ...connection, id: 0, opened_ns: 10 },
        { ...connection, id: 1, opened_ns: visit_ns, resumed: true, early_data: true },
      ],
    },
  });
  assert.deepEqual(reasons, []);
  assert.equal(status, "valid");
  assert.equal(coverage?.requests, 1);
});

test("a load that failed has no coverage", () => {
  assert.equal(verify({ ...load(20), failure: "the page crashed" }).coverage, null);
});
