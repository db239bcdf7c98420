// p90 and p95 of a link's loads: with too few it says so, with enough it holds the truth, and time-outs are the slowest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairedCells } from "../../../../cli/results/verdict/paired_cells.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { tailDifferences } from "../../../../cli/results/verdict/tail_differences.ts";
import { lanesOf, normalNoise, pair } from "./simulated_lanes.ts";

const onePage = { pages: 1, links: 1, gain_percent: () => 0, h2: normalNoise(0.02), h3: normalNoise(0.02) };
const tailsOf = (samples: readonly Sample[]) => tailDifferences(pairedCells(samples, pair));

test("nine runs of three pages are too few for any tail, twelve enough for p90 only", () => {
  const [few] = tailsOf(lanesOf({ ...onePage, pages: 3, runs: 9 }, 1));
  assert.equal(few?.percent, null);
  assert.match(few?.reason ?? "", /^too few runs: 36 loads of each lane are needed, here are 27$/);
  const [p90, p95] = tailsOf(lanesOf({ ...onePage, pages: 3, runs: 12 }, 1));
  assert.ok(p90?.interval && p90.reason === null);
  assert.ok(p95?.interval === null && p95.reason?.startsWith("too few runs: 72"));
});

test("equal medians with unequal tails: the median's difference is none, p90's holds the truth", () => {
  const z90 = 1.2815515655446004;
  const truth = (1 - Math.exp(0.1 * z90 - 0.02 * z90)) * 100;
  let held = 0;
  const studies = 300;
  for (let seed = 1; seed <= studies; seed++) {
    const [p90] = tailsOf(lanesOf({ ...onePage, runs: 60, h3: normalNoise(0.1) }, seed));
    if (p90?.interval && p90.interval.low <= truth && truth <= p90.interval.high) held++;
  }
  assert.ok(held / studies >= 0.94, `${held} of ${studies}`);
});

test("loads that timed out are the slowest: few leave p90 as it is, more leave no interval, then no p90", () => {
  const lossy = (out: number): Sample[] =>
    lanesOf({ ...onePage, runs: 40 }, 2).map((sample) =>
      sample.lane === "h3" && sample.block < out
        ? { ...sample, status: "failed", reasons: ["the load event did not come within 60000 ms"], plt_ms: null }
        : sample,
    );
  const p90 = (out: number) => tailsOf(lossy(out))[0];
  assert.ok((p90(1)?.percent ?? 99) > -5, "one of forty is beyond p90");
  assert.match(p90(3)?.reason ?? "", /reach into the interval/);
  assert.match(p90(8)?.reason ?? "", /so many loads timed out that p90 is not known/);
});
