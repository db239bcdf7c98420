// Budgets: how long loads or commands may take (schemas/budget.schema.json), held against the attempts of each cell. Kept, if the 95 %
// interval of the median ends within; exceeded, if it begins beyond; else neither is shown. Pure but for reading the file.
import type { Budget, BudgetFile } from "../../../schemas/generated/budget.ts";
import { boundedJson, JsonTextError } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { readForeignBytes } from "../../base/foreign_file.ts";
import { median } from "../../base/quantile.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import type { ComparedNouns, Run, RunCell } from "../compare/interleaved.ts";
import { medianInterval } from "../stats/median_interval.ts";
import { samplesOf, usualMetric } from "../verdict/compared_metric.ts";
import { isValid } from "../verdict/sample.ts";

type BudgetOutcome = "kept" | "exceeded" | "not shown";

export type BudgetPlace = Pick<RunCell, "page" | "link" | "lane">;

/** A budget in one cell. */
export interface BudgetResult {
  readonly budget: Budget;
  readonly cell: BudgetPlace;
  readonly outcome: BudgetOutcome;
  /** Of the valid loads that have the metric; null: there are none. */
  readonly median_ms: number | null;
  /** 95 %; null: too few loads. */
  readonly low_ms: number | null;
  readonly high_ms: number | null;
  readonly loads: number;
}

/** More is no list of budgets. */
const most_bytes = 1e6;

/** UserError, naming the file and the place in it, if it is none. */
export function readBudgets(path: string): readonly Budget[] {
  const refused = (why: string): UserError => new UserError(`budget ${path}: ${why}`);
  let document: unknown;
  try {
    document = boundedJson(readForeignBytes(path, most_bytes));
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`budget ${error.message}`);
    if (error instanceof SyntaxError || error instanceof JsonTextError)
      throw refused(`not JSON (${error.message}): correct it`);
    const { code } = error as NodeJS.ErrnoException;
    throw refused(`${code === "ENOENT" ? "no such file" : `cannot be read (${code})`}: name another file`);
  }
  const validate = schemaValidator<BudgetFile>("budget");
  if (!validate(document)) throw refused(explainSchemaErrors(validate.errors ?? [], "schemas/budget.schema.json"));
  return document.budgets;
}

/** Of versions loaded alternately a page or a link has both names: "shop -> shop-new", of which the later one is meant. */
const isMeant = (name: string | undefined, of: string): boolean =>
  name === undefined || name === of || name === of.split(" -> ").at(-1);

/** As a budget names it, and as it is stored: `slow-4g` is stored in full. */
function linkNames(form: string | undefined): readonly (string | undefined)[] {
  if (form === undefined) return [undefined];
  try {
    return [form, formatLink(parseLink(form))];
  } catch (error) {
    if (error instanceof UserError) return [form]; // two links as one name: "3g -> 4g"
    throw error;
  }
}

function resultIn(budget: Budget, cell: RunCell, { loads }: Run): BudgetResult {
  const times_ms = samplesOf(
    loads.filter((load) => load.cell === cell.id && isValid(load)),
    budget.metric === "time" ? usualMetric : budget.metric,
  ).flatMap(({ plt_ms }) => (plt_ms === null || !Number.isFinite(plt_ms) ? [] : [plt_ms]));
  const interval = medianInterval(times_ms);
  const isKept = interval !== null && interval.high <= budget.at_most_ms;
  const isExceeded = interval !== null && interval.low > budget.at_most_ms;
  return {
    ...{ budget, cell, loads: times_ms.length },
    outcome: isKept ? "kept" : isExceeded ? "exceeded" : "not shown",
    median_ms: times_ms.length === 0 ? null : median(times_ms),
    low_ms: interval?.low ?? null,
    high_ms: interval?.high ?? null,
  };
}

function isFor({ page, link, lane, command }: Budget, place: BudgetPlace): boolean {
  return (
    isMeant(page, place.page) &&
    linkNames(link).some((name) => isMeant(name, place.link)) &&
    isMeant(command ?? lane, place.lane)
  );
}

/** @throws UserError if a budget is of another kind of time than the sweep's, or for none of its cells */
export function refuseIdle(
  budgets: readonly Budget[],
  places: readonly BudgetPlace[],
  { of, metric: only, budget: { names, words } }: Pick<ComparedNouns, "of" | "metric" | "budget">,
): void {
  for (const budget of budgets) {
    const { metric, page, link, lane, command } = budget;
    const refuse = (why: string): never => {
      throw new UserError(`budget of ${metric}: ${why}`);
    };
    if (only === null && metric === "time") refuse(`this sweep is of ${of}: name a metric of theirs (lcp)`);
    if (only !== null && metric !== "time")
      refuse(`this sweep is of ${of}: their metric is "time", which is their ${only}`);
    const other = (["page", "lane", "command"] as const).find(
      (name) => budget[name] !== undefined && !names.includes(name),
    );
    if (other !== undefined) refuse(`this sweep of ${of} has no ${budget[other]}: name ${words} of it`);
    if (places.some((place) => isFor(budget, place))) continue;
    const named = [page, command, link, lane].filter((name) => name !== undefined).join(" ");
    refuse(`no cell ${named} in the sweep: name ${words} of it`);
  }
}

/**
 * Each budget in each cell that it is for; of two versions these are the later one's.
 * @throws UserError if one is for none
 */
export function judgeBudgets(
  budgets: readonly Budget[],
  runs: readonly Run[],
  nouns: Parameters<typeof refuseIdle>[2],
): BudgetResult[] {
  refuseIdle(
    budgets,
    runs.flatMap(({ cells }) => cells),
    nouns,
  );
  return budgets.flatMap((budget) =>
    runs.flatMap((run) => run.cells.filter((cell) => isFor(budget, cell)).map((cell) => resultIn(budget, cell, run))),
  );
}
