// The rule that stops a cell's loads, tried on loads whose truth is known: wrong decisions over all looks together stay
// below 5 %, whatever the distribution, and clear cells need few loads. Seeds are fixed, so the outcome is.
// Wide: cli/results/stats.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { leastDifference } from "../../../../cli/results/stats/difference_test.ts";
import { decide, firstLook, type LogPair, lastLook, nominalLevel } from "../../../../cli/results/stats/sequential.ts";
import { normal, shapes } from "./simulated_study.ts";

/** What a lane's loads vary by, as logarithms. */
const noises: Record<string, (random: RandomSource) => number> = {
  "normal, 2 %": (random) => 0.015 * normal(random),
  "normal, 8 %": (random) => 0.06 * normal(random),
  "two kinds of loads": (random) => 0.01 * normal(random) + (random() < 0.3 ? 0.1 : 0),
  "heavy tails": (random) => 0.02 * Math.tan(Math.PI * (random() - 0.5) * 0.9),
};

type Noise = (random: RandomSource) => number;

/** `shared`: what both lanes of a block vary by besides. */
function pairsOf(count: number, truth: number, noise: Noise, random: RandomSource, shared = 0): LogPair[] {
  return Array.from({ length: count }, () => {
    const minute = shared * normal(random);
    return { lane: minute + noise(random), over: minute + truth + noise(random) };
  });
}

const differences = (values: readonly number[]): LogPair[] => values.map((value) => ({ lane: 0, over: value }));

function decisions(trials: number, truth: number, noise: Noise, seed: number, shared = 0) {
  const random = randomSource(seed, "sequential");
  const counts = { faster: 0, slower: 0, equivalent: 0, undecided: 0 };
  let blocks = 0;
  for (let trial = 0; trial < trials; trial++) {
    const outcome = decide(pairsOf(lastLook, truth, noise, random, shared), 3);
    counts[outcome.decision]++;
    blocks += outcome.blocks;
  }
  return { ...counts, blocks: blocks / trials };
}

test("the looks together spend at most 5 %, also where one lane's loads are much more alike", () => {
  // Within so small a margin nothing is ever equivalent. Lanes of loads of two kinds spend all of it; these do not.
  for (const [wide, least] of [
    [1, 0.008],
    [3, 0.01],
    [10, 0.01],
  ] as const) {
    const random = randomSource(8, `levels ${wide}`);
    const trials = 3000;
    let different = 0;
    for (let trial = 0; trial < trials; trial++) {
      const pairs = Array.from({ length: lastLook }, () => ({ lane: normal(random), over: wide * normal(random) }));
      if (decide(pairs, 1e-9).decision !== "undecided") different++;
    }
    const share = different / trials;
    assert.ok(share > least && share < 0.055, `${share} of sequences without a shift, ${wide} times as wide`);
  }
});

test("levels rise to the last look, and at the second one lanes that lie wholly apart are told apart", () => {
  assert.ok(nominalLevel(firstLook + 1) >= leastDifference(firstLook + 1, firstLook + 1));
  for (let blocks = firstLook; blocks < lastLook; blocks++) assert.ok(nominalLevel(blocks) < nominalLevel(blocks + 1));
});

for (const [shape, { lane, over }] of Object.entries(shapes)) {
  test(`lanes of equal medians, or of medians apart by the margin, are decided wrongly in at most 5 %: ${shape}`, () => {
    for (const truth of [0, Math.log1p(0.03)]) {
      const random = randomSource(81, `${shape} ${truth}`);
      const trials = 1000;
      let wrong = 0;
      for (let trial = 0; trial < trials; trial++) {
        const pairs = Array.from({ length: lastLook }, () => ({ lane: lane(random), over: truth + over(random) }));
        const { decision } = decide(pairs, 3);
        if (
          truth === 0
            ? decision === "faster" || decision === "slower"
            : decision === "equivalent" || decision === "slower"
        )
          wrong++;
      }
      // Twice what so few trials err by.
      assert.ok(wrong / trials <= 0.064, `${truth}: ${(wrong / trials) * 100} %`);
    }
  });
}

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

test("a clear difference is settled at the second look, no difference soon", () => {
  const clear = decisions(300, 0.15, noises["normal, 2 %"] as Noise, 23);
  assert.equal(clear.faster, 300);
  assert.ok(clear.blocks < firstLook + 1.1, `${clear.blocks} blocks`);
  const none = decisions(300, 0, (random) => 0.007 * normal(random), 24);
  assert.ok(none.equivalent >= 285 && none.blocks < 9, JSON.stringify(none));
});

test("what both lanes of a block share makes no decision wrong, and hides none for long", () => {
  const none = decisions(1000, 0, noises["normal, 2 %"] as Noise, 26, 0.05);
  assert.ok((none.faster + none.slower) / 1000 <= 0.055, JSON.stringify(none));
  const clear = decisions(300, 0.1, noises["normal, 2 %"] as Noise, 27, 0.1);
  assert.ok(clear.faster >= 297 && clear.blocks < 9, JSON.stringify(clear));
});

test("slower is slower, and more loads change nothing that was settled", () => {
  const values = Array.from({ length: 6 }, (_, index) => -0.1 - index / 1000);
  const slower = { decision: "slower", blocks: 6, givenUp: false };
  assert.deepEqual(decide(differences(values), 3), slower);
  assert.deepEqual(decide(differences([...values, ...values.map(Math.abs), ...values.map(Math.abs)]), 3), slower);
});

test("nothing is decided before the first look", () => {
  const values = new Array<number>(4).fill(0.1);
  assert.deepEqual(decide(differences(values), 3), { decision: "undecided", blocks: 4, givenUp: false });
});

test("what the last look would hardly decide is given up, and less than half of what it may decide", () => {
  const even = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 0.2 : -0.2) * (1 + index / 100));
  const outcome = decide(differences(even), 3);
  assert.ok(outcome.decision === "undecided" && outcome.givenUp && outcome.blocks <= 12, JSON.stringify(outcome));
  // A difference that the last look shows in some six of ten studies.
  const found = decisions(400, 0.05, noises["normal, 8 %"] as Noise, 25);
  assert.ok(found.faster >= 160 && found.slower <= 2, JSON.stringify(found));
});
