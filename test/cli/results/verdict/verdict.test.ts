import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes } from "../../../../cli/base/lanes.ts";
import { formatPercents, formatSize, formatTime, formatTimeRange } from "../../../../cli/base/numbers.ts";
import { textTable } from "../../../../cli/base/text_table.ts";
import type { Improvement } from "../../../../cli/results/verdict/comparison.ts";
import type { LoadStatus, Sample } from "../../../../cli/results/verdict/sample.ts";
import { lanePairs, sortLanes } from "../../../../cli/results/verdict/sample.ts";
import { summarizeCompared } from "../../../../cli/results/verdict/summary.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";
import {
  comparisonClause,
  excludedLine,
  laneTable,
  loneLaneSentence,
  verdictPairs,
} from "../../../../cli/results/verdict/verdict.ts";

function improvementOf(percent: number | null, low?: number, high?: number): Improvement {
  const interval = low === undefined || high === undefined ? null : { low, high };
  return {
    pair: { lane: "h3", over: "h2" },
    percent,
    interval,
    probability: interval && (interval.low > 0 || interval.high < 0 ? 0.001 : 0.5),
    comparisons: 1,
    units: "blocks",
    n: { lane: 5, over: 5 },
    pages: 1,
    pagesWon: { faster: 1, slower: 0 },
    bounds: { lane: 0, over: 0 },
    links: 1,
    ...{ unlike: 0, bothOut: 0, single: 0 },
    gap: null,
    reason: interval ? null : "an interval needs 5 valid loads of each lane",
  };
}

function load(lane: string, block: number, plt_ms: number | null, status: LoadStatus = "valid", reason = ""): Sample {
  return { page: "p", link: "3mbit/50ms", lane, block, status, reasons: reason ? [reason] : [], plt_ms };
}

test("clauses: faster, slower turned round, no difference, no interval, nothing", () => {
  assert.equal(comparisonClause(improvementOf(14.2, 11.1, 17.4)), "h3 is 14 % faster than h2 (95 %: 11 to 17)");
  assert.equal(comparisonClause(improvementOf(-120, -180, -61)), "h3 is 120 % slower than h2 (95 %: 61 to 180)");
  assert.equal(comparisonClause(improvementOf(1, -2, 3)), "no difference shown between h3 and h2 (95 %: -2 to 3)");
  assert.equal(
    comparisonClause(improvementOf(1, -2, 2.4)),
    "no difference larger than 3 % between h3 and h2 (95 %: -2 to 2)",
  );
  assert.equal(
    comparisonClause(improvementOf(-7)),
    "h3 was 7 % slower than h2 (5 loads each, too few for an interval)",
  );
  assert.match(comparisonClause({ ...improvementOf(null), reason: "no loads" }), /not known, no loads/);
  assert.equal(
    comparisonClause({ ...improvementOf(-14, -17, -11), pages: 12, pagesWon: { faster: 1, slower: 11 } }),
    "h3 is 14 % slower than h2 (95 %: 11 to 17, for these pages), 11 of 12 pages",
  );
  assert.equal(comparisonClause(improvementOf(0)), "h3 was as fast as h2 (5 loads each, too few for an interval)");
  assert.equal(
    comparisonClause(improvementOf(-0.001, -0.002, -0.0004)),
    "no difference larger than 0.01 % between h3 and h2",
  );
});

test("the faster lane's time-outs: at most so much, turned round as well, and not called faster", () => {
  const bounds = { lane: 1, over: 0 };
  const many = { pages: 100, pagesWon: { faster: 99, slower: 1 }, bounds, probability: 1 };
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  assert.equal(
    comparisonClause({ ...improvementOf(11, NEGATIVE_INFINITY, 13), ...many }),
    "no difference shown between h3 and h2: h3 is at most 11 % faster (95 %: 13 or less, for these pages), because h3 timed out in at least half of its loads on 1 page on a link",
  );
  assert.equal(
    comparisonClause({ ...improvementOf(-11, -13, POSITIVE_INFINITY), ...many, bounds: { lane: 0, over: 2 } }),
    "no difference shown between h3 and h2: h3 is at most 11 % slower (95 %: 13 or less, for these pages), because h2 timed out in at least half of its loads on 2 pages on links",
  );
  assert.equal(
    comparisonClause({ ...improvementOf(2, -3, POSITIVE_INFINITY), bounds: { lane: 0, over: 1 } }),
    "no difference shown between h3 and h2 (95 %: -3 or more)",
  );
});

