// Tests of a map's cells: what corrects them, and what they find where there is nothing.
// Wide: cli/results/stats, cli/results/verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { leastDifference } from "../../../../cli/results/stats/difference_test.ts";
import { significanceLevel } from "../../../../cli/results/stats/multiplicity.ts";
import { cellTest, correctedTests, loadsNeeded } from "../../../../cli/results/verdict/cell_significance.ts";
import { type Improvement, improvement } from "../../../../cli/results/verdict/comparison.ts";
import { unequalLanes } from "../stats/simulated_study.ts";

const pair = { lane: "h3", over: "h2" };

const ofLoads = (lane: readonly number[], over: readonly number[]): Improvement =>
  improvement(
    [{ page: "a", link: "3mbit/50ms", lane: Float64Array.from(lane), over: Float64Array.from(over) }],
    pair,
    1,
  );

test("a cell has the comparison's own probability and direction", () => {
  const result = ofLoads([90, 91, 92, 93, 94], [100, 101, 102, 103, 104]);
  assert.deepEqual(cellTest(result), { probability: 0.5 ** 6, direction: "faster", n: 5 });
  assert.equal(cellTest(ofLoads([90, 91, 92, 93], [100, 101, 102, 103])), null);
  assert.equal(cellTest(ofLoads([Number.NaN], [100])), null);
});

test("corrected over those that are known; what is needed to pass is what passes", () => {
  const corrected = correctedTests([
    { probability: 0.01, direction: "faster", n: 9 },
    null,
    { probability: 0.04, direction: "slower", n: 9 },
  ]);
  assert.deepEqual(corrected, [
    { probability: 0.01, direction: "faster", n: 9, holm: 0.02, benjaminiHochberg: 0.02 },
    null,
    { probability: 0.04, direction: "slower", n: 9, holm: 0.04, benjaminiHochberg: 0.04 },
  ]);
  for (const cells of [1, 12, 100, 300]) {
    const needed = loadsNeeded(cells);
    const least = (n: number): number => leastDifference(n, n) * cells;
    assert.ok(least(needed) <= significanceLevel && least(needed - 1) > significanceLevel, `${cells} cells: ${needed}`);
  }
});

test("maps in which nothing differs: one in twenty, or fewer, has a cell that passes Holm's correction, whatever the lanes' noise", () => {
  const maps = 40;
  for (const [shape, { lane, over }] of Object.entries(unequalLanes)) {
    const random = randomSource(11, shape);
    const draw = (noise: typeof lane): number[] => Array.from({ length: 12 }, () => 1000 * Math.exp(noise(random)));
    let wrong = 0;
    for (let map = 0; map < maps; map++) {
      const tests = correctedTests(Array.from({ length: 18 }, () => cellTest(ofLoads(draw(lane), draw(over)))));
      if (tests.some((each) => each !== null && each.holm <= significanceLevel)) wrong++;
    }
    // 95 % of such runs of 40 find at most 4 where the truth is 5 %.
    assert.ok(wrong <= 4, `${shape}: ${wrong} of ${maps}`);
  }
});
