// A comparison as JUnit XML, as CI systems read it: a test case for each cell, for cells together, and for each budget. What became
// worse is a failure, what is unknown is skipped. Pure.

import { plainCharacters } from "../../base/terminal_text.ts";
import type { ComparedCell, ComparedTogether, Comparison } from "../compare/comparison.ts";
import type { ComparedNouns } from "../compare/interleaved.ts";
import { changeText, judgementText } from "../compare/words.ts";
import type { BudgetResult } from "./budget.ts";
import { budgetText } from "./budget_outcome.ts";

interface Case {
  readonly group: string;
  readonly name: string;
  readonly failure?: string;
  readonly skipped?: string;
}

/** XML 1.0 has no place for control characters, not even escaped; marks that turn the direction of text round disguise names. */
const text = (raw: string): string =>
  plainCharacters(raw)
    .replaceAll(/[\ufffe\uffff]/g, "?")
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

function cellCase(cell: ComparedCell, load: string): Case {
  const of = { group: `${cell.page} over ${cell.link}`, name: cell.lane };
  const words = [changeText(cell), judgementText(cell, load)].filter((each) => each !== "").join(": ");
  if (cell.judgement === "slower" || cell.judgement === "failing") return { ...of, failure: words };
  return cell.judgement === "unknown" ? { ...of, skipped: words } : of;
}

function togetherCase(group: ComparedTogether, lane: string): Case {
  const of = { group: `${group.cells} cells together`, name: group.lane ?? `all ${lane}s` };
  return group.judgement === "slower" ? { ...of, failure: `${changeText(group)}: slower` } : of;
}

function budgetCase(result: BudgetResult): Case {
  const { budget, cell, outcome } = result;
  const of = { group: `budget: ${cell.page} over ${cell.link}`, name: `${budget.metric} on ${cell.lane}` };
  if (outcome === "exceeded") return { ...of, failure: budgetText(result) };
  return outcome === "not shown" ? { ...of, skipped: budgetText(result) } : of;
}

function caseText({ group, name, failure, skipped }: Case): string {
  const head = `    <testcase classname="${text(group)}" name="${text(name)}"`;
  if (failure !== undefined) return `${head}>\n      <failure message="${text(failure)}"/>\n    </testcase>`;
  if (skipped !== undefined) return `${head}>\n      <skipped message="${text(skipped)}"/>\n    </testcase>`;
  return `${head}/>`;
}

type JunitNouns = Pick<ComparedNouns, "load" | "lane">;

/** The document. */
export function junitText(
  comparison: Comparison,
  budgets: readonly BudgetResult[],
  { load, lane }: JunitNouns,
): string {
  const cases = [
    ...comparison.cells.map((cell) => cellCase(cell, load)),
    ...comparison.together.map((group) => togetherCase(group, lane)),
    ...budgets.map(budgetCase),
  ];
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="trilane compare" ${counts}>`,
    ...cases.map(caseText),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
