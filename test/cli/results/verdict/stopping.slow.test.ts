// Sweeps that stop by what they show, through all that is printed: the answer after `--decide` calls equal lanes different no more often
// than a decision may be wrong, and its interval holds; so do verdicts after `--precise`, of lanes that rise and fall together, and of
// pages that are a sample. Seeds are fixed, so the outcome is; `npm run bench -- coverage` has more of each.
// Wide: cli/results/stats, cli/results/verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnPages, drawnTogether, minutes, pageEffects } from "../stats/simulated_minutes.ts";
import { answersTold, decidedTold, preciseTold } from "../stats/simulated_stops.ts";
import { drawnApart, shapes, toldOf } from "../stats/simulated_study.ts";

const margin_percent = 3;

/** At most `share`, and twice what so few studies err by. */
function assertSeldom(found: number, share: number, studies: number, what: string): void {
  const most = share + 2 * Math.sqrt((share * (1 - share)) / studies);
  assert.ok(found <= most, `${what}: ${(found * 100).toFixed(1)} %, at most ${(most * 100).toFixed(1)} %`);
}

const all = Object.keys(shapes).map((name) => ({ name, study: drawnApart(name) }));

test("equal lanes, --decide 3: the answer says in at most 5 % that one saves time, and never otherwise than was decided", () => {
  for (const { name, study } of all) {
    const told = answersTold(name, study, margin_percent, 150);
    assertSeldom(told.wrong, 0.05, 150, name);
    assert.equal(told.otherwise, 0, name);
  }
});

test("the interval of the look that decided holds the truth in 95 %, of equal lanes, at the margin and beyond", () => {
  for (const { name, study } of all)
    for (const truth of [0, Math.log1p(margin_percent / 100), 0.1]) {
      const told = decidedTold(name, study, truth, margin_percent, 100);
      assertSeldom(told.missed, 0.05, 100, `${name}, ${truth}`);
    }
});

test("lanes that rise and fall together, whose loads are equal within blocks, are decided wrongly in at most 5 %", () => {
  for (const minute of Object.keys(minutes))
    for (const name of ["both normal", "three tenths slower", "skewed"]) {
      const study = drawnTogether(name, minute, "loads of a block");
      const told = decidedTold(`${name}, ${minute}`, study, 0, margin_percent, 100);
      assertSeldom(Math.max(told.wrong, told.missed), 0.05, 100, `${name}, ${minute}`);
    }
});

test("a verdict of a page calls lanes of equal medians that rise and fall together different in at most 6 %", () => {
  for (const minute of Object.keys(minutes))
    for (const name of ["three tenths slower", "skewed"])
      for (const loads of [9, 30]) {
        const study = drawnTogether(name, minute, "medians");
        const told = toldOf(`${name}, ${minute}`, study, { pages: 1, links: 1, loads }, 100);
        assertSeldom(told.wrong, 0.06, 100, `${name}, ${minute}, ${loads} loads`);
        assertSeldom(1 - told.covered, 0.07, 100, `${name}, ${minute}, ${loads} loads, interval`);
      }
});

test("twelve pages of many whose effects differ and are 0 on average: the interval of pages like these holds 0", () => {
  const size = { pages: 12, links: 1, loads: 5 };
  for (const effects of Object.keys(pageEffects))
    for (const name of ["both normal", "three tenths slower", "ms ties"]) {
      const told = toldOf(`${name}, ${effects}`, drawnPages(name, effects, 12), size, 300);
      assertSeldom(told.wrong, 0.06, 300, `${name}, ${effects}`);
      assertSeldom(1 - told.covered, 0.07, 300, `${name}, ${effects}, interval`);
    }
});

test("after --precise 3 equal lanes are called different in at most 6 %, and intervals hold in 92 % or more", () => {
  for (const { name, study } of all) {
    const told = preciseTold(name, study, 3, 100);
    assertSeldom(told.wrong, 0.06, 100, name);
    assertSeldom(Math.max(told.missed, told.differenceMissed), 0.08, 100, `${name}, intervals`);
  }
});
