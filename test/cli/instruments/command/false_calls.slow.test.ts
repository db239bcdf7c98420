// How often two equal commands are called different: in no more than 5 % of sweeps, whatever the shape of the machine's noise, with a fixed number of
// runs and with --decide, which looks after each block. Simulated; seeds are fixed.
// Wide: cli/instruments/command/answer, cli/results/answer, cli/results/stats.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { compareCommands, ruledCommands, timeQuantity } from "../../../../cli/instruments/command/answer/comparison.ts";
import type { CommandRun } from "../../../../cli/instruments/command/metrics/values.ts";
import { RuledValues } from "../../../../cli/results/answer/block_values.ts";
import { RuleLook } from "../../../../cli/results/answer/paired_rule.ts";
import { commandCell, commandRun } from "./runs.ts";

const sweeps = 600;
/** Of so many, by chance: a true 5 % exceeds it in one of a thousand. */
const mostWrong = 48;

const cells = ["a", "b"].map((subject) => commandCell(subject));

/** A machine's noise: each only adds to 100 ms. `slow`: minutes that meet both commands of a block. */
const noises: Readonly<Record<string, (random: () => number, slow: number) => number>> = {
  "an exponential tail": (random) => -3 * Math.log(1 - random()),
  "one run in five disturbed": (random) => (random() < 0.2 ? 40 * random() : random()),
  "slow minutes": (random, slow) => 30 * slow + random(),
  "two modes": (random) => (random() < 0.5 ? 0 : 4) + random(),
};

function block(of: number, noise: (random: () => number, slow: number) => number, random: () => number): CommandRun[] {
  const slow = random();
  return cells.map(({ subject }) => commandRun({ subject, block: of, wall_ms: 100 + noise(random, slow) }));
}

const isWrong = (until: object, runs: readonly CommandRun[]): boolean =>
  compareCommands(until, cells, runs, [timeQuantity]).some(
    ({ found: { shown } }) => shown === "less" || shown === "more",
  );

for (const [name, noise] of Object.entries(noises)) {
  test(`ten runs each of two equal commands, ${name}`, () => {
    const random = randomSource(1, name);
    let wrong = 0;
    for (let sweep = 0; sweep < sweeps; sweep++) {
      const runs = Array.from({ length: 10 }, (_, of) => block(of, noise, random)).flat();
      if (isWrong({}, runs)) wrong++;
    }
    assert.ok(wrong <= mostWrong, `${wrong} of ${sweeps} called different`);
  });

  test(`runs until two equal commands are decided, ${name}`, () => {
    const random = randomSource(2, name);
    const until = { decided_percent: 1 };
    const areDecided = (runs: readonly CommandRun[]) =>
      new RuleLook(new RuledValues(ruledCommands(cells), runs)).settledCells(until, "").size === 2;
    let wrong = 0;
    for (let sweep = 0; sweep < sweeps / 3; sweep++) {
      const runs: CommandRun[] = [];
      for (let of = 0; of < 30 && !areDecided(runs); of++) runs.push(...block(of, noise, random));
      if (isWrong({ until }, runs)) wrong++;
    }
    assert.ok(wrong <= 21, `${wrong} of ${sweeps / 3} called different`);
  });
}
