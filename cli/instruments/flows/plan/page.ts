// The page of `trilane flows --page`, made ready as `trilane race` makes its pages: recorded, imported, or a model in place of a
// recording that lacks bodies. Words to a plan; loads nothing but the trial that decides on a model.
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { stockServing } from "../../../load/serving/serving.ts";
import type { PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { type FlowOptions, flowPlanFrom, requestedPage } from "./options.ts";
import type { FlowPlan } from "./plan.ts";

/** The options' plan, its page recorded or imported. UserError before that for what else is wrong with the words. */
export async function readyFlowPlan(
  home: string,
  source: PageSource,
  options: FlowOptions,
  say: (line: string) => void,
): Promise<FlowPlan> {
  const terms = flowPlanFrom(options);
  const requested = requestedPage(options);
  const page = requested === null ? terms.page : await source.pageFor(home, requested.word, { say });
  if (page === undefined) return terms;
  const [chosen = page] = await source.chosenPages([page], {
    home,
    options: { as: undefined, compute: "timer" },
    terms: { serving: stockServing, timeout_s: terms.for_s },
    trials: "made",
    say,
  });
  return requested === null ? { ...terms, page: chosen } : flowPlanFrom(options, chosen);
}

/** null: it is not known. */
export async function pageSizeOf(
  home: string,
  source: PageSource,
  page: PlanPage,
  known: PageSize | null,
): Promise<PageSize | null> {
  const name = pageName(page);
  return (await source.pageSizes(home, [page], known ? new Map([[name, known]]) : new Map())).get(name) ?? null;
}

/** The same, but nothing is stored; with the size of the page, if there is one. */
export async function unstoredFlowPlan(
  home: string,
  source: PageSource,
  options: FlowOptions,
): Promise<{ plan: FlowPlan; size: PageSize | null }> {
  const terms = flowPlanFrom(options);
  const requested = requestedPage(options);
  const unstored = requested && (await source.pageUnstored(home, requested.word));
  const plan = unstored ? flowPlanFrom(options, unstored.page) : terms;
  return {
    plan,
    size: plan.page === undefined ? null : await pageSizeOf(home, source, plan.page, unstored?.size ?? null),
  };
}
