// Runs of commands as sides of a comparison and as what budgets are held against.

import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../../cli/base/errors.ts";
import { commandNouns, comparedRun } from "../../../../cli/instruments/command/answer/compared.ts";
import type { MeasuredCell } from "../../../../cli/instruments/command/store/measured_runs.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { compareRuns } from "../../../../cli/results/compare/compare.ts";
import { comparisonLines } from "../../../../cli/results/compare/words.ts";
import { judgeBudgets } from "../../../../cli/results/gate/budget.ts";
import { budgetText } from "../../../../cli/results/gate/budget_outcome.ts";
import { commandCell, commandRun } from "./runs.ts";

const link = "10mbit/50ms";
const plan = { name: "x", commands: [], repetitions: 10, numbers: [], recording: "shop" } as never;

/** One command, ten runs around a time. */
function side(middle_ms: number, far = "shop") {
  const cell: MeasuredCell = { ...commandCell("curl", link), sweep: 1, link, link_profile: parseLink(link) };
  const runs = Array.from({ length: 10 }, (_, block) =>
    commandRun({ subject: "curl", link, block, wall_ms: middle_ms + block - 5 }),
  );
  return comparedRun({ plan: { ...(plan as object), recording: far } as never }, [cell], runs);
}

const terms = { threshold_percent: 5, occasionSpread_percent: 1 };

test("a command that became slower is, and by its words", () => {
  const comparison = compareRuns([side(500)], [side(600)], terms);
  assert.equal(comparison.cells[0]?.judgement, "slower");
  const [head, row] = comparisonLines(comparison, 5, undefined, commandNouns);
  assert.match(`${head}\n${row}`, /^cell +command +before .*\ncommands 10mbit\/50ms +curl +500 ms +600 ms +\+20 %/);
});

test("with something else at the link's other end it is another link", () => {
  const [cell] = compareRuns([side(500)], [side(600, "other")], terms).cells;
  assert.deepEqual([cell?.judgement, cell?.other_link], ["unknown", true]);
});

test("a budget of commands names a command and a link, and no metric of pages", () => {
  const of = { metric: "time", command: "curl", link } as const;
  const judged = (at_most_ms: number) => judgeBudgets([{ ...of, at_most_ms }], [side(500)], commandNouns);
  assert.deepEqual(
    [510, 500, 490].map((at_most_ms) => judged(at_most_ms)[0]?.outcome),
    ["kept", "not shown", "exceeded"],
  );
  assert.match(budgetText(judged(510)[0] as never), /^time at most 510 ms: kept \(median 500 ms, 95 % CI /);
  for (const wrong of [{ metric: "lcp" }, { metric: "time", lane: "h2" }, { metric: "time", command: "wget" }])
    assert.throws(() => judgeBudgets([{ at_most_ms: 1, ...wrong } as never], [side(500)], commandNouns), UserError);
});
