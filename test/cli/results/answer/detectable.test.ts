// Runs that are said to show a difference between what is compared by pairs show it as often as said: against the exact power of the test, and in
// other studies; and equal sides are seldom called different.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import type { RuledSide } from "../../../../cli/results/answer/block_values.ts";
import { type Contrast, contrast, type Pair } from "../../../../cli/results/answer/contrast.ts";
import {
  normalPairs,
  type PairedNoise,
  pairedNoise,
  pairedStudies,
  pairsByObject,
} from "../../../../cli/results/answer/detectable.ts";
import { judgeTogether } from "../../../../cli/results/answer/judged.ts";
import { normalDraw, normalUpperTail } from "../../../../cli/results/stats/normal_tail.ts";
import {
  logOfPercent,
  mostRuns,
  type Power,
  powers,
  Reaches,
  runsNeeded,
  shownBy,
} from "../../../../cli/results/stats/runs_search.ts";

const pair = (log: number): Pair => ({ one: Math.exp(log), other: 1 });

function needed(noise: PairedNoise, percent: number, power: Power, together = 1): number {
  const { runs, shown } = runsNeeded(new Reaches(pairedStudies(noise, together), 3), logOfPercent(percent), power);
  assert.ok(runs !== null && shown !== null && shown >= power);
  return runs;
}

/** Chance of `heads` among n coins that fall heads with `chance`. */
function binomial(n: number, heads: number, chance: number): number {
  let log = heads * Math.log(chance) + (n - heads) * Math.log(1 - chance);
  for (let k = 1; k <= heads; k++) log += Math.log((n - heads + k) / k);
  return Math.exp(log);
}

/** Chance that the sign test shows an effect of so many standard deviations of n normal values, at 5 % on two sides. */
function signTestPower(n: number, effect: number, together = 1): number {
  let [tail, most] = [0, n + 1];
  while (2 * (tail + binomial(n, most - 1, 0.5)) * together <= 0.05) {
    most--;
    tail += binomial(n, most, 0.5);
  }
  const above = 1 - normalUpperTail(effect);
  let shown = 0;
  for (let heads = most; heads <= n; heads++) shown += binomial(n, heads, above);
  return shown;
}

test("of normal noise the runs that are said have the power of the test by theory, within a few per cent", () => {
  for (const [sigma, percent, together] of [
    [0.05, 3, 1],
    [0.05, 3, 4],
    [0.1, 5, 1],
    [0.03, 3, 2],
  ] as const)
    for (const power of powers) {
      const runs = needed(normalPairs(sigma), percent, power, together);
      const effect = logOfPercent(percent) / sigma;
      const exact = signTestPower(runs, effect, together);
      assert.ok(exact > power - 0.04, `${sigma}, ${percent} %: ${runs} runs have ${exact}, not ${power}`);
      // The power of a test of signs rises in steps: a run more may have less, or much more.
      assert.ok(exact < (1 + power) / 2, `${sigma}, ${percent} %: ${runs} runs have ${exact}, more than ${power}`);
    }
});

/** Share of studies, made and judged without what is tested, in which one of two is more, by an effect. */
function shownShare(draw: (random: RandomSource) => number, runs: number, effect: number, studies: number): number {
  const random = randomSource(11, "others");
  let shown = 0;
  for (let study = 0; study < studies; study++) {
    const found = contrast(Array.from({ length: runs }, () => [pair(effect + draw(random))])) as Contrast;
    if (judgeTogether([{ found, ruled: null }], undefined)[0]?.shown === "more") shown++;
  }
  return shown / studies;
}

const pilotOf = (draw: (random: RandomSource) => number, runs: number, seed: number): PairedNoise => {
  const random = randomSource(seed, "pilot");
  const noise = pairedNoise([Array.from({ length: runs }, () => pair(0.4 + draw(random)))]);
  assert.ok(noise);
  return noise;
};

const normal =
  (sigma: number) =>
  (random: RandomSource): number =>
    sigma * normalDraw(random);

test("from a long pilot of normal or heavy-tailed noise: shown as often as said in other studies, and less often by a third of them", () => {
  const heavy = (random: RandomSource): number => (random() < 0.15 ? 0.15 : 0.02) * normalDraw(random);
  for (const draw of [normal(0.04), heavy]) {
    const noise = pilotOf(draw, 60, 5);
    assert.equal(noise.runs, 60);
    const runs = needed(noise, 3, 0.8);
    assert.ok(shownShare(draw, runs, logOfPercent(3), 400) > 0.74, `${runs} runs`);
    assert.ok(shownShare(draw, Math.ceil(runs / 3), logOfPercent(3), 400) < 0.7, `${runs} runs`);
  }
});

