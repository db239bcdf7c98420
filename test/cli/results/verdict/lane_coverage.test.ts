// Lanes that did not load the same page are not compared: one page on one link, and several.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../../../../cli/results/verdict/comparison.ts";
import { coverageGap } from "../../../../cli/results/verdict/lane_coverage.ts";
import { decisionWords } from "../../../../cli/results/verdict/load_stopping_outcome.ts";
import { pairDecisions } from "../../../../cli/results/verdict/load_stopping_rule.ts";
import { pairedCells } from "../../../../cli/results/verdict/paired_cells.ts";
import type { Sample, ValidSample } from "../../../../cli/results/verdict/sample.ts";
import { summarizeCompared } from "../../../../cli/results/verdict/summary.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";
import { laneTable } from "../../../../cli/results/verdict/verdict.ts";

const pair = { lane: "h3", over: "h1" };
const shares = (coverage_requests: number, coverage_bytes = coverage_requests) => ({
  coverage_requests,
  coverage_bytes,
});

/** Eight loads of a lane. */
function loads(lane: string, plt_ms: number, coverage: Partial<Sample>, page = "p"): Sample[] {
  return Array.from({ length: 8 }, (_, block) => ({
    ...{ page, link: "3mbit/50ms", lane, block, status: "valid" as const, reasons: [] },
    plt_ms: plt_ms + block,
    ...coverage,
  }));
}

const valid = (...all: Partial<Sample>[]) => all as ValidSample[];

test("lanes are alike up to two percentage points, of requests and of bytes", () => {
  assert.equal(coverageGap(valid(shares(1)), valid(shares(0.98))), null);
  assert.equal(coverageGap(valid(shares(0.97)), valid(shares(0.95))), null);
  assert.deepEqual(coverageGap(valid(shares(1)), valid(shares(0.979))), { what: "requests", lane: 1, over: 0.979 });
  assert.deepEqual(coverageGap(valid(shares(1, 0.9)), valid(shares(1, 0.99))), {
    what: "bytes",
    lane: 0.9,
    over: 0.99,
  });
});

test("it is medians that count, and what does not tell its coverage is taken as alike", () => {
  const mostlyWhole = valid(shares(1), shares(1), shares(0.5));
  assert.equal(coverageGap(mostlyWhole, valid(shares(1))), null);
  assert.equal(coverageGap(valid({}), valid(shares(0.5))), null);
  assert.equal(coverageGap([], valid(shares(0.5))), null);
});

test("the newspaper: h1 asked for 123 of 198 requests, and no percentage is told", () => {
  const samples = [...loads("h1", 1000, shares(123 / 198, 0.35)), ...loads("h3", 1980, shares(1))];
  const sentencesOf = (loads: readonly Sample[]): string[] =>
    sweepVerdict(loads, new Map(), 1).pairs.map(({ sentence }) => sentence);
  assert.deepEqual(sentencesOf(samples), [
    "h3 and h1 are not compared: h3 asked for 100 % of the recorded requests, h1 for 62.1 %.",
  ]);
  assert.equal(laneTable(summarizeCompared(samples))[2]?.[3], "not compared");
  const alike = sentencesOf([...loads("h1", 1000, shares(1)), ...loads("h3", 1980, shares(1))]);
  assert.match(alike.join(), /h3 is 98 % slower than h1/);
});

test("a page whose lanes are not alike is in no comparison over pages, which says so", () => {
  const page = (name: string, share: number) => [
    ...loads("h1", 1000, shares(1), name),
    ...loads("h3", name === "odd" ? 100 : 900, shares(share), name),
  ];
  const samples = [...page("a", 1), ...page("b", 1), ...page("odd", 0.96)];
  const result = compare(samples, pair, 1);
  assert.deepEqual([result.pages, result.unlike], [2, 1]);
  assert.ok(result.percent !== null && result.percent < 11, `${result.percent}`);
  assert.equal(pairedCells(samples, pair).filter(({ gap }) => gap).length, 1);
  const { notes } = sweepVerdict(samples, new Map([["3mbit/50ms", { rate_bps: 3e6, rtt_ms: 50, loss: 0 }]]), 1);
  assert.deepEqual(notes, [
    "1 page on a link is not in the comparison of h3 with h1: the lanes asked for different parts of the recording there.",
  ]);
});

test("a sweep that goes on until it is decided gives such a pair up", () => {
  const samples = [...loads("h1", 1000, shares(1)), ...loads("h3", 500, shares(0.9))];
  const [decision] = pairDecisions(samples, ["h1", "h3"], 3);
  assert.ok(decision);
  assert.deepEqual([decision.decision, decision.givenUp, decision.percent], ["undecided", true, null]);
  assert.match(decisionWords(decision, 3), /^h3 and h1 are not compared: h3 asked for 90 %/);
  const [early] = pairDecisions(
    samples.filter(({ block }) => block < 2),
    ["h1", "h3"],
    3,
  );
  assert.equal(early?.givenUp, false);
});
