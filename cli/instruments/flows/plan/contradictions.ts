// What of a plan of flows contradicts itself: each is one line that names the thing and the remedy, before anything runs. What single
// words may be is the schema's and the language's.
import type { FlowPlanDocument } from "../../../../schemas/generated/flow_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { laneFacts } from "../../../base/lanes.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";
import { refuseImpossible, refuseRestless } from "../../../link/flows/mix.ts";
import type { PlannedLink } from "../../../sweep/plan/plan_links.ts";
import { refuseSame } from "../../../sweep/plan/refuse_same.ts";
import { untilFault } from "../../../sweep/plan/until.ts";
import { ruledFlows } from "../answer/contrasts.ts";
import type { FlowPlan, Mix } from "./plan.ts";

/** `page_start_s` and `lanes` are a page's. */
function pageFault(plan: FlowPlan, written: Pick<FlowPlanDocument, "lanes" | "page_start_s">): string | null {
  if (plan.page === undefined) {
    const [of] = (["lanes", "page_start_s"] as const).filter((word) => written[word] !== undefined);
    return of === undefined ? null : `${of} is of a page, and there is none: name a page, or take it out`;
  }
  if (plan.page_start_s !== undefined && plan.page_start_s >= plan.for_s)
    return `the page starts at ${plan.page_start_s} s, when the run of ${plan.for_s} s has ended: start it earlier, or run for longer`;
  const repeated = plan.lanes?.find((lane) => laneFacts[lane].repeat);
  if (repeated !== undefined)
    return `lane ${repeated} has two navigations, and a page during flows has one: leave it out`;
  return null;
}

/** Why no two of the plan's flows are compared, and what to add. */
function reasonAlone(mixes: readonly Mix[]): string {
  const flows = mixes.flatMap((mix) => mix.flows);
  const [only] = flows;
  if (only && flows.length === 1 && only.count > 1)
    return `one --flow with another, and the ${only.count} of ${formatFlow(only)} are counted as one: name them as several`;
  if (flows.length === 1) return "flows, and there is one: add a flow";
  const isAcross = mixes.every((mix) => mix.flows.length === 1);
  if (mixes.length === 1 || isAcross) return "flows that send the same way, and these send opposite ways: add a flow";
  return "flows that send the same way in one mix, or mixes of one flow each, and there are neither: add a flow to a mix";
}

/** Goodput is compared within a mix, and of mixes that are one flow each. */
function stoppingFault(plan: FlowPlan, mixes: readonly Mix[]): string | null {
  const cells = mixes.map(({ name, flows }, id) => ({
    ...{ id, mix: name, link: "", lane: null },
    parts: flows.map(formatFlow),
  }));
  return untilFault(plan, ruledFlows(cells).comparisons.length, reasonAlone(mixes));
}

export interface PlanAround {
  /** The plan before its defaults were filled in. */
  readonly written: Pick<FlowPlanDocument, "lanes" | "page_start_s">;
  readonly links: readonly PlannedLink[];
}

/** UserError. */
export function refuseContradictions(plan: FlowPlan, mixes: readonly Mix[], { written, links }: PlanAround): void {
  for (const { flows } of mixes) {
    refuseImpossible(flows, plan.for_s);
    refuseRestless(flows, links);
  }
  refuseSame(
    plan.mixes.map(({ name, flows }) => ({ name, key: JSON.stringify(flows.toSorted()) })),
    "mix",
  );
  // Results know a mix by its name.
  refuseSame(
    plan.mixes.map(({ name }) => ({ name, key: name })),
    "mix",
  );
  const fault = pageFault(plan, written) ?? stoppingFault(plan, mixes);
  if (fault !== null) throw new UserError(fault);
}
