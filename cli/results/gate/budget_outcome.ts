// What budgets come to for whoever runs a command: a line for each, and the exit status. One rule for compare, race, time and report: 1 if one is
// exceeded, 3 if one is not shown to be kept. Judges nothing (budget.ts).
import { RunError, UndecidedError } from "../../base/errors.ts";
import { count, formatTime, formatTimeRange } from "../../base/numbers.ts";
import type { OptionTable } from "../../base/option_table.ts";
import type { BudgetResult } from "./budget.ts";

/** `who`: must keep them. */
export const defineBudget = (table: OptionTable<unknown>, who = "the result") =>
  table.option("budget", {
    placeholder: "FILE",
    describe: `budgets that ${who} must keep (JSON): exit status 1 if one is exceeded, 3 if that is not shown either way`,
  });

/** "LCP at most 2500 ms: kept (median 1210 ms, 95 % CI 1190 to 1254 ms)". */
export function budgetText({ budget, outcome, median_ms, low_ms, high_ms, loads }: BudgetResult): string {
  const limit = `${budget.metric === "time" ? "time" : budget.metric.toUpperCase()} at most ${formatTime(budget.at_most_ms)}`;
  const noun = budget.metric === "time" ? "run" : "load";
  if (median_ms === null) return `${limit}: not shown (no valid ${noun} has it)`;
  const interval =
    low_ms === null || high_ms === null
      ? `${count(loads, noun)}, too few for an interval`
      : `95 % CI ${formatTimeRange({ low: low_ms, high: high_ms })}`;
  return `${limit}: ${outcome} (median ${formatTime(median_ms)}, ${interval})`;
}

export const budgetLines = (budgets: readonly BudgetResult[]): string[] =>
  budgets.map(
    (result) => `Budget, ${result.cell.page} over ${result.cell.link}, ${result.cell.lane}: ${budgetText(result)}.`,
  );

function firstOf(budgets: readonly BudgetResult[], outcome: BudgetResult["outcome"]): string | null {
  const found = budgets.filter((each) => each.outcome === outcome);
  const [first] = found;
  if (!first) return null;
  const word = outcome === "not shown" ? "neither kept nor exceeded for sure" : outcome;
  return `${found.length} of ${budgets.length} budgets ${word}: ${budgetText(first)}`;
}

/** RunError, for exit status 1, if a budget is exceeded. */
export function refuseExceeded(budgets: readonly BudgetResult[]): void {
  const exceeded = firstOf(budgets, "exceeded");
  if (exceeded !== null) throw new RunError(exceeded);
}

/** UndecidedError, for exit status 3, if the interval of a budget's median includes its limit, or there is none. */
export function refuseNotShown(budgets: readonly BudgetResult[]): void {
  const open = firstOf(budgets, "not shown");
  if (open !== null) throw new UndecidedError(`${open}: run more (--runs)`);
}
