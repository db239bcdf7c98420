import assert from "node:assert/strict";
import { test } from "node:test";
import {
  coefficientOfVariation,
  countThrough,
  median,
  quantile,
  standardDeviation,
} from "../../../cli/base/quantile.ts";

test("median: odd, even, one, unsorted, input untouched", () => {
  const values = [5, 1, 3];
  assert.equal(median(values), 3);
  assert.deepEqual(values, [5, 1, 3]);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
});

test("quantile is type 7, as R's and NumPy's default", () => {
  const values = [1, 2, 4, 8, 16];
  assert.equal(quantile(values, 0), 1);
  assert.equal(quantile(values, 1), 16);
  assert.equal(quantile(values, 0.25), 2);
  assert.ok(Math.abs(quantile(values, 0.1) - 1.4) < 1e-12);
  assert.ok(Math.abs(quantile(values, 0.9) - 12.8) < 1e-12);
});

test("numbers above ten are not sorted as text", () => {
  assert.equal(median([100, 9, 20]), 20);
});

test("how many of ascending values are at most a limit, equal ones too", () => {
  const counted = [0, 1, 2, 3, 4, 5].map((limit) => countThrough([1, 2, 2, 2, 4], limit));
  assert.deepEqual(counted, [0, 1, 4, 4, 5, 5]);
  assert.equal(countThrough([], 1), 0);
});

test("no values have no quantile", () => {
  assert.throws(() => median([]), RangeError);
  assert.throws(() => standardDeviation([1]), RangeError);
});

test("coefficient of variation: sample standard deviation over mean", () => {
  // Deviations -2 and 2 around 10: variance 8.
  assert.ok(Math.abs(coefficientOfVariation([8, 12]) - Math.sqrt(8) / 10) < 1e-12);
});
