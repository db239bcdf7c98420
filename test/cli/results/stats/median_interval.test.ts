// Intervals of medians by their definition, where it can be counted by hand; what they cover is in coverage.slow.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { medianDifferenceInterval, medianInterval } from "../../../../cli/results/stats/median_interval.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

const near = (actual: number | undefined, expected: number, tolerance = 1e-9) =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

test("between the order statistics that hold more and less than 95 %", () => {
  // Of ten coins at most one is heads in 11 of 1024 cases, at most two in 56: from the second and the third value.
  const share = (1 - 22 / 1024 - 0.95) / (90 / 1024);
  const low = 2 + (8 * share) / (2 + 6 * share);
  const interval = medianInterval(upTo(10).reverse());
  near(interval?.low, low);
  near(interval?.high, 11 - low);
});

test("of five values a quarter of the way beyond the outermost, of fewer none", () => {
  const interval = medianInterval([30, 10, 20, 50, 40]);
  near(interval?.low, 10 / 2 ** 0.25);
  near(interval?.high, 50 * (50 / 40) ** 0.25);
  assert.equal(medianInterval(upTo(4)), null);
});

test("of thousands of values as the normal distribution has it", () => {
  const interval = medianInterval(upTo(10_000));
  near(interval?.low, 5000.5 - 1.96 * 50, 1);
  near(interval?.high, 5000.5 + 1.96 * 50, 1);
});

test("a difference needs five values of each, and does not depend on those that lack a block", () => {
  const lane = Float64Array.from([1, 2, 3, 4, 5, Number.NaN]);
  const over = Float64Array.from([11, 12, 13, 14, 15, 16]);
  const interval = medianDifferenceInterval(lane, over, randomSource(1));
  assert.ok(interval && interval.low < -10.5 && interval.high > -10.5 && interval.high < 0, JSON.stringify(interval));
  assert.equal(medianDifferenceInterval(lane.subarray(1), over.subarray(1), randomSource(1)), null);
  const alike = new Float64Array(8).fill(7);
  assert.deepEqual(medianDifferenceInterval(alike, alike, randomSource(1)), { low: 0, high: 0 });
});

test("of five values no time becomes negative, and nothing else leaves its range", () => {
  const times = medianInterval([100, 900, 950, 960, 1000]);
  assert.ok(
    times && times.low > 50 && times.low < 100 && times.high > 1000 && times.high < 1020,
    JSON.stringify(times),
  );
  assert.deepEqual(medianInterval([0, 0, 0.02, 0.05, 0.1]), { low: 0, high: 0.1 });
});
