import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../cli/base/random.ts";

const draw = (seed: number, purpose: string, amount: number): number[] => {
  const random = randomSource(seed, purpose);
  return Array.from({ length: amount }, random);
};

test("the same seed and purpose draw the same numbers, others draw others", () => {
  assert.deepEqual(draw(7, "a", 20), draw(7, "a", 20));
  assert.notDeepEqual(draw(7, "a", 20), draw(8, "a", 20));
  assert.notDeepEqual(draw(7, "a", 20), draw(7, "b", 20));
  assert.notDeepEqual(draw(1, "", 20), draw(1 + 2 ** 32, "", 20));
});

test("draws are uniform in [0, 1) and neighbours are independent", () => {
  const values = draw(3, "uniform", 100_000);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  const bins = new Array<number>(20).fill(0);
  for (const value of values) bins[Math.floor(value * 20)] = (bins[Math.floor(value * 20)] ?? 0) + 1;
  // Chi-squared of 19 degrees of freedom: 99.9 % of the time below 43.8.
  const chiSquared = bins.reduce((sum, found) => sum + (found - 5000) ** 2 / 5000, 0);
  assert.ok(chiSquared < 43.8, `chi-squared ${chiSquared}`);
  let product = 0;
  for (let index = 1; index < values.length; index++) {
    product += ((values[index] ?? 0) - 0.5) * ((values[index - 1] ?? 0) - 0.5);
  }
  const correlation = product / values.length / (1 / 12);
  assert.ok(Math.abs(correlation) < 0.011, `correlation ${correlation}`);
});
