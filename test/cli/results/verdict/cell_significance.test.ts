// Tests of a map's cells: what pairs them, what corrects them, and what they find where there is nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { significanceLevel } from "../../../../cli/results/stats/multiplicity.ts";
import { cellTest, correctedTests, differencesNeeded } from "../../../../cli/results/verdict/cell_significance.ts";
import type { PairedCell } from "../../../../cli/results/verdict/paired_cells.ts";

const cell = (page: string, lane: number[], over: number[]): PairedCell => ({
  page,
  link: "3mbit/50ms",
  lane: Float64Array.from(lane),
  over: Float64Array.from(over),
});

test("few pages: each block of each page that has both lanes is a difference", () => {
  const cells = [cell("a", [90, 91, Number.NaN, 88], [100, 101, 99, 98]), cell("b", [900], [1000])];
  // Four of one sign: 2 of 2^4 ways.
  assert.deepEqual(cellTest(cells), { probability: 0.125, permutation: 0.125, direction: "faster", n: 4 });
  assert.equal(cellTest([cell("a", [Number.NaN], [100])]), null);
});

test("many pages: each is one difference, that of its medians, however many loads it has", () => {
  const cells = Array.from({ length: 6 }, (_, page) =>
    cell(`page ${page}`, [90 + page, 91 + page, 300], [100 + page, 101 + page, 80]),
  );
  assert.deepEqual(cellTest(cells), { probability: 2 / 64, permutation: 2 / 64, direction: "faster", n: 6 });
});

test("corrected over those that are known; what is needed to pass is what passes", () => {
  const corrected = correctedTests([
    { probability: 0.01, permutation: 0.02, direction: "faster", n: 9 },
    null,
    { probability: 0.04, permutation: 0.03, direction: "slower", n: 9 },
  ]);
  assert.deepEqual(corrected, [
    { probability: 0.01, permutation: 0.02, direction: "faster", n: 9, holm: 0.02, benjaminiHochberg: 0.02 },
    null,
    { probability: 0.04, permutation: 0.03, direction: "slower", n: 9, holm: 0.04, benjaminiHochberg: 0.04 },
  ]);
  for (const cells of [1, 18, 300]) {
    const needed = differencesNeeded(cells);
    const least = (n: number): number => 2 * 0.5 ** n * cells;
    assert.ok(least(needed) <= significanceLevel && least(needed - 1) > significanceLevel, `${cells} cells: ${needed}`);
  }
});

test("maps in which nothing differs: one in twenty, or fewer, has a cell that passes Holm's correction", () => {
  const random = randomSource(11, "maps without differences");
  const draw = (): number[] => Array.from({ length: 12 }, () => 1000 * (1 + 0.1 * random()));
  let wrong = 0;
  for (let map = 0; map < 400; map++) {
    const tests = correctedTests(Array.from({ length: 18 }, () => cellTest([cell("a", draw(), draw())])));
    if (tests.some((each) => each !== null && each.holm <= significanceLevel)) wrong++;
  }
  // 95 % of such runs of 400 find at most 28 where the truth is 5 %.
  assert.ok(wrong <= 28, `${wrong} of 400`);
});
