import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../cli/base/random.ts";
import { normalDraw } from "../../cli/results/stats/normal_tail.ts";
import { type Point, slopeOf, verdictsOf } from "./slope.ts";

/** All of them take five seconds of CPU. */
const trials = process.env.TRILANE_WIDE ? 400 : 100;

/** An hour's values at 100, whose noise of 1 remembers the value before by `memory`, with what grows added. */
function hour(random: RandomSource, memory: number, growth: (time_h: number) => number): Point[] {
  let noise = normalDraw(random);
  return Array.from({ length: 180 }, (_, at) => {
    noise = memory * noise + Math.sqrt(1 - memory ** 2) * normalDraw(random);
    const time_h = at / 180;
    return [time_h, 100 + noise + growth(time_h)];
  });
}

/** The share of simulated soaks with 20 quantities, the first of which grows so, in which any of `judged` is called growing. */
function shareCalled(memory: number, growth: (time_h: number) => number, judged: (at: number) => boolean): number {
  const random = randomSource(36, `soak ${memory}`);
  const called = Array.from({ length: trials }, () => {
    const slopes = Array.from({ length: 20 }, (_, at) => slopeOf(hour(random, memory, at === 0 ? growth : () => 0)));
    return verdictsOf(slopes).some((verdict, at) => judged(at) && verdict === "grows");
  });
  return called.filter(Boolean).length / trials;
}

for (const memory of [0, 0.5, 0.7])
  test(`of soaks in which nothing grows one in twenty says so, and noise with a memory of ${memory} changes little`, () => {
    const share = shareCalled(
      memory,
      () => 0,
      () => true,
    );
    assert.ok(share <= 0.12, `${share}`);
  });

test("a leak of four times the noise in an hour is found beside nineteen quantities that are flat", () => {
  const share = shareCalled(
    0.5,
    (time_h) => 4 * time_h,
    (at) => at === 0,
  );
  assert.ok(share >= 0.9, `${share}`);
});

test("growth that ends within the first quarter is warm-up, and one that continues is not", () => {
  const within = (end_h: number) => (time_h: number) => 20 * Math.min(time_h, end_h);
  assert.ok(shareCalled(0.5, within(0.2), (at) => at === 0) <= 0.05);
  assert.ok(shareCalled(0.5, within(1), (at) => at === 0) >= 0.99);
});

test("what fills up to a bound is seldom called growing", () => {
  const share = shareCalled(
    0,
    (time_h) => 8 * (1 - Math.exp(-time_h / 0.15)),
    (at) => at === 0,
  );
  assert.ok(share <= 0.2, `${share}`);
});

test("a quantity that shrinks, or never changes, is flat; steps without noise grow; a handful of values says nothing", () => {
  const series = (value: (at: number) => number): Point[] =>
    Array.from({ length: 60 }, (_, at) => [at / 60, value(at)]);
  const slopes = [
    ...[
      series(() => 12),
      series((at) => 100 - at),
      series((at) => Math.floor(at / 10)),
      series((at) => at).slice(0, 5),
    ],
    [],
  ].map((points) => slopeOf(points as Point[]));
  assert.deepEqual(verdictsOf(slopes), [
    "flat within noise",
    "flat within noise",
    "grows",
    "too few values",
    "too few values",
  ]);
});
