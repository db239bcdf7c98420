// Tests of paired differences: against all sign patterns counted one by one, and against figures from textbooks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { shift } from "../../../../cli/results/stats/hodges_lehmann.ts";
import { normalQuantile, normalUpperTail } from "../../../../cli/results/stats/normal_tail.ts";
import { signedRank, signedRankCritical } from "../../../../cli/results/stats/signed_rank.ts";

const near = (actual: number | undefined, expected: number, tolerance = 1e-12) =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

// Hollander and Wolfe 1973, p. 29: Hamilton depression scale factor of nine patients before and after.
const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
const depression = before.map((value, index) => value - (after[index] as number));

test("the signed-rank test of a textbook's data", () => {
  near(signedRank(depression).greater, 0.01953125);
  near(signedRank(depression).twoSided, 0.0390625);
  near(shift(depression)?.estimate, 0.46, 1e-9);
});

/** Rank sums by the definition: every way to give signs to the midranks. */
function byCounting(values: readonly number[]): { greater: number; less: number } {
  const nonzero = values.filter((value) => value !== 0);
  const sizes = nonzero.map(Math.abs);
  const ranks = sizes.map((size) => {
    const below = sizes.filter((other) => other < size).length;
    const same = sizes.filter((other) => other === size).length;
    return below + (same + 1) / 2;
  });
  const sumOf = (isPositive: (index: number) => boolean) =>
    ranks.reduce((sum, rank, index) => sum + (isPositive(index) ? rank : 0), 0);
  const found = sumOf((index) => (nonzero[index] as number) > 0);
  const ways = 2 ** ranks.length;
  const sums = Array.from({ length: ways }, (_, way) => sumOf((index) => ((way >> index) & 1) === 1));
  return {
    greater: sums.filter((sum) => sum >= found).length / ways,
    less: sums.filter((sum) => sum <= found).length / ways,
  };
}

test("exact with ties and zeros: as counted over all signs", () => {
  const random = randomSource(3, "ties");
  for (let trial = 0; trial < 60; trial++) {
    const values = Array.from({ length: 2 + (trial % 9) }, () => Math.round((random() - 0.4) * 6));
    const expected = byCounting(values);
    const found = signedRank(values);
    near(found.greater, values.every((value) => value === 0) ? 1 : expected.greater);
    near(found.less, values.every((value) => value === 0) ? 1 : expected.less);
  }
});

test("nothing to compare shows nothing", () => {
  assert.deepEqual(signedRank([]), { n: 0, greater: 1, less: 1, twoSided: 1 });
  assert.deepEqual(signedRank([0, 0]), { n: 0, greater: 1, less: 1, twoSided: 1 });
  assert.equal(shift([]), null);
});

test("the approximation for many differences continues the exact test", () => {
  const random = randomSource(5, "many");
  const values = Array.from({ length: 200 }, () => random() - 0.46);
  const exact = signedRank(values).twoSided;
  // One difference more, of hardly any size: the other branch, the same answer.
  const approximate = signedRank([...values, 1e-9]).twoSided;
  near(approximate / exact, 1, 0.06);
  near(signedRankCritical(201, 0.025) / signedRankCritical(200, 0.025), 1, 0.02);
});

test("critical values are those of the tables", () => {
  // Two-sided 5 %: n = 6: 0 (so 1 average outside each end), n = 10: 8, n = 20: 52, n = 30: 137.
  assert.deepEqual(
    [5, 6, 10, 20, 30].map((n) => signedRankCritical(n, 0.025)),
    [0, 1, 9, 53, 138],
  );
});

test("normal tails", () => {
  near(normalUpperTail(0), 0.5);
  near(normalUpperTail(1.959963984540054), 0.025, 1e-12);
  near(normalUpperTail(-1.959963984540054), 0.975, 1e-12);
  near(normalUpperTail(6) / 9.865876450376946e-10, 1, 1e-9);
  assert.equal(normalUpperTail(100), 0);
  near(normalQuantile(0.025), 1.959963984540054, 1e-8);
});

test("the shift's interval holds a shift exactly when the signed-rank test does not refuse it", () => {
  const random = randomSource(9, "dual");
  for (let trial = 0; trial < 40; trial++) {
    const values = Array.from({ length: 6 + (trial % 15) }, () => random() ** 3 - 0.2);
    const interval = shift(values)?.interval;
    assert.ok(interval);
    for (const probe of [interval.low - 1e-9, interval.low + 1e-9, interval.high - 1e-9, interval.high + 1e-9]) {
      const isRefused = signedRank(values.map((value) => value - probe)).twoSided <= 0.05;
      assert.equal(isRefused, probe < interval.low || probe > interval.high, `trial ${trial}`);
    }
  }
});

test("five differences have no 95 % interval, six have", () => {
  assert.equal(shift([1, 2, 3, 4, 5])?.interval, null);
  assert.deepEqual(shift([1, 2, 3, 4, 5, 6])?.interval, { low: 1, high: 6 });
});