test("a short pilot is planned with more than it shows, so that four of five are planned with enough", () => {
  const enough = Array.from({ length: 200 }, (_, seed) => pilotOf(normal(0.03), 6, seed)).filter(
    ({ spread, allowance }) => spread * allowance >= 0.03,
  ).length;
  assert.ok(enough > 145 && enough < 178, `${enough} of 200`);
  assert.equal(pairedNoise([[pair(0)], []]), null, "one pair says nothing");
});

test("equal sides are called different in about one of twenty studies, also by noise that is long on one side", () => {
  const skewed = pilotOf((random) => -0.05 * Math.log(1 - random()), 12, 9);
  for (const noise of [normalPairs(0.05), skewed]) {
    const studies = pairedStudies(noise, 1);
    const random = randomSource(4, "equal");
    const all = 4000;
    let more = 0;
    for (let study = 0; study < all; study++) if (studies.draw(20, 0, random).isShown(0, study)) more++;
    // On one of two sides: by theory 2.07 %.
    assert.ok(more / all > 0.013 && more / all < 0.029, `${more} of ${all}`);
  }
});

test("what the plan's runs show they show in 80 and 95 % of studies; four have no interval", () => {
  const noise = normalPairs(0.05);
  const reaches = new Reaches(pairedStudies(noise, 1), 2);
  for (const [index, percent] of shownBy(reaches, 15).entries()) {
    const shown = shownShare(normal(0.05), 15, logOfPercent(percent ?? 0), 600);
    assert.ok(Math.abs(shown - (powers[index] ?? 0)) < 0.06, `${percent} %: ${shown}`);
  }
  assert.deepEqual(shownBy(reaches, 4), [null, null]);
});

test("objects that differ take more objects, and no more runs; objects alike take fewer runs than one", () => {
  const random = randomSource(6, "objects");
  const objectsOf = (spread: number) =>
    Array.from({ length: 8 }, () => {
      const own = spread * normalDraw(random);
      return Array.from({ length: 10 }, () => pair(own + 0.03 * normalDraw(random)));
    });
  const [alike, unlike] = [pairedNoise(objectsOf(0)), pairedNoise(objectsOf(0.2))];
  assert.ok(alike && unlike && alike.objects === 8);
  assert.ok(needed(alike, 3, 0.8) < needed(normalPairs(0.03), 3, 0.8));
  assert.equal(runsNeeded(new Reaches(pairedStudies(unlike, 1), 3), logOfPercent(3), 0.8).runs, null);
  assert.ok(needed(unlike, 50, 0.8) < mostRuns);
});

test("the same question has the same answer", () => {
  const ask = () => runsNeeded(new Reaches(pairedStudies(pilotOf(normal(0.03), 9, 1), 3), 8), logOfPercent(4), 0.95);
  assert.deepEqual(ask(), ask());
});

test("pairs are of one object in one block; an object that failed on one side has none there", () => {
  const side = (name: string, cells: readonly (readonly [string, number])[]): RuledSide<Attempt> => ({
    ...{ name, quantity: { name: "time_ms", title: "time" }, link: null, place: "", cells: new Map(cells) },
    counted: ["valid", "failed"],
    valueOf: ({ value }) => value,
  });
  interface Attempt {
    readonly cell: number;
    readonly block: number;
    readonly status: "valid" | "failed";
    readonly value: number;
  }
  const one = side("h3", [
    ["a", 1],
    ["b", 2],
    ["only here", 5],
  ]);
  const other = side("h2", [
    ["a", 3],
    ["b", 4],
  ]);
  const attempts = [1, 2, 3, 4, 5].flatMap((cell) =>
    [0, 1].map(
      (block): Attempt => ({ cell, block, status: cell + block === 3 ? "failed" : "valid", value: 10 * cell }),
    ),
  );
  const pairs = pairsByObject([{ one, other }], attempts);
  const values = pairs.map((objects) => objects.map((of) => of.map(({ one, other }) => [one, other])));
  assert.deepEqual(values, [[[[10, 30]], [[20, 40]]]]);
});
