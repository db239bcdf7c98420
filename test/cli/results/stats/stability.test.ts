import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { drift, outliers } from "../../../../cli/results/stats/stability.ts";

test("a steady rise is a drift with its slope, whatever single loads do", () => {
  const values = Array.from({ length: 20 }, (_, index) => 800 + 2 * index + (index === 7 ? 500 : 0));
  const found = drift(values);
  assert.ok(found && Math.abs(found.perLoad - 2) < 1e-9 && found.probability < 0.001, JSON.stringify(found));
});

test("without a drift one is seen in about 5 %", () => {
  const random = randomSource(2, "drift");
  const trials = 4000;
  let seen = 0;
  for (let trial = 0; trial < trials; trial++)
    if ((drift(Array.from({ length: 15 }, random))?.probability ?? 1) <= 0.05) seen++;
  assert.ok(seen / trials > 0.03 && seen / trials < 0.06, `${seen} of ${trials}`);
});

test("of many values as few are compared as tell the drift, from the first to the last", () => {
  const read = new Set<PropertyKey>();
  const values = Array.from({ length: 10_000 }, (_, index) => 800 + 2 * index);
  const found = drift(
    new Proxy(values, {
      get(target, key) {
        read.add(key);
        return Reflect.get(target, key) as unknown;
      },
    }),
  );
  assert.ok(found && Math.abs(found.perLoad - 2) < 1e-9 && found.probability < 0.001, JSON.stringify(found));
  assert.ok(read.size <= 510 && read.has("0") && read.has("9999"), `${read.size} read`);
});

test("ties are no order, and few loads are none", () => {
  assert.equal(drift(new Array<number>(10).fill(5))?.probability, 1);
  assert.equal(drift([1, 2, 3, 4, 5, 6, 7]), null);
});

test("a load far from the others is named; loads of two kinds are not", () => {
  const values = [800, 803, 799, 801, 805, 798, 802, 1900];
  assert.deepEqual(outliers(values), [7]);
  assert.deepEqual(outliers([800, 800, 800, 800, 800, 800, 1900, 1900]), []);
  assert.deepEqual(outliers([1, 1000]), []);
});
