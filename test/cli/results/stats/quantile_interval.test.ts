// Quantiles' intervals by order statistics: from how many values on there are any, and that they hold the truth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import {
  fewestForQuantile,
  quantileDifference,
  quantileInterval,
} from "../../../../cli/results/stats/quantile_interval.ts";

const drawn = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);

test("p90 takes 36 values and p95 takes 72; with one fewer there is no interval", () => {
  assert.deepEqual([0.5, 0.9, 0.95, 0.1].map(fewestForQuantile), [6, 36, 72, 36]);
  for (const probability of [0.9, 0.95]) {
    const fewest = fewestForQuantile(probability);
    const ascending = (n: number) => Float64Array.from({ length: n }, (_, index) => index);
    assert.equal(quantileInterval(ascending(fewest - 1), probability), null);
    assert.equal(quantileInterval(ascending(fewest), probability)?.high, fewest - 1);
  }
});

test("the ranks are those of the binomial tables: of 100 values the 84th and the 96th hold p90", () => {
  const ascending = Float64Array.from({ length: 100 }, (_, index) => index + 1);
  const interval = quantileInterval(ascending, 0.9);
  // P(Bin(100, 0.9) <= 83) = 0.0206, P(<= 84) = 0.0399; P(>= 96) = 0.0237, P(>= 95) = 0.0576.
  assert.deepEqual(interval, { low: 84, high: 96 });
});

/** log-normal: the quantile of any share is known. */
const z90 = 1.2815515655446004;

test("95 % of intervals or more hold a p90, and a difference of two of unequal shapes", () => {
  for (const n of [36, 60, 150]) {
    const random = randomSource(7, `p90 of ${n}`);
    const shapes: [spread: number, kind: (source: RandomSource) => number][] = [
      [0.05, (source) => Math.exp(0.05 * normalDraw(source))],
      [0.4, (source) => Math.exp(0.4 * normalDraw(source))],
    ];
    const studies = 1500;
    let [one, two] = [0, 0];
    for (let study = 0; study < studies; study++) {
      const [a, b] = shapes.map(([, draw]) => drawn(n, () => draw(random))) as [number[], number[]];
      const [trueA, trueB] = shapes.map(([spread]) => Math.exp(spread * z90)) as [number, number];
      const own = quantileInterval(Float64Array.from(b).sort(), 0.9);
      if (own && own.low <= trueB && trueB <= own.high) one++;
      const { interval } = quantileDifference(a, b, 0.9);
      if (interval && interval.low <= trueB - trueA && trueB - trueA <= interval.high) two++;
    }
    assert.ok(one / studies >= 0.94, `${n}: own ${one / studies}`);
    assert.ok(two / studies >= 0.94, `${n}: difference ${two / studies}`);
  }
});

test("loads of several pages together are held too: the mixture's p90", () => {
  // Ten pages, 0.5 to 1.4 s, each uniform by 10 %: the mixture's p90 is where the last page begins.
  const random = randomSource(3, "mixture");
  let held = 0;
  const studies = 1000;
  for (let study = 0; study < studies; study++) {
    const values = Array.from({ length: 10 }, (_, page) =>
      drawn(8, () => (500 + 100 * page) * (1 + 0.05 * (random() - 0.5))),
    ).flat();
    const interval = quantileInterval(Float64Array.from(values).sort(), 0.9);
    if (interval && interval.low <= 1365 && 1332.5 <= interval.high) held++;
  }
  assert.ok(held / studies >= 0.95, `${held / studies}`);
});
