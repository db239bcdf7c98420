// Jain's index against its formula and its known values, and what follows from goodputs by the second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../../cli/base/random.ts";
import { jainBySecond, jainIndex, leastOverGreatest } from "../../../../../cli/instruments/flows/metrics/fairness.ts";

const near = (actual: unknown, expected: number) =>
  assert.ok(typeof actual === "number" && Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);

test("the examples of Jain, Chiu and Hawe: 1 for equal shares, k/n where k of n share alike, 0.9 for 1 and 2", () => {
  near(jainIndex([3, 3, 3]), 1);
  near(jainIndex([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 0.1);
  near(jainIndex([5, 5, 5, 0]), 0.75);
  near(jainIndex([1, 2]), 0.9);
  near(jainIndex([3e6, 1e6]), 0.8);
});

test("for any rates it is the formula, between 1/n and 1, the same in any unit and order", () => {
  const random = randomSource(15, "jain");
  for (let trial = 0; trial < 500; trial++) {
    const rates = Array.from({ length: 2 + Math.floor(random() * 20) }, () => random() ** 4 * 1e9);
    const index = jainIndex(rates);
    const sum = rates.reduce((total, rate) => total + rate, 0);
    const squares = rates.reduce((total, rate) => total + rate ** 2, 0);
    near(index, sum ** 2 / (rates.length * squares));
    assert.ok((index as number) <= 1 && (index as number) >= 1 / rates.length - 1e-12);
    near(jainIndex(rates.map((rate) => rate / 1e6)), index as number);
    near(jainIndex(rates.toReversed()), index as number);
  }
});

test("one flow, and flows that got nothing, have no index but a reason", () => {
  assert.deepEqual(jainIndex([7]), { missing: "one flow has nothing to share with" });
  assert.deepEqual(jainIndex([0, 0]), { missing: "nothing came" });
  assert.equal(leastOverGreatest([2, 8, 4]), 0.25);
  assert.deepEqual(leastOverGreatest([]), { missing: "one flow has nothing to share with" });
});

test("by second: only flows that ran all of it count, and where fewer than two did there is no second", () => {
  const first = { counter: { time_ms: [0, 4000], bytes: [0, 4000] }, span: { from_ms: 0, to_ms: 4000 } };
  const second = { counter: { time_ms: [1500, 3500], bytes: [0, 6000] }, span: { from_ms: 1500, to_ms: 3500 } };
  assert.deepEqual(
    jainBySecond([first, second]).map(([at, index]) => [at, Number(index.toFixed(6))]),
    [[2, 0.8]],
  );
  assert.deepEqual(jainBySecond([]), []);
});
