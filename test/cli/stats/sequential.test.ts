// The rule that stops a cell's loads, tried on loads whose truth is known: wrong decisions over all looks together stay
// below 5 %, whatever the distribution, and clear cells need few loads. Seeds are fixed, so the outcome is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../../cli/stats/random.ts";
import { decide, looks, nextLook, nominalLevels } from "../../../cli/stats/sequential.ts";
import { signedRank } from "../../../cli/stats/signed_rank.ts";

const most = looks[looks.length - 1] as number;
const normal = (random: RandomSource): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** What a page's loads vary by, as log ratios of two paired loads: symmetric, because both lanes vary alike. */
const noises: Record<string, (random: RandomSource) => number> = {
  "normal, 2 %": (random) => 0.02 * normal(random),
  "normal, 8 %": (random) => 0.08 * normal(random),
  "two kinds of loads": (random) => 0.01 * normal(random) + (random() < 0.3 ? 0.1 : 0) - (random() < 0.3 ? 0.1 : 0),
  "heavy tails": (random) => 0.02 * Math.tan(Math.PI * (random() - 0.5) * 0.9),
};

function decisions(trials: number, truth: number, noise: (random: RandomSource) => number, seed: number) {
  const random = randomSource(seed, "sequential");
  const counts = { faster: 0, slower: 0, equivalent: 0, undecided: 0 };
  let blocks = 0;
  for (let trial = 0; trial < trials; trial++) {
    const outcome = decide(
      Array.from({ length: most }, () => truth + noise(random)),
      3,
    );
    counts[outcome.decision]++;
    blocks += outcome.blocks;
  }
  return { ...counts, blocks: blocks / trials };
}

test("the nominal levels spend 5 %, neither more nor much less", () => {
  const random = randomSource(8, "levels");
  const trials = 6000;
  let [either, greater] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const values = Array.from({ length: most }, () => (random() < 0.5 ? -1 : 1) * random());
    const seen = looks.map((look) => ({ ...signedRank(values.slice(0, look)), levels: nominalLevels(look) }));
    if (seen.some((each) => each.twoSided <= each.levels.twoSided)) either++;
    if (seen.some((each) => each.greater <= each.levels.oneSided)) greater++;
  }
  for (const share of [either / trials, greater / trials])
    assert.ok(share > 0.04 && share < 0.055, `${share} of sequences without a shift`);
});

for (const [name, noise] of Object.entries(noises)) {
  test(`no difference is called one in at most 5 %: ${name}`, () => {
    const found = decisions(1500, 0, noise, 21);
    assert.ok((found.faster + found.slower) / 1500 <= 0.058, JSON.stringify(found));
  });
  test(`a difference of just the margin is called equivalent in at most 5 %: ${name}`, () => {
    const found = decisions(1500, Math.log1p(0.03), noise, 22);
    assert.ok((found.equivalent + found.slower) / 1500 <= 0.058, JSON.stringify(found));
  });
}

test("a clear difference is settled at the first look, no difference soon", () => {
  const clear = decisions(300, 0.15, noises["normal, 2 %"] as (random: RandomSource) => number, 23);
  assert.equal(clear.faster, 300);
  assert.equal(clear.blocks, looks[0]);
  const none = decisions(300, 0, (random) => 0.01 * normal(random), 24);
  assert.ok(none.equivalent >= 285 && none.blocks < 9, JSON.stringify(none));
});

test("slower is slower, and more loads change nothing that was settled", () => {
  const values = Array.from({ length: 7 }, (_, index) => -0.1 - index / 1000);
  const slower = { decision: "slower", blocks: 7, givenUp: false };
  assert.deepEqual(decide(values, 3), slower);
  assert.deepEqual(decide([...values, ...values.map(Math.abs), ...values.map(Math.abs)], 3), slower);
});

test("nothing is decided between the looks", () => {
  const values = new Array<number>(6).fill(0.1);
  assert.deepEqual(decide(values, 3), { decision: "undecided", blocks: 6, givenUp: false });
  assert.deepEqual([nextLook(0), nextLook(8), nextLook(9), nextLook(30)], [7, 10, 10, null]);
});

test("what the last look would hardly decide is given up, and seldom what it would have decided", () => {
  const even = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 0.2 : -0.2) * (1 + index / 100));
  const outcome = decide(even, 3);
  assert.ok(outcome.decision === "undecided" && outcome.givenUp && outcome.blocks <= 12, JSON.stringify(outcome));
  // A difference that 30 loads show in most studies.
  const found = decisions(400, 0.05, noises["normal, 8 %"] as (random: RandomSource) => number, 25);
  assert.ok(found.faster >= 240 && found.slower <= 2, JSON.stringify(found));
});
