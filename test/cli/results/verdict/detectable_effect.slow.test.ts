// What is promised before running is what the verdict says afterwards: runs that are said to show an effect show it in as many of
// other studies, made by another generator and judged from samples on.
// Wide: cli/results/verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  logOfPercent,
  mostRuns,
  type Power,
  powers,
  Reaches,
  runsNeeded,
  runsNeededWider,
  shownBy,
} from "../../../../cli/results/stats/runs_search.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { type Design, designOfCell, pageStudies } from "../../../../cli/results/verdict/detectable_effect.ts";
import { givenNoise, noiseOf } from "../../../../cli/results/verdict/load_noise.ts";
import { type Lanes, lanesOf, normalNoise, ofTwoKinds, pair } from "./simulated_lanes.ts";

/** Share of studies whose verdict is that h3 is faster. */
function shownIn(lanes: Lanes, studies: number): number {
  let shown = 0;
  for (let seed = 1; seed <= studies; seed++)
    if (direction(compare(lanesOf(lanes, seed), pair, seed)) === "faster") shown++;
  return shown / studies;
}

const neededFor = (design: Design, percent: number, power: Power): number => {
  const { runs, shown } = runsNeeded(new Reaches(pageStudies(design), 1), logOfPercent(percent), power);
  assert.ok(runs !== null && shown !== null && shown >= power);
  return runs;
};

const steady = { pages: 1, links: 1, gain_percent: () => 3, h2: normalNoise(0.02), h3: normalNoise(0.02) };

test("3 % on one page, loads varying by 2 %: the runs that are said show it as often as said, and half as many do not", () => {
  const noise = givenNoise(0.02, pair);
  const runs = neededFor(designOfCell(noise, noise.typical, 1), 3, 0.8);
  const shown = shownIn({ ...steady, runs }, 200);
  assert.ok(shown > 0.74 && shown < 0.95, `${runs} runs show it in ${shown}`);
  assert.ok(shownIn({ ...steady, runs: Math.ceil(runs / 2) }, 60) < 0.7);
});

test("what a number of runs shows is what it shows: 80 and 95 % of studies with that effect", () => {
  const noise = givenNoise(0.03, pair);
  const percents = shownBy(new Reaches(pageStudies(designOfCell(noise, noise.typical, 1)), 2), 12);
  for (const [index, power] of powers.entries()) {
    const percent = percents[index];
    assert.ok(percent);
    const lanes = { ...steady, runs: 12, gain_percent: () => percent, h2: normalNoise(0.03), h3: normalNoise(0.03) };
    const shown = shownIn(lanes, 150);
    assert.ok(Math.abs(shown - power) < 0.09, `${power}: ${percent} % is shown in ${shown}`);
  }
});

test("from a pilot of three runs, of lanes that scatter 1 to 5: over all pages at least as often as said", () => {
  const lanes = { ...steady, pages: 4, links: 2, gain_percent: () => 2, h2: normalNoise(0.01), h3: normalNoise(0.05) };
  const noise = noiseOf(lanesOf({ ...lanes, runs: 3 }, 77), pair);
  assert.ok(noise);
  const runs = neededFor({ noise, cells: noise.cells, comparisons: 1 }, 2, 0.8);
  assert.ok(shownIn({ ...lanes, runs }, 100) > 0.74, `${runs} runs`);
});

test("from twenty runs of a lane of two kinds: as often as said, within the spread of such pilots", () => {
  const lanes = { ...steady, pages: 4, links: 2, gain_percent: () => 2, h2: normalNoise(0.01), h3: ofTwoKinds };
  const noise = noiseOf(lanesOf({ ...lanes, runs: 20 }, 78), pair);
  assert.ok(noise);
  const runs = neededFor({ noise, cells: noise.cells, comparisons: 1 }, 2, 0.95);
  assert.ok(shownIn({ ...lanes, runs }, 100) > 0.82, `${runs} runs`);
});

test("pages that differ take more runs or none will do; a cell that varies twice as much takes four times the runs", () => {
  const noise = { ...givenNoise(0.02, pair), effects: { page: 0.2 } };
  const cells = Array.from({ length: 8 }, (_, page) => ({
    page: `page ${page}`,
    link: "link",
    base_ms: 1000,
    spread: noise.typical,
  }));
  const alike = { noise: { ...noise, effects: {} }, cells, comparisons: 1 };
  const effect = logOfPercent(3);
  const ofAlike = neededFor(alike, 3, 0.8);
  const unlike = { ...alike, noise };
  const ofUnlike = runsNeeded(new Reaches(pageStudies(unlike), 1), effect, 0.8).runs;
  assert.ok(ofUnlike === null || ofUnlike >= ofAlike);
  const cell = designOfCell(noise, noise.typical, 1);
  const reaches = new Reaches(pageStudies(cell), 1);
  const { runs } = runsNeeded(reaches, effect, 0.8);
  const wider = runs && runsNeededWider(reaches, effect, 0.8, runs, 2);
  assert.ok(runs && wider && wider > 3 * runs && wider < 5 * runs, `${runs}, ${wider}`);
  assert.equal(runsNeeded(reaches, logOfPercent(0.1), 0.95).runs, null, `more than ${mostRuns}`);
});

test("the same question has the same answer; too few runs for an interval show nothing", () => {
  const noise = givenNoise(0.02, pair);
  const cell = designOfCell(noise, noise.typical, 1);
  const ask = () => runsNeeded(new Reaches(pageStudies(cell), 5), logOfPercent(8), 0.8);
  assert.deepEqual(ask(), ask());
  assert.deepEqual(shownBy(new Reaches(pageStudies(cell), 5), 2), [null, null]);
});
