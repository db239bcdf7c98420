// Two samples by ranks, on data whose truth is known; and lanes of equal medians and unequal noise, of which the test behind every
// "faster" may call no more different than it says.
// Wide: cli/results/stats.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { differenceTails } from "../../../../cli/results/stats/difference_test.ts";
import { rankSum, sampleShift } from "../../../../cli/results/stats/two_samples.ts";
import { shapes } from "./simulated_study.ts";

const near = (actual: number | undefined, expected: number, tolerance = 1e-9) =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

const total = (ranks: readonly number[]): number => ranks.reduce((sum, rank) => sum + rank, 0);

/** By the definition: every choice of which values are of the first sample. */
function byCounting(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b];
  const ranks = all.map(
    (value) => all.filter((other) => other < value).length + (all.filter((other) => other === value).length + 1) / 2,
  );
  const found = total(ranks.slice(0, a.length));
  const sums = Array.from({ length: 2 ** all.length }, (_, choice) => ranks.filter((_, index) => (choice >> index) & 1))
    .filter(({ length }) => length === a.length)
    .map(total);
  const [less, greater] = [sums.filter((sum) => sum <= found).length, sums.filter((sum) => sum >= found).length];
  return Math.min(1, (2 * Math.min(less, greater)) / sums.length);
}

test("exact, with ties: as counted over all choices", () => {
  const random = randomSource(12, "rank sums");
  for (let trial = 0; trial < 40; trial++) {
    const a = Array.from({ length: 1 + (trial % 5) }, () => Math.round(random() * 6));
    const b = Array.from({ length: 2 + (trial % 4) }, () => Math.round(random() * 6 + 1));
    near(rankSum(a, b).twoSided, byCounting(a, b));
  }
});

// Hollander and Wolfe 1973, p. 69: permeability of placental tissue at term and at 12 to 26 weeks.
const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
const early = [1.15, 0.88, 0.9, 0.74, 1.21];

test("a textbook's data", () => {
  near(rankSum(term, early).twoSided, 2 * 0.1272061, 1e-6);
  near(sampleShift(early, term)?.estimate, 0.305, 1e-9);
});

test("the interval holds a shift exactly when the test does not refuse it", () => {
  const random = randomSource(13, "dual");
  for (let trial = 0; trial < 30; trial++) {
    const a = Array.from({ length: 5 + (trial % 6) }, random);
    const b = Array.from({ length: 4 + (trial % 7) }, () => random() + 0.3);
    const interval = sampleShift(a, b)?.interval;
    assert.ok(interval);
    for (const probe of [interval.low - 1e-9, interval.low + 1e-9, interval.high - 1e-9, interval.high + 1e-9]) {
      const isRefused =
        rankSum(
          a,
          b.map((value) => value - probe),
        ).twoSided <= 0.05;
      assert.equal(isRefused, probe < interval.low || probe > interval.high, `trial ${trial}`);
    }
  }
});

test("the approximation for many values continues the exact test", () => {
  const random = randomSource(14, "many");
  const a = Array.from({ length: 40 }, random);
  const b = Array.from({ length: 40 }, () => random() + 0.12);
  near(rankSum([...a, 0.5], b).twoSided / rankSum(a, b).twoSided, 1, 0.25);
  near(rankSum([...a, 0.56], [...b, 0.5599]).twoSided / rankSum(a, b).twoSided, 1, 0.25);
});

test("samples of one kind are called different in at most 5 %", () => {
  const random = randomSource(15, "level");
  const trials = 3000;
  let different = 0;
  for (let trial = 0; trial < trials; trial++)
    if (rankSum(Array.from({ length: 9 }, random), Array.from({ length: 12 }, random)).twoSided <= 0.05) different++;
  assert.ok(different / trials > 0.035 && different / trials < 0.055, `${different} of ${trials}`);
});

test("nothing to compare", () => {
  assert.equal(rankSum([], [1]).twoSided, 1);
  assert.equal(rankSum([1, 1], [1, 1]).twoSided, 1);
  assert.equal(sampleShift([], [1]), null);
  assert.equal(sampleShift([1], [2])?.interval, null);
});

test("of thousands of loads the differences are not listed: the shift is that of fewer", () => {
  const few = Array.from({ length: 400 }, (_, index) => index / 400);
  const many = Array.from({ length: 5000 }, (_, index) => index / 5000);
  const moved = (values: readonly number[]): number[] => values.map((value) => value + 0.25);
  const before = process.memoryUsage().arrayBuffers;
  near(sampleShift(many, moved(many))?.estimate, 0.25, 1e-3);
  // 25 million differences take 200 MB.
  assert.ok(process.memoryUsage().arrayBuffers - before < 50e6);
  near(sampleShift(few, moved(few))?.estimate, 0.25, 1e-3);
});

test("the shift and its interval are differences as listed and sorted", () => {
  const random = randomSource(21, "listed");
  for (let trial = 0; trial < 60; trial++) {
    const values = (n: number): number[] => Array.from({ length: n }, () => Math.round(random() * 20) / 7);
    const [a, b] = [values(5 + (trial % 4)), values(4 + (trial % 5))];
    const listed = a.flatMap((x) => b.map((y) => y - x)).sort((x, y) => x - y);
    const middle = [listed[Math.ceil(listed.length / 2) - 1], listed[Math.floor(listed.length / 2)]] as number[];
    const shift = sampleShift(a, b);
    near(shift?.estimate, ((middle[0] as number) + (middle[1] as number)) / 2, 1e-12);
    assert.ok(shift?.interval && listed.includes(shift.interval.low) && listed.includes(shift.interval.high));
  }
});

for (const n of [5, 6, 8, 10, 20, 30])
  test(`lanes of equal medians, ${n} loads: as seldom called different as the test says, whatever their noise`, () => {
    for (const [shape, { lane, over }] of Object.entries(shapes)) {
      const random = randomSource(77, `${shape} ${n}`);
      const studies = 3000;
      const found = [0.05, 0.0167, 0.01].map((level) => ({ level, wrong: 0 }));
      for (let study = 0; study < studies; study++) {
        const [a, b] = [lane, over].map((noise) => Array.from({ length: n }, () => noise(random)));
        const { twoSided } = differenceTails(a as number[], b as number[]);
        for (const each of found) if (twoSided <= each.level) each.wrong++;
      }
      for (const { level, wrong } of found)
        assert.ok(
          wrong / studies <= level * 1.2 + 0.004,
          `${shape} at ${level}: ${((wrong / studies) * 100).toFixed(2)} %`,
        );
    }
  });
