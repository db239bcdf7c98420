// Samples without any spread: the steadier a lab is, the surer is what it shows. A clean shift is found after the fewest loads, with an interval
// of no width, and nothing is divided by none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../../../cli/link/link.ts";
import { compareRuns } from "../../../../cli/results/compare/compare.ts";
import { type Comparison, regressionOf } from "../../../../cli/results/compare/comparison.ts";
import type { Run } from "../../../../cli/results/compare/interleaved.ts";
import { comparisonLines } from "../../../../cli/results/compare/words.ts";
import { medianInterval } from "../../../../cli/results/stats/median_interval.ts";
import { decide, firstLook, shiftAtLook } from "../../../../cli/results/stats/sequential.ts";
import type { Cell, Load } from "../../../../cli/results/store/results.ts";
import { compare } from "../../../../cli/results/verdict/comparison.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

const times = (time_ms: number, loads = 9): number[] => Array.from({ length: loads }, () => time_ms);
const a = times(303);
const b = times(310);
const almost = [...times(303, 8), 303.1];

function run(times_ms: readonly number[]): Run {
  const cell = {
    ...{ id: 1, sweep: 1, page: "shop", lane: "h2", link: "3mbit/50ms", recording_digest: "d" },
    link_profile: parseLink("3mbit/50ms"),
  } as Cell;
  const loads = times_ms.map((plt_ms, block) => ({
    ...cell,
    id: block,
    cell: 1,
    block,
    plt_ms,
    status: "valid",
    reasons: [],
  }));
  return { cells: [cell], loads: loads as unknown as Load[] };
}

const compared = (one: readonly number[], other: readonly number[], threshold_percent: number): Comparison =>
  compareRuns([run(one)], [run(other)], { threshold_percent, occasionSpread_percent: 0 });

const hasNumbers = (lines: readonly string[]): void => assert.doesNotMatch(lines.join("\n"), /NaN|Infinity|undefined/);

test("trilane compare: a clean shift is slower beyond its threshold, the same within it", () => {
  const beyond = compared(a, b, 1);
  const [cell] = beyond.cells;
  assert.equal(cell?.judgement, "slower");
  assert.equal(regressionOf(beyond), "shown");
  const percent = (310 / 303 - 1) * 100;
  for (const value of [cell?.change_percent, cell?.low_percent, cell?.high_percent])
    assert.ok(Math.abs((value ?? Number.NaN) - percent) < 0.01, `${value}`);
  hasNumbers(comparisonLines(beyond, 1));
  const within = compared(a, b, 5);
  assert.deepEqual([within.cells[0]?.judgement, regressionOf(within)], ["same", "none"]);
  for (const other of [a, almost]) {
    const same = compared(a, other, 1);
    assert.equal(same.cells[0]?.judgement, "same");
    hasNumbers(comparisonLines(same, 1));
  }
});

test("--decide: decided at the first look, equal ones too", () => {
  const pairs = (one: readonly number[], other: readonly number[]) =>
    one.map((time_ms, index) => ({ lane: Math.log(time_ms), over: Math.log(other[index] ?? Number.NaN) }));
  const shifted = decide(pairs(b, a), 1);
  assert.equal(shifted.decision, "slower");
  assert.ok(shifted.blocks <= firstLook + 1, `${shifted.blocks}`);
  const interval = shiftAtLook(pairs(b, a))?.interval;
  assert.ok(interval && Math.abs(interval.high - interval.low) < 1e-9);
  for (const other of [a, almost]) assert.equal(decide(pairs(a, other), 1).decision, "equivalent");
});

test("a race: the verdict's interval has no width, a median's neither", () => {
  assert.deepEqual(medianInterval(a), { low: 303, high: 303 });
  const samples = (lane: string, times_ms: readonly number[]): Sample[] =>
    times_ms.map(
      (plt_ms, block) => ({ page: "p", link: "l", lane, block, status: "valid", plt_ms }) as unknown as Sample,
    );
  const found = compare([...samples("h2", a), ...samples("h3", b)], { lane: "h3", over: "h2" } as never, 1);
  const percent = (1 - 310 / 303) * 100;
  assert.ok(Math.abs((found.percent ?? Number.NaN) - percent) < 0.01, `${found.percent}`);
  assert.ok(
    found.interval && Math.abs(found.interval.high - found.interval.low) < 0.01,
    JSON.stringify(found.interval),
  );
  assert.ok((found.probability ?? 1) < 0.05, `${found.probability}`);
});
