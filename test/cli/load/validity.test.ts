// Whether a load is what was asked: one spoilt thing at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timedOutAfter_ms } from "../../../cli/load/time_out.ts";
import { replacedRecording, verify } from "../../../cli/load/validity.ts";
import { lastVisit, repeatVisitOf } from "../../../cli/load/visits.ts";
import {
  connectionOn,
  entry,
  evidence,
  imageUrl,
  over,
  pageUrl,
  replayed,
  replayReport,
  shaperReport,
  unanswered,
} from "./fixtures.ts";

const afterLoad = { start_ns: 1_600_000_000 };

function assertInvalid(change: Parameters<typeof evidence>[0], reason: RegExp): void {
  const { status, reasons } = verify(evidence(change));
  assert.equal(status, "invalid");
  assert.equal(reasons.length, 1, reasons.join("; "));
  assert.match(reasons[0] ?? "", reason);
}

test("a load as asked is valid and counted", () => {
  const { status, reasons, counts, entries, background } = verify(evidence());
  assert.deepEqual({ status, reasons, background }, { status: "valid", reasons: [], background: [] });
  assert.deepEqual(counts, {
    requests: 2,
    bytes: 2200,
    connections: 2,
    unused_connections: { h1: 1, h3: 1 },
    matched: 2,
    fuzzy: 0,
    missed: 0,
    failed: 0,
    off_lane: 0,
  });
  assert.deepEqual(
    entries.map((each) => each._trilane.match),
    ["exact", "exact"],
  );
});

test("a request on another protocol spoils a load, unless it began after the load event", () => {
  const { replay, entries } = over("h2", "http/1.1");
  assertInvalid({ replay, entries }, /^1 of 2 requests not on h2: https:\/\/cdn\.example.* \(http\/1\.1\)$/);
  const late = [entry(pageUrl), entry(imageUrl, { _protocol: "http/1.1", facts: afterLoad })];
  assert.equal(verify(evidence({ replay, entries: late })).status, "valid");
});

test("a load whose server ended is invalid by that, also if its page did not come", () => {
  const server = ["server mine ended during the load (exit status 7): tenth request"];
  assertInvalid({ server }, /^server mine ended/);
  const { status, reasons } = verify(
    evidence({ server, failure: "the page did not load: net::ERR_CONNECTION_REFUSED" }),
  );
  assert.deepEqual([status, reasons.length, reasons[0]], ["invalid", 2, server[0]]);
});

test("of a server that says nothing of its connections the browser's word is all", () => {
  const replay = replayReport([pageUrl, imageUrl].map((url) => ({ ...replayed(url), connection: null })));
  assert.equal(verify(evidence({ replay })).status, "invalid");
  assert.equal(verify(evidence({ replay, isUnlogged: true })).status, "valid");
  const offLane = [entry(pageUrl), entry(imageUrl, { _protocol: "http/1.1" })];
  assert.equal(verify(evidence({ replay, isUnlogged: true, entries: offLane })).status, "invalid");
});

test("each lane has its protocol", () => {
  const protocols = { h1: "http/1.1", h2: "h2", h3: "h3" } as const;
  for (const [own, protocol] of Object.entries(protocols))
    for (const lane of ["h1", "h2", "h3"] as const) {
      const { status } = verify(evidence({ lane, ...over(protocol, protocol) }));
      assert.equal(status, lane === own ? "valid" : "invalid", `${protocol} on ${lane}`);
    }
});

test("a lane that is left free takes the protocols it may come to", () => {
  const upgraded = verify(evidence({ lane: "h3-altsvc", ...over("h2", "h3") }));
  assert.deepEqual(upgraded.reasons, []);
  assert.deepEqual(upgraded.protocols, { h2: 1, h3: 1 });
  assertInvalid({ lane: "h3-altsvc", ...over("h2", "http/1.1") }, /^1 of 2 requests not on h3-altsvc/);
  assertInvalid(
    { lane: "h3-altsvc", ...over("h3", "h3") },
    /^the first request was on h3 before any answer told of it/,
  );
  assert.equal(verify(evidence({ lane: "h3-discovered", ...over("h3", "h3") })).status, "valid");
  assertInvalid({ lane: "h3-discovered", ...over("h3", "h2") }, /^1 of 2 requests not on h3-discovered/);
});

