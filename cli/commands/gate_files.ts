// Options by which `compare` serves as a gate in CI: a JUnit file, a comment for a pull request, and budgets.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { atomicWrite } from "../base/atomic_write.ts";
import type { OptionsOf, OptionTable } from "../base/option_table.ts";
import type { Comparison } from "../results/compare/comparison.ts";
import type { ComparedNouns, Run } from "../results/compare/interleaved.ts";
import { type BudgetResult, judgeBudgets, readBudgets } from "../results/gate/budget.ts";
import { defineBudget } from "../results/gate/budget_outcome.ts";
import { junitText } from "../results/gate/junit.ts";
import { movedRequest } from "../results/gate/moved_request.ts";
import { commentText, mostMoved } from "../results/gate/words.ts";

export type GateOptions = OptionsOf<typeof defineGate>;

export const gateOptions = ["junit", "markdown", "budget", "report-link"] as const;

export const defineGate = (table: OptionTable<unknown>) =>
  defineBudget(table, "the later version")
    .option("junit", { placeholder: "FILE", describe: "write the judgements as JUnit XML, for CI" })
    .option("markdown", { placeholder: "FILE", describe: "write a comment for a pull request" })
    .option("report-link", { placeholder: "URL", rare: true, describe: "where the comment says the report is" });

/** What a gate reads of a comparison. `hars`: page loads of a side, by their loads' numbers. */
interface Gated {
  readonly comparison: Comparison;
  readonly a: readonly Run[];
  readonly b: readonly Run[];
  readonly threshold_percent: number;
  /** What the times are, in words. */
  readonly metric: string;
  readonly nouns: ComparedNouns;
  readonly hars: (side: "a" | "b", loads: readonly number[]) => readonly PageLoad[];
}

/** Enough for a median, and read in a moment. */
const mostLoads = 9;

/** Of the cell that moved most, in the direction in which it did. */
function moved({ comparison, a, b, hars }: Gated) {
  const [cell] = mostMoved(comparison.cells);
  if (!cell || cell.change_percent === null || cell.change_percent === 0) return null;
  const loadsOf = (side: "a" | "b", [run]: readonly Run[]): readonly PageLoad[] => {
    const ids = run?.cells.filter(
      ({ page, link, lane }) => page === cell.page && link === cell.link && lane === cell.lane,
    );
    const loads = run?.loads.filter((load) => load.status === "valid" && ids?.some(({ id }) => id === load.cell)) ?? [];
    return hars(
      side,
      loads.slice(0, mostLoads).map(({ id }) => id),
    );
  };
  const request = movedRequest(loadsOf("a", a), loadsOf("b", b), cell.change_percent > 0 ? "slower" : "faster");
  return request && { lane: cell.lane, request };
}

/** UserError if the file of budgets is none: to be called before anything runs. */
export function checkGate({ budget }: GateOptions): void {
  if (budget !== undefined) readBudgets(budget);
}

/** Writes the files that are wanted; gives what became of the budgets, and their lines. */
export async function writeGate(options: GateOptions, gated: Gated): Promise<readonly BudgetResult[]> {
  const budgets = options.budget === undefined ? [] : judgeBudgets(readBudgets(options.budget), gated.b, gated.nouns);
  if (options.junit !== undefined) await atomicWrite(options.junit, junitText(gated.comparison, budgets, gated.nouns));
  if (options.markdown !== undefined) {
    const { comparison, threshold_percent, metric, nouns } = gated;
    const report = options["report-link"] ?? null;
    const facts = { comparison, threshold_percent, metric, nouns, budgets, report, moved: moved(gated) };
    await atomicWrite(options.markdown, commentText(facts));
  }
  return budgets;
}
