// The test behind every "faster": against tails counted by hand. Seeds are fixed, so the outcome is. How often it errs:
// two_samples.slow.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import {
  blockDifference,
  blockDifferenceTails,
  differenceTails,
  leastDifference,
} from "../../../../cli/results/stats/difference_test.ts";
import { leastMedianShift, medianShiftTails, medianTails } from "../../../../cli/results/stats/median_test.ts";
import { normal } from "./simulated_study.ts";

const near = (actual: number, expected: number, tolerance = 1e-12): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

const around = (centre: number, n: number, step = 1): number[] =>
  Array.from({ length: n }, (_, index) => centre + step * (index - (n - 1) / 2));

test("samples far apart: one median must lie beyond all its values, by as many coins all one way", () => {
  for (const n of [3, 5, 8]) {
    const { greater, less, twoSided } = medianShiftTails(around(0, n), around(1000, n));
    near(greater, 2 * 0.5 ** n - 0.25 ** n);
    near(less, 1);
    near(twoSided, leastMedianShift(n, n));
  }
  near(medianShiftTails(around(0, 3), around(1000, 10)).greater, 0.5 ** 3 + 0.5 ** 10 - 0.5 ** 13);
});

test("between values a median is anywhere alike: counted out for two against two", () => {
  // Places of each median: below both values, between them (chance 1/2), above both. a's are 0 and 2, b's 1 and 3.
  const { greater } = medianShiftTails([0, 2], [1, 3]);
  // Known ends are their values: m_a <= 0 as 0, between anywhere, >= 2 as anything; m_b <= 1 as anything, between, >= 3 as 3.
  const unknown = 1 / 4 + 1 / 4 - 1 / 16;
  // Both between: the chance that u from 1 to 3 is at most v from 0 to 2.
  const between = (1 / 4) * (1 / 8);
  near(greater, unknown + between);
});

test("a shift is that of b; the other tail is the same turned round; ties show nothing", () => {
  const [a, b] = [around(0, 9), around(7, 9)];
  near(medianShiftTails(a, b, 7).twoSided, 1);
  near(medianShiftTails(a, b, 3).greater, medianShiftTails(b, a, -3).less);
  near(
    medianShiftTails(a, b, 3).greater,
    medianShiftTails(
      a.map((value) => value + 3),
      b,
    ).greater,
  );
  near(medianShiftTails([5, 5, 5, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 5, 5, 5]).twoSided, 1);
  near(medianShiftTails([], [1]).twoSided, 1);
});

test("one median: the sign test", () => {
  // Nine of ten above 0: 11 of 1024 ways.
  near(medianTails([-1, 1, 2, 3, 4, 5, 6, 7, 8, 9]).greater, 11 / 1024);
  near(medianTails([1, 2, 3, 4, 5], 6).less, 1 / 32);
  // Values on the centre itself show nothing either way.
  near(medianTails([0, 0, 0]).twoSided, 1);
});

test("lying wholly apart shows more, if by a good part of the ranges", () => {
  near(differenceTails(around(0, 5), around(20, 5)).twoSided, 0.5 ** 6);
  near(leastDifference(5, 7), 0.5 ** 6);
  near(differenceTails(around(0, 5), around(5, 5)).twoSided, medianShiftTails(around(0, 5), around(5, 5)).twoSided);
  near(differenceTails(around(0, 4), around(20, 4)).twoSided, leastMedianShift(4, 4));
  assert.equal(leastDifference(4, 9), leastMedianShift(4, 9));
});

test("what blocks share hides no difference; without it, loads in blocks are two samples", () => {
  const random = randomSource(78, "shared");
  let [together, apart] = [0, 0];
  for (let study = 0; study < 200; study++) {
    const minutes = Array.from({ length: 10 }, () => 0.2 * normal(random));
    const lane = minutes.map((minute) => minute + 0.01 * normal(random));
    const over = minutes.map((minute) => minute + 0.05 + 0.01 * normal(random));
    if (blockDifferenceTails(Float64Array.from(lane), Float64Array.from(over)).twoSided <= 0.05) together++;
    if (differenceTails(lane, over).twoSided <= 0.05) apart++;
  }
  assert.ok(together >= 160 && apart <= 20, `${together} in blocks, ${apart} not`);
  const [a, b] = [Float64Array.of(3, 1, Number.NaN, 2, 5, 4), Float64Array.of(1, 2, 3, Number.NaN, 4, 5)];
  near(blockDifferenceTails(a, b).greater, differenceTails([3, 1, 2, 5, 4], [1, 2, 3, 4, 5]).greater);
  near(blockDifference(a, b), 0);
});