test("in clear requests are joined with what was asked over http, and nothing may have come over TLS", () => {
  const clear = (url: string) => url.replace(/^https:\/\/([^/]*)/, "http://$1.clear.test");
  const details = { protocol: "TLS 1.3", cipher: "", keyExchangeGroup: "", subjectName: "", issuer: "" };
  const of = (response = {}) => ({
    lane: "h1-clear" as const,
    entries: [entry(pageUrl, { _protocol: "http/1.1" }), entry(imageUrl, { _protocol: "http/1.1", response })],
    replay: replayReport(
      [pageUrl, imageUrl].map((url) => ({ ...replayed(clear(url)), connection: connectionOn["http/1.1"] })),
    ),
  });
  const { reasons, counts } = verify(evidence(of()));
  assert.deepEqual(reasons, []);
  assert.equal(counts.matched, 2);
  assertInvalid(of({ _securityDetails: details }), /^1 of 2 requests not on h1-clear: https:\/\/cdn\.example/);
  const failedUrls = [imageUrl];
  const failing = verify(evidence({ ...of({ _error: "net::ERR_FAILED" }), failedUrls }));
  assert.deepEqual(failing.reasons, []);
});

const secondVisit_ns = 900_000_000;

/** A repeat visit's report: the same requests over connection 0 before, over connection 1 after. */
function repeatReport(second: { resumed: boolean; early_data: boolean }): ReturnType<typeof replayReport> {
  const report = replayReport([
    { ...replayed(imageUrl, "missed"), request_ns: secondVisit_ns - 1 },
    { ...replayed(pageUrl), connection: 1 },
    { ...replayed(imageUrl), connection: 1 },
  ]);
  const [, , template] = report.connections;
  assert.ok(template);
  const opened_ns = secondVisit_ns + 1;
  return {
    ...report,
    visits_ns: [secondVisit_ns],
    connections: [
      { ...template, id: 0, opened_ns: secondVisit_ns - 2 },
      { ...template, id: 1, opened_ns, secured_ns: opened_ns, ...second },
    ],
  };
}