test("rounding never makes an interval touch 0 that does not, nor merges its ends", () => {
  assert.deepEqual(formatPercents(1.2, { low: 0.3, high: 2.1 }), { percent: "1.2", low: "0.3", high: "2.1" });
  assert.deepEqual(formatPercents(14.1, { low: 13.9, high: 14.3 }), { percent: "14.1", low: "13.9", high: "14.3" });
  assert.deepEqual(formatPercents(-0.001, null), { percent: "0.0", low: "", high: "" });
});

test("times have three significant figures, in seconds from ten seconds on", () => {
  assert.equal(formatTime(743.4), "743 ms");
  assert.equal(formatTime(1236), "1240 ms");
  assert.equal(formatTime(9999), "10.0 s");
  assert.equal(formatTime(12_345), "12.3 s");
  assert.equal(formatTime(4.567), "4.57 ms");
  assert.equal(formatTimeRange({ low: 718, high: 743 }), "718 to 743 ms");
  assert.equal(formatTimeRange({ low: 9120, high: 12_300 }), "9.12 to 12.3 s");
  assert.equal(formatSize(999), "999 B");
  assert.equal(formatSize(2600), "2.6 kB");
  assert.equal(formatSize(1_234_567), "1.23 MB");
  assert.equal(formatSize(25_300_000_000), "25.3 GB");
});

test("lanes and pairs are in reading order", () => {
  assert.deepEqual(sortLanes(["h3", "h1", "x", "h2", "h1"]), ["h1", "h2", "h3", "x"]);
  assert.deepEqual(
    lanePairs(["h3", "h2", "h1"]).map(({ lane, over }) => `${lane} over ${over}`),
    ["h2 over h1", "h3 over h1", "h3 over h2"],
  );
});

const race: Sample[] = [
  ...[1000, 1010, 1020, 1030, 1040].map((plt, block) => load("h1", block, plt)),
  ...[900, 905, 910, 915, 920].map((plt, block) => load("h2", block, plt)),
  load("h2", 5, 1, "invalid", "2 requests on h1"),
  load("h2", 6, null, "failed", "the browser crashed"),
  ...[800, 805, 810, 815].map((plt, block) => load("h3", block, plt)),
];

test("summaries count every attempt once and average the valid ones", () => {
  const [h1, h2, h3] = summarizeCompared(race);
  assert.deepEqual([h1?.median_ms, h1?.valid, h1?.against], [1020, 5, null]);
  assert.deepEqual([h2?.median_ms, h2?.loads, h2?.valid, h2?.invalid, h2?.failed], [910, 7, 5, 1, 1]);
  assert.ok(h2?.interval_ms && h2.interval_ms.low >= 895 && h2.interval_ms.high <= 925);
  assert.equal(h3?.interval_ms, null, "four loads have no 95 % interval");
  assert.ok(h3?.against?.percent && Math.abs(h3.against.percent - (100 * (1020 - 807.5)) / 1020) < 1e-9);
});

test("a race's sentences: h3 over h2 first; what is known and what is not; what was left out", () => {
  const { pairs, excluded } = sweepVerdict(race, new Map(), 1);
  const sentences = pairs.map(({ sentence }) => sentence);
  assert.equal(sentences.length, 3);
  assert.match(sentences[0] ?? "", /^h3 was 11 % faster than h2 \(4 and 5 loads, too few for an interval\)/);
  assert.match(sentences[2] ?? "", /^h2 is 11 % faster than h1 \(95 %: \d+(\.\d+)? to \d+(\.\d+)?\)\.$/);
  assert.equal(excluded, "2 of 16 loads do not count: 2 requests on h1 (1); the browser crashed (1).");
  assert.equal(excludedLine(race.filter((sample) => sample.status === "valid")), null);
});

test("a lane with no valid load has no median", () => {
  const table = laneTable(summarizeCompared([...race, load("h4", 0, 5, "invalid", "x")]));
  assert.equal(table.at(-1)?.[1], "none");
});

