// The paragraph for a paper: says what the loads recorded and what came of the plan, the terms that decide a comparison among it,
// and nothing undefined.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportData } from "../../../cli/report/data.ts";
import { methodsParagraph } from "../../../cli/report/methods_paragraph.ts";
import { buildReport } from "../../../cli/report/report.ts";
import { firstLook, lastLook, nominalLevel } from "../../../cli/results/stats/sequential.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { testedLink } from "../load/selftest/tested.ts";
import type { Fixture } from "./fixture.ts";
import { raceFixture, smallGridFixture } from "./fixtures.ts";
import { reportData, withPlainSpaces } from "./written_report.ts";

const dataOf = (fixture: Fixture, links: readonly string[] = []): ReportData =>
  reportData(
    fixture,
    links.map((link) => testedLink(link)),
  );

const withPlan = (data: ReportData, change: Partial<SweepPlan>): ReportData => ({
  ...data,
  sweep: { ...data.sweep, plan: { ...data.sweep.plan, ...change } },
});

/** Each part in the text, and nothing in it that nobody knows. */
function assertSays(text: string, parts: readonly RegExp[]): void {
  for (const part of parts) assert.match(text, part);
  assert.doesNotMatch(text, /undefined|null|NaN|\[object/);
}

test("a race: machine, versions, transports, link, loads, what was left out, how it was summed up, and the citation", () => {
  assertSays(methodsParagraph(dataOf(raceFixture, raceFixture.links)), [
    /^Pages were loaded in Chromium \S+, headless, on one machine \(.+, \d+ CPUs?, Linux \S+\)\. /,
    /\(quiche 0\.30\.0, nghttp2 1\.68\.0; origins: one server for each recorded address; server think time: none; extra RTT of far servers: none; certificate chains: .+; TLS over TCP: 1\.2 and 1\.3 offered; /,
    / TCP ran cubic, initial window 10 packets, not paced; QUIC cubic, initial window 10 packets, paced\. /,
    / Lanes: h1 is HTTP\/1\.1 over TLS; h2 is HTTP\/2, forced; h3 is HTTP\/3, forced\. Each load is a first visit with a fresh profile\. /,
    / emulated one link \(3 Mbit\/s each way, RTT 50 ms, .*\); it was measured before the loads, within tolerance \((?:one-way delays within [\d.]+ ms, )?rates within [\d.]+ %\)\. /,
    / each of the 3 cells \(page, link and lane\) has 5 valid loads of 5 asked\. /,
    / Of 17 loads 2 were left out, because .* \(2 requests were answered over http\/1\.1 and not h2; the browser crashed\); 2 were further tries in the place of such\. /,
    / of medians; 95 % intervals are from order statistics on one page and link \(Hettmansperger and Sheather 1986\)\.\n/,
    /\n\nTrilane 0\.1\.0, sweep “.+” \(plan [0-9a-f]{12}, seed \d+\), \d{4}-\d\d-\d\d, 17 loads\.$/,
  ]);
});

test("loads that timed out are not said to be left out", () => {
  const data = dataOf(raceFixture, raceFixture.links);
  const slow = data.loads.findIndex(({ status }) => status === "failed");
  const loads = data.loads.map((load, index) =>
    index === slow ? { ...load, reasons: ["the load event did not come within 60000 ms"] } : load,
  );
  assertSays(methodsParagraph({ ...data, loads }), [
    / Of 17 loads 1 was left out, .* 1 load timed out(?: after \d+ s)? and was taken as slower than all others\. /,
  ]);
});

test("many links are counted; it is said where none was measured, or some", () => {
  assertSays(methodsParagraph(dataOf(smallGridFixture)), [
    / emulated 16 links; no link was measured beforehand\. /,
    / of medians of a page on a link; over several of these it is the geometric mean of their ratios, page by page; .*, over several by Student's t, for these pages, /,
  ]);
  const links = ["3mbit/50ms", "10mbit/50ms"];
  const half = methodsParagraph(dataOf({ ...raceFixture, links }, ["3mbit/50ms"]));
  assertSays(half, [/ emulated 2 links \(.*\); 1 of them was measured before the loads, within tolerance /]);
});

test("cross traffic is named, beside the verdict and in the paragraph", () => {
  const data = dataOf(raceFixture, raceFixture.links);
  const amid = withPlan(data, { cross_traffic: { flows: ["2*tcp:bbr"], page_start_s: 7 } });
  const said =
    /Every load shared its link with cross traffic: 2\*tcp:bbr, from 7 s before each page until its load has ended\./;
  assert.match(methodsParagraph(amid), said);
  assert.match(withPlainSpaces(buildReport(amid)), said);
  assert.doesNotMatch(methodsParagraph(data), /cross traffic/);
  assert.doesNotMatch(buildReport(data), /shared its link/);
});

test("dilated time is named, with what it left undilated, beside the verdict and in the paragraph", () => {
  const data = dataOf(raceFixture, raceFixture.links);
  const dilated = withPlan(data, { dilate: 5 });
  assertSays(methodsParagraph(dilated), [
    / Time was dilated by 5 \(Gupta et al\., NSDI 2006\): .* TCP ran Reno in place of CUBIC, .* shows? 1\/5, was added back /,
  ]);
  assert.doesNotMatch(methodsParagraph(data), /dilated/);
  assert.match(buildReport(dilated), /Time was dilated 5 times \(by an earlier version\)/);
  assert.doesNotMatch(buildReport(data), /Time was dilated/);
});

test("a link that was out at first is not said to have been within tolerance all along", () => {
  const data = dataOf(
    {
      ...raceFixture,
      outcome: ({ attempt }) =>
        attempt === 0
          ? { status: "invalid", reasons: ["the link's self-test is out of tolerance: rate down"] }
          : { status: "valid", reasons: [] },
    },
    raceFixture.links,
  );
  assertSays(methodsParagraph(data), [/; it was measured before the loads, within tolerance in the last measurement /]);
});

test("what happened, not what was planned: an unfinished sweep, one cut by its limit of time, cells without a load", () => {
  const data = dataOf({ ...raceFixture, finished: false });
  const some = { ...data, loads: data.loads.filter(({ lane, block }) => lane !== "h3" && block < 3) };
  assertSays(methodsParagraph(some), [
    / each of the 3 cells .* has 0 to 3 valid loads \(median 3; 1 has none\) of 5 asked\. The sweep is not finished: 6 valid loads of 15 asked are here\. /,
  ]);
  const cut = withPlan(
    { ...some, sweep: { ...some.sweep, finished_at: "2026-03-01T01:00:00.000Z" } },
    { time_limit_s: 60 },
  );
  assertSays(methodsParagraph(cut), [/ The sweep was ended by its limit of 60 s of loads: 9 of 15 were not begun\. /]);
  const whole = dataOf(raceFixture);
  assert.doesNotMatch(methodsParagraph(whole), /not finished|limit/);
  assertSays(methodsParagraph(withPlan(whole, { time_limit_s: 60 })), [/ The limit of 60 s was not reached\. /]);
});

test("repeat visits, one server, films and several versions are told", () => {
  const data = dataOf({ ...raceFixture, lanes: ["h3", "h3-0rtt"] });
  const [first] = data.filmedLoads;
  assert.equal(first, undefined);
  const facts = new Map(
    [...data.facts].map(([id, each], index) => [
      id,
      {
        ...each,
        ...(each.lane === "h3-0rtt"
          ? { repeat: { first_plt_ms: 1, cache: "kept" as const, connections: 1, resumed: 1, early_data: 1 } }
          : {}),
        serving: { origins: "single" as const, think: { ms: 20 }, extra_rtt: true },
        environment: {
          ...each.environment,
          versions: { ...each.environment.versions, quiche: index === 0 ? "0.30.0" : "0.31.0" },
        },
      },
    ]),
  );
  const filmed = { cell: 1, number: 0, status: "valid", reasons: [] } as unknown as ReportData["filmedLoads"][number];
  assertSays(methodsParagraph({ ...data, facts, filmedLoads: [filmed, filmed] }), [
    /\(quiche 0\.30\.0 or 0\.31\.0, .*origins: one server for all hosts; server think time: 20 ms; extra RTT of far servers: as recorded; /,
    / Each load on h3-0rtt is the second visit of one profile, on new connections, the first one's cache, cookies and storage kept; on the other lanes a first visit with a fresh profile\. /,
    / 2 further loads were filmed, .* and count in nothing else\. /,
  ]);
});

test("an adaptive sweep tells its looks, their levels and the estimator", () => {
  const data = withPlan(dataOf(raceFixture), { until: { decided_percent: 3 } });
  const text = methodsParagraph(data);
  const [low = 0, high = 0] = (/ levels from (\S+) to (\S+),/.exec(text) ?? []).slice(1).map(Number);
  for (let look = firstLook; look <= lastLook; look++) {
    const level = nominalLevel(look);
    assert.ok(
      level >= low * 0.99 && level <= high * 1.01,
      `${level} after ${look} blocks is not from ${low} to ${high}`,
    );
  }
  assertSays(text, [
    / has 5 valid loads, of at most 5, until each pair of lanes is decided within 3 %\. /,
    / looked at after each block from the 5th to the 30th, by a test of their medians .* at nominal levels from 0\.\d+ to 0\.\d+, .* below 5 % for each pair; .* lean away from 0/,
  ]);
});