test("of a repeat visit only the second load counts, and it has to begin with early data", () => {
  const entries = [entry(pageUrl, { _protocol: "h3" }), entry(imageUrl, { _protocol: "h3" })];
  const of = (replay: ReturnType<typeof replayReport>) => ({ lane: "h3-0rtt" as const, entries, replay });
  const good = verify(evidence(of(repeatReport({ resumed: true, early_data: true }))));
  assert.deepEqual(good.reasons, []);
  assert.deepEqual({ matched: good.counts.matched, missed: good.counts.missed }, { matched: 2, missed: 0 });
  assert.deepEqual(good.background, []);
  assertInvalid(of(repeatReport({ resumed: true, early_data: false })), /^the page's connection was resumed without/);
  assertInvalid(of(repeatReport({ resumed: false, early_data: false })), /^the page's connection was not resumed/);
  const untold = verify(evidence(of({ ...repeatReport({ resumed: true, early_data: true }), visits_ns: [] })));
  assert.match(untold.reasons.join("; "), /trilane-replay was not told of the repeat visit/);
});

test("a repeat visit may come out of the cache that it kept, a first visit may not", () => {
  const entries = [entry(pageUrl, { _protocol: "h3", _fromCache: "disk" })];
  const first = repeatReport({ resumed: true, early_data: true });
  const replay = { ...first, requests: first.requests.slice(0, 1) };
  assert.deepEqual(verify(evidence({ lane: "h3-0rtt", entries, replay })).reasons, []);
  assertInvalid({ lane: "h3", entries, replay: replayReport([]) }, /^no request was seen$/);
  assertInvalid({ lane: "h3-0rtt", entries: [], replay }, /^no request was seen$/);
});

test("what a repeat visit was is counted of its own connections", () => {
  const report = lastVisit(repeatReport({ resumed: true, early_data: true }));
  assert.deepEqual(repeatVisitOf({ plt_ms: 400, keepCache: false }, report), {
    ...{ first_plt_ms: 400, cache: "emptied" },
    ...{ connections: 1, resumed: 1, early_data: 1 },
  });
});

test("an unmatched request spoils a load, unless it began after the load event", () => {
  const replay = replayReport([replayed(pageUrl), replayed(imageUrl, "missed")]);
  assertInvalid({ replay }, /^1 of 2 requests not in the recording: https:\/\/cdn\.example/);
  const late = verify(evidence({ replay, entries: [entry(pageUrl), entry(imageUrl, { facts: afterLoad })] }));
  assert.equal(late.status, "valid");
  assert.equal(late.counts.missed, 1);
});

test("of a video each request needs its own answer: another segment is another picture", () => {
  assertInvalid(
    { exact: true, replay: replayReport([replayed(pageUrl), replayed(imageUrl, "fuzzy")]) },
    /^1 of 2 requests were answered as another one: https:\/\/cdn\.example/,
  );
});

test("a fuzzy match is counted apart and spoils nothing", () => {
  const { status, counts, entries } = verify(
    evidence({ replay: replayReport([replayed(pageUrl), replayed(imageUrl, "fuzzy")]) }),
  );
  assert.equal(status, "valid");
  assert.deepEqual([counts.matched, counts.fuzzy, counts.missed], [1, 1, 0]);
  assert.deepEqual(
    entries.map((entry) => entry._trilane.instead),
    [undefined, { url: `${imageUrl}?recorded`, difference: "query", likeness: 0.5 }],
  );
});

const failing = (facts = {}) => unanswered(imageUrl, { response: { _error: "net::ERR_NAME_NOT_RESOLVED" }, facts });

test("a failed request spoils a load, unless the page did it, it failed when it was recorded, or a cache answered", () => {
  const replay = replayReport([replayed(pageUrl)]);
  const missed = replayReport([replayed(pageUrl), replayed(imageUrl, "missed")]);
  const failedUrls = [`${imageUrl}#part`];
  assertInvalid({ replay, entries: [entry(pageUrl), failing()] }, /failed: .*ERR_NAME_NOT_RESOLVED/);
  assertInvalid({ failedUrls: [pageUrl], replay: missed }, /not in the recording/);
  for (const [image, change, requests, failed] of [
    [failing({ canceled: true }), { replay }, 2, 0],
    [failing({ blocked: "csp" }), { replay }, 1, 0],
    [failing(), { replay, failedUrls }, 2, 1],
    [entry(imageUrl), { replay: missed, failedUrls }, 2, 0],
    [entry(imageUrl, { _fromCache: "memory" }), { replay }, 1, 0],
  ] as const) {
    const { status, counts } = verify(evidence({ ...change, entries: [entry(pageUrl), image] }));
    assert.deepEqual([status, counts.requests, counts.failed], ["valid", requests, failed]);
  }
});

test("requests of one URL take the replay's outcomes in order, whatever the fragment", () => {
  const first = { ...replayed(imageUrl, "fuzzy"), request_ns: 2 };
  const second = { ...replayed(imageUrl, "exact"), request_ns: 1 };
  const { entries } = verify(
    evidence({
      replay: replayReport([first, second]),
      entries: [entry(`${imageUrl}#top`), entry(imageUrl, { facts: { start_ns: 1_100_000_000 } })],
    }),
  );
  assert.deepEqual(
    entries.map((each) => each._trilane.match),
    ["exact", "fuzzy"],
  );
});

test("the browser's own requests and names are kept apart, also a favicon that the page's events tell of", () => {
  const icon = "https://shop.example/favicon.ico";
  const requests = [replayed(pageUrl), replayed(imageUrl), replayed(icon, "missed")];
  const dns = [
    { name: "shop.example", type: "A", answer: "ok" as const, time_ns: 1 },
    { name: "update.example.", type: "A", answer: "nxdomain" as const, time_ns: 2 },
  ];
  const told = entry(icon, { _resourceType: "other", _initiator: { type: "other" }, response: { status: 404 } });
  for (const more of [[], [told]]) {
    const entries = [entry(pageUrl), entry(imageUrl), ...more];
    const verdict = verify(evidence({ replay: replayReport(requests, dns), entries }));
    assert.deepEqual([verdict.status, verdict.entries.length, verdict.counts.requests], ["valid", 2, 2]);
    assert.equal(verdict.counts.missed, 0);
    assert.deepEqual(verdict.background, [
      { url: icon, outcome: "missed" },
      { url: "dns:update.example.", outcome: "nxdomain" },
    ]);
  }
});

test("a page that replaces itself, a load event that never ended, and no request at all spoil a load", () => {
  assertInvalid(
    { documents: [pageUrl, "https://shop.example/next"] },
    /replaced itself by https:\/\/shop\.example\/next: .*: record and race that URL instead$/,
  );
  assertInvalid(
    { documents: [pageUrl, "https://shop.example/next", pageUrl.replace("https:", "http:")] },
    /replaced itself by http:\/\/shop\.example\/: its load has no one beginning$/,
  );
  assertInvalid({ loadEnd_ns: null }, /load event did not end/);
  assertInvalid({ entries: [] }, /no request was seen/);
});

test("what held up a load's link, and reports that are missing, spoil it", () => {
  assertInvalid({ spoilt: ["the machine held up the link: for 30.1 ms"] }, /for 30\.1 ms/);
  assert.equal(verify(evidence({ shaper: shaperReport(50_000_000) })).status, "valid");
  assertInvalid({ shaper: null }, /trilane-shaper left no report/);
  assertInvalid({ replay: null }, /trilane-replay left no report/);
});

test("a load that did not end has failed, for that one reason", () => {
  const { status, reasons } = verify(evidence({ failure: "the page's process ended (crashed, 11)", loadEnd_ns: null }));
  assert.equal(status, "failed");
  assert.deepEqual(reasons, ["the page's process ended (crashed, 11)"]);
});

test("a replay of another recording than was asked is told, with both digests", () => {
  const { recording } = replayReport([]);
  assert.equal(replacedRecording(recording, { recording }), null);
  assert.equal(replacedRecording(recording, null), null, "without a report nothing is known");
  const other = { ...recording, digest: "0123456789abcdef" };
  assert.match(
    replacedRecording(recording, { recording: other }) ?? "",
    new RegExp(
      `^recording ${recording.name} was replaced.*\\(${recording.digest.slice(0, 12)}, now 0123456789ab\\).*--new$`,
    ),
  );
});

test("a page that lost requests when its link moved never is whole, and counts as one that timed out", () => {
  const moved = (at_ns: number) => ({
    ...shaperReport(),
    moves: { count: 1, list: [{ at_ns, kind: "port" as const }], renewed_bindings: 1, bindings: [] },
  });
  const lost = entry(imageUrl, { response: { _error: "net::ERR_CONNECTION_RESET" } });
  const entries = [entry(pageUrl), lost];
  const end_ns = lost._trilane.end_ns ?? 0;
  const { status, reasons, counts } = verify(evidence({ entries, shaper: moved(end_ns - 1) }));
  assert.equal(status, "failed");
  assert.match(
    reasons.join(),
    /^the page was not whole within 60000 ms: 1 of 2 requests were lost when the link moved: \S+ \(net::ERR_CONNECTION_RESET\)$/,
  );
  assert.equal(timedOutAfter_ms(reasons), 60_000);
  assert.equal(counts.failed, 1);
  // Before the link moved, by the page's own doing, or with something else against it, it is no measurement.
  assert.equal(verify(evidence({ entries, shaper: moved(end_ns + 1) })).status, "invalid");
  assert.equal(verify(evidence({ entries })).status, "invalid");
  const disturbed = verify(evidence({ entries, shaper: moved(end_ns - 1), spoilt: ["the machine held up the link"] }));
  assert.equal(disturbed.status, "invalid");
  assert.equal(timedOutAfter_ms(disturbed.reasons), null);

  // Its document alone, and nothing else came.
  const error = "net::ERR_CONNECTION_RESET";
  const document = [entry(pageUrl, { response: { _error: error } })];
  const none = { entries: document, loadEnd_ns: null, failure: `the page did not load: ${error}` };
  const without = verify(evidence({ ...none, shaper: moved(end_ns - 1) }));
  assert.equal(without.status, "failed");
  assert.equal(timedOutAfter_ms(without.reasons), 60_000);
  assert.deepEqual(verify(evidence(none)).reasons, [none.failure]);
  const crashed = { ...none, failure: "the page's process ended (crashed, 11)", shaper: moved(end_ns - 1) };
  assert.deepEqual(verify(evidence(crashed)).reasons, [crashed.failure]);
});
