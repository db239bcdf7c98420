// What runs of commands come to in sentences; and how often two equal commands are called different.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { compareCommands, ruledCommands, timeQuantity } from "../../../../cli/instruments/command/answer/comparison.ts";
import { commandSentences } from "../../../../cli/instruments/command/answer/sentences.ts";
import { summarizeCommands } from "../../../../cli/instruments/command/answer/summary.ts";
import type { CommandRun } from "../../../../cli/instruments/command/metrics/values.ts";
import { RuledValues } from "../../../../cli/results/answer/block_values.ts";
import { RuleLook } from "../../../../cli/results/answer/paired_rule.ts";
import { commandCell, commandRun } from "./runs.ts";

const cells = [commandCell("old"), commandCell("new")];
const repetitions = 30;

/** `ratio`: of the second command's times to the first's. Both share what a block has. */
function blocks(count: number, ratio: number, seed = 1): CommandRun[] {
  const random = randomSource(seed, "times");
  return Array.from({ length: count }, (_, block) => {
    const shared = 1000 * (1 + 0.1 * random());
    const own = (): number => 1 + 0.02 * random();
    return [
      commandRun({ subject: "old", block, wall_ms: shared * own() }),
      commandRun({ subject: "new", block, wall_ms: shared * own() * ratio }),
    ];
  }).flat();
}

test("the answer first: which takes less, by how much, how sure", () => {
  const [first] = commandSentences({ repetitions }, cells, blocks(12, 0.9));
  assert.match(
    first ?? "",
    /^new takes \d+ ms \((9|10)(\.\d)? %, 95 %: [\d.]+ to [\d.]+\) less than old \(n = 12 runs\)\.$/,
  );
  const [slower] = commandSentences({ repetitions }, cells, blocks(12, 1.2));
  assert.match(
    slower ?? "",
    /^new takes \d+ ms \((19|20|21)(\.\d)? %, 95 %: [\d.]+ to [\d.]+\) more than old \(n = 12 runs\)\.$/,
  );
});

test("no difference, and too few runs, are said to be that", () => {
  assert.match(
    commandSentences({ repetitions }, cells, blocks(12, 1))[0] ?? "",
    /^new against old: no difference shown \(95 %: .*; n = 12 runs\)\.$/,
  );
  assert.match(
    commandSentences({ repetitions }, cells, blocks(3, 0.9))[0] ?? "",
    /^new took .* less than old \(n = 3 runs, an interval needs 5\)\.$/,
  );
});

test("a command alone has its time, and what failed is counted with its reason", () => {
  const runs = [
    ...Array.from({ length: 6 }, (_, block) => commandRun({ subject: "old", block, wall_ms: 100 + block })),
    commandRun({ subject: "old", block: 6, wall_ms: 5, status: "failed", reasons: ["exit status 3: no"] }),
  ];
  assert.deepEqual(commandSentences({ repetitions }, cells.slice(0, 1), runs), [
    "old takes 103 ms (95 %: 100 to 105 ms; n = 6 runs).",
    "old: 1 of 7 runs failed: exit status 3: no.",
  ]);
});

test("numbers that commands print are compared, too; one that is missing is not 0", () => {
  const runs = blocks(12, 1).map((run, index) =>
    commandRun({
      ...{ subject: run.subject, block: run.block, wall_ms: run.record?.process.wall_ms ?? 0 },
      numbers: { ready: run.block === 0 ? null : (run.subject === "new" ? 80 : 100) + (index % 5) },
    }),
  );
  assert.match(
    commandSentences({ repetitions }, cells, runs)[1] ?? "",
    /^ready of new is \d+ \([\d.]+ %, 95 %: .*\) less than that of old \(n = 11 runs\)\.$/,
  );
  const ready = summarizeCommands(cells, runs)[0]?.metrics.find(({ name }) => name === "ready");
  assert.deepEqual([ready?.n, ready?.printed, ready?.reason], [11, true, "1 run without it: missing"]);
});

test("links are compared each for itself, the block's luck being the link's own", () => {
  const onLinks = ["3g", "4g"].flatMap((link) =>
    blocks(8, link === "3g" ? 0.8 : 1).map(({ subject, block, record }) =>
      commandRun({ subject, block, link, wall_ms: record?.process.wall_ms ?? 0 }),
    ),
  );
  const places = ["3g", "4g"].flatMap((link) => cells.map(({ subject }) => commandCell(subject, link)));
  const sentences = commandSentences({ repetitions }, places, onLinks);
  assert.match(sentences[0] ?? "", /^3g: new takes .* less than old/);
  assert.match(sentences[1] ?? "", /^4g: new against old: no difference shown/);
});

test("runs end once they decide: a difference soon, none where both are equal within the margin", () => {
  const until = { decided_percent: 3 };
  const areDecided = (runs: readonly CommandRun[]) =>
    new RuleLook(new RuledValues(ruledCommands(cells), runs)).settledCells(until, "").size === 2;
  const decidedAfter = (ratio: number): number => {
    const runs = blocks(30, ratio);
    for (let of = 1; of <= 30; of++) if (areDecided(runs.slice(0, 2 * of))) return of;
    return 31;
  };
  assert.ok(decidedAfter(0.8) <= 9, String(decidedAfter(0.8)));
  assert.ok(decidedAfter(1) <= 30);
  assert.match(
    commandSentences({ until, repetitions }, cells, blocks(30, 1))[0] ?? "",
    /^new and old take equally long, within 3 % \(95 %: /,
  );
  assert.match(
    commandSentences({ until, repetitions }, cells, blocks(9, 0.8))[0] ?? "",
    /^new takes .* less than old \(n = \d runs\)\.$/,
  );
});

test("two equal commands are called different in at most 5 % of sweeps, with and without a rule", () => {
  const sweeps = 1000;
  let [fixed, stopped] = [0, 0];
  const until = { decided_percent: 0.1 };
  const isDifferent = (runs: readonly CommandRun[], plan: object): boolean =>
    compareCommands(plan, cells, runs, [timeQuantity]).some(
      ({ found: { shown } }) => shown === "less" || shown === "more",
    );
  for (let seed = 1; seed <= sweeps; seed++) {
    fixed += Number(isDifferent(blocks(10, 1, seed), {}));
    if (seed <= sweeps / 4) stopped += Number(isDifferent(blocks(30, 1, seed), { until }));
  }
  // Of a rate of 5 % three standard deviations lie above: 7.1 % of 1000, 9.2 % of 250.
  assert.ok(fixed <= 71, `${fixed} of ${sweeps}`);
  assert.ok(stopped <= 23, `${stopped} of ${sweeps / 4}`);
});