test("one lane alone is told without a comparison; no loads say nothing", () => {
  assert.equal(loneLaneSentence(race.slice(0, 5)), "h1 loads the page in 1020 ms (median of 5 loads).");
  assert.equal(loneLaneSentence([]), null);
});

test("the terminal's table is at most 80 columns wide, whatever the times", () => {
  const slow = race.map((sample) => ({ ...sample, plt_ms: sample.plt_ms === null ? null : sample.plt_ms * 97.3 }));
  for (const loads of [race, slow]) {
    const lines = textTable(laneTable(summarizeCompared(loads)));
    assert.equal(lines.length, 4);
    assert.ok(Math.max(...lines.map((line) => line.length)) <= 80, lines.join("\n"));
  }
});

test("of many lanes those are compared that differ in one thing", () => {
  const pairs = lanePairs(allLanes).map(({ lane, over }) => `${lane} over ${over}`);
  assert.deepEqual(pairs, [
    "h1-clear over h1",
    ...["h2 over h1", "h2-0rtt over h2"],
    ...["h3 over h1", "h3 over h2"],
    ...["h3-discovered over h2", "h3-discovered over h3", "h3-altsvc over h2", "h3-altsvc over h3"],
    ...["h3-0rtt over h2-0rtt", "h3-0rtt over h3"],
  ]);
  assert.deepEqual(
    lanePairs(["h3-0rtt", "h1"]).map(({ lane, over }) => `${lane} over ${over}`),
    ["h3-0rtt over h1"],
  );
});

test("no lane of many is left out, whichever they are", () => {
  for (let chosen = 0; chosen < 1 << allLanes.length; chosen++) {
    const lanes = allLanes.filter((_, index) => chosen & (1 << index));
    const told = new Set(lanePairs(lanes).flatMap(({ lane, over }) => [lane, over]));
    if (lanes.length > 1)
      assert.deepEqual(
        [...lanes].filter((lane) => !told.has(lane)),
        [],
        lanes.join(" "),
      );
  }
  const pairs = lanePairs(["h1", "h1-clear", "h2-0rtt", "h3-0rtt", "h3-altsvc"]);
  assert.deepEqual(
    pairs.map(({ lane, over }) => `${lane} over ${over}`),
    ["h1-clear over h1", ...["h1", "h1-clear", "h2-0rtt"].map((over) => `h3-altsvc over ${over}`)].concat(
      "h3-0rtt over h2-0rtt",
      "h3-0rtt over h3-altsvc",
    ),
  );
});

test("a verdict begins with the plain lanes", () => {
  const pairs = verdictPairs(allLanes).map(({ lane, over }) => `${lane} over ${over}`);
  assert.deepEqual(pairs.slice(0, 3), ["h3 over h2", "h3 over h1", "h2 over h1"]);
  assert.equal(pairs.length, lanePairs(allLanes).length);
});

test("of lanes with settings the lanes are asked about first, and then the settings", () => {
  assert.deepEqual(
    verdictPairs(["h2", "h2:tuned", "h3", "h3:tuned"]).map(({ lane, over }) => `${lane} over ${over}`),
    [
      "h3 over h2",
      "h3:tuned over h2:tuned",
      "h3 over h2:tuned",
      "h3:tuned over h3",
      "h3:tuned over h2",
      "h2:tuned over h2",
    ],
  );
});

test("of lanes with settings those are compared that differ in the settings or in the lane, and not in both", () => {
  const lanes = ["h3:tuned-bbr", "h2:tuned", "h3:tuned", "h2", "h2:tuned-bbr"];
  assert.deepEqual(sortLanes(lanes), ["h2", "h2:tuned", "h2:tuned-bbr", "h3:tuned", "h3:tuned-bbr"]);
  assert.deepEqual(
    lanePairs(lanes).map(({ lane, over }) => `${lane} over ${over}`),
    [
      "h2:tuned over h2",
      "h2:tuned-bbr over h2",
      "h2:tuned-bbr over h2:tuned",
      "h3:tuned over h2:tuned",
      "h3:tuned-bbr over h2:tuned-bbr",
      "h3:tuned-bbr over h3:tuned",
    ],
  );
});
