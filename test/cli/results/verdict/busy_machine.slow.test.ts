// The verdict of a busy machine, tried on studies whose truth is known: equal lanes are hardly ever called different, and intervals hold,
// whatever the machine does and however lanes share it. `npm run bench -- coverage --only busy` tries more, and other rules.
// Wide: cli/results/stats, cli/results/verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type machines, toldOfBusy } from "../stats/simulated_busy.ts";

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const tried: readonly (keyof typeof machines)[] = [
  "as busy all the time",
  "busy for a third of the time",
  "ever busier for some",
];

for (const machine of tried)
  test(`a machine ${machine}: equal lanes are called different in at most 6 %, intervals hold in 93 %`, () => {
    for (const size of [
      { pages: 1, links: 1, loads: 9 },
      { pages: 2, links: 2, loads: 6 },
    ])
      for (const { name, wrong, covered } of toldOfBusy("half, and the rest in full", machine, size, 120)) {
        // Chance of 120 studies.
        assert.ok(wrong <= 0.06 + 0.05, `${name}: called different in ${percent(wrong)}`);
        assert.ok(covered >= 0.93 - 0.06, `${name}: holds in ${percent(covered)}`);
      }
  });

test("without a correction lanes that suffer differently would be called different", () => {
  const told = toldOfBusy("no correction", "as busy all the time", { pages: 1, links: 1, loads: 9 }, 60);
  assert.ok(told.some(({ name, wrong }) => name.startsWith("one lane alone") && wrong > 0.2));
});
