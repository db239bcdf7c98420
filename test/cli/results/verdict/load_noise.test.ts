// How loads scatter, from pilots of few runs and from longer sweeps: as wide as they are, of their shape, sharing what they share.
import assert from "node:assert/strict";
import { test } from "node:test";
import { median, standardDeviation } from "../../../../cli/base/quantile.ts";
import { randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import { givenNoise, type LoadNoise, noiseOf } from "../../../../cli/results/verdict/load_noise.ts";
import { type Lanes, lanesOf, normalNoise, ofTwoKinds, pair } from "./simulated_lanes.ts";

const lanes: Lanes = {
  pages: 6,
  links: 2,
  runs: 3,
  gain_percent: () => 5,
  h2: normalNoise(0.02),
  h3: normalNoise(0.06),
};

/** Of many studies. */
const draws = (noise: LoadNoise, n = 20_000) => {
  const random = randomSource(9, "draws");
  return Array.from({ length: n / 20 }, () => noise.study(random)).flatMap((draw) =>
    Array.from({ length: 20 }, () => draw(random)),
  );
};

test("a pilot of three runs says how wide loads scatter, each lane by itself; with its allowance four of five are no narrower", () => {
  const studies = 200;
  const sums = { lane: 0, over: 0 };
  let wideEnough = 0;
  for (let seed = 1; seed <= studies; seed++) {
    const { typical, allowance } = noiseOf(lanesOf(lanes, seed), pair) ?? {};
    assert.ok(typical && allowance && allowance > 1.1 && allowance < 1.25);
    sums.lane += typical.lane / allowance / studies;
    sums.over += typical.over / allowance / studies;
    if (typical.lane >= 0.06) wideEnough++;
  }
  assert.ok(wideEnough / studies > 0.75, `${wideEnough} of ${studies}`);
  // By up to a sixth too wide: deviations are from a median of three.
  assert.ok(sums.over > 0.019 && sums.over < 0.0245, `${sums.over}`);
  assert.ok(sums.lane > 0.057 && sums.lane < 0.0735, `${sums.lane}`);
});

test("draws have the loads' shape: of two kinds, median 0, root mean square 1", () => {
  const noise = noiseOf(lanesOf({ ...lanes, runs: 40, h3: ofTwoKinds }, 2), pair);
  assert.ok(noise);
  const ofLane = draws(noise).map((of) => of.lane);
  const size = Math.sqrt(ofLane.reduce((sum, value) => sum + value ** 2, 0) / ofLane.length);
  assert.ok(Math.abs(size - 1) < 0.1, `${size}`);
  assert.ok(Math.abs(median(ofLane)) < 0.15, `${median(ofLane)}`);
  // Three of ten loads are two deviations slower than the others, and nothing lies between.
  const slow = ofLane.filter((value) => value > 1).length / ofLane.length;
  assert.ok(slow > 0.25 && slow < 0.35, `${slow}`);
  assert.ok(ofLane.filter((value) => value > 0.6 && value < 1.2).length < 0.06 * ofLane.length);
});

test("what the loads of a block share, drawn ones share, from few runs and from many", () => {
  for (const [runs, least] of [
    [3, 0.35],
    [30, 0.75],
  ] as const) {
    const random = randomSource(4, "minutes");
    const minutes = Array.from({ length: 400 }, () => 0.06 * normalDraw(random));
    const samples = lanesOf({ ...lanes, pages: 3, links: 2, runs, h3: normalNoise(0.02) }, 3).map((load, index) => ({
      ...load,
      plt_ms: (load.plt_ms ?? 0) * Math.exp(minutes[index >> 1] ?? 0),
    }));
    const noise = noiseOf(samples, pair);
    assert.ok(noise);
    const of = draws(noise);
    const correlation = of.reduce((sum, { lane, over }) => sum + lane * over, 0) / of.length;
    assert.ok(correlation > least && correlation < 1.05, `${runs} runs: ${correlation}`);
  }
});

test("one run says nothing; a given spread is normal and shares nothing", () => {
  assert.equal(noiseOf(lanesOf({ ...lanes, runs: 1 }, 1), pair), null);
  const of = draws(givenNoise(0.02, pair));
  assert.ok(Math.abs(of.reduce((sum, { lane, over }) => sum + lane * over, 0) / of.length) < 0.03);
  assert.ok(Math.abs(standardDeviation(of.map(({ over }) => over)) - 1) < 0.03);
});

test("how many loads are slow is as uncertain as the pilot is short: each study has another share of them", () => {
  const spreadOfShares = (runs: number): number => {
    const noise = noiseOf(lanesOf({ ...lanes, pages: 1, links: 1, runs, h3: ofTwoKinds }, 6), pair);
    assert.ok(noise);
    const random = randomSource(11, "shares");
    const shares = Array.from({ length: 200 }, () => {
      const draw = noise.study(random);
      // The slow ones are two deviations from the others.
      const lane = Array.from({ length: 200 }, () => draw(random).lane).sort((a, b) => a - b);
      const middle = ((lane[0] as number) + (lane.at(-1) as number)) / 2;
      return lane.filter((value) => value > middle).length / lane.length;
    });
    return standardDeviation(shares);
  };
  const [few, many] = [spreadOfShares(12), spreadOfShares(200)];
  assert.ok(few > 0.08 && few < 0.2, `${few}`);
  assert.ok(many < 0.06, `${many}`);
});

test("a pilot with a lane of two kinds says so, and how many were slower; others do not", () => {
  const found = noiseOf(lanesOf({ ...lanes, pages: 1, links: 1, runs: 12, h3: ofTwoKinds }, 6), pair)?.kinds;
  assert.equal(found?.lane, "h3");
  assert.ok(found.loads === 12 && found.slower >= 2 && found.slower <= 6, `${found.slower}`);
  assert.equal(noiseOf(lanesOf({ ...lanes, runs: 12 }, 6), pair)?.kinds, null);
  assert.equal(givenNoise(0.02, pair).kinds, null);
});
