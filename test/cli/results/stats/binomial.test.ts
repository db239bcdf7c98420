// The exact interval of a share against published values, and its promise by counting all outcomes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { binomialChances, shareInterval } from "../../../../cli/results/stats/binomial.ts";

test("chances add up to one, also of a thousand tries", () => {
  for (const [n, p] of [
    [1, 0.5],
    [36, 0.9],
    [1200, 0.95],
  ] as const) {
    const chances = binomialChances(n, p);
    assert.equal(chances.length, n + 1);
    assert.ok(Math.abs(chances.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
  }
  assert.ok(Math.abs((binomialChances(4, 0.5)[2] as number) - 6 / 16) < 1e-12);
});

test("Clopper and Pearson's intervals as in tables", () => {
  for (const [successes, n, low, high] of [
    [0, 10, 0, 0.3085],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [1, 20, 0.0013, 0.2487],
  ] as const) {
    const found = shareInterval(successes, n);
    assert.ok(Math.abs(found.low - low) < 1e-4 && Math.abs(found.high - high) < 1e-4, JSON.stringify(found));
  }
});

test("whatever the share, 95 % of intervals or more hold it", () => {
  for (const share of [0.03, 0.2, 0.5, 0.77]) {
    const chances = binomialChances(15, share);
    const held = chances.reduce((sum, chance, successes) => {
      const { low, high } = shareInterval(successes, 15);
      return low <= share && share <= high ? sum + chance : sum;
    }, 0);
    assert.ok(held >= 0.95, `${share}: ${held}`);
  }
});
