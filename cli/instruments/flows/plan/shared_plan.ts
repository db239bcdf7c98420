// A plan of flows as several machines share it: a cell is a link with all its mixes and lanes, because these are compared block by block
// and so must have run on one machine. Runs nothing.
import type { SharedPlan } from "../../../sweep/cluster/shared_plan.ts";
import { countLinks, linksOf } from "../../../sweep/plan/plan_links.ts";
import { type FlowPlan, flowPlanDigest, pageOf } from "./plan.ts";

export function sharedFlows(plan: FlowPlan): SharedPlan {
  const amid = pageOf(plan);
  return {
    name: plan.name,
    digest: flowPlanDigest(plan),
    cells: countLinks(plan),
    pages: amid ? [amid.page] : [],
    document: plan,
    listing: "each is a link of the plan, in its order: `trilane flows PLAN --dry-run` lists them",
  };
}

/** The link, in its short form, that a cell's number stands for. RangeError where there is none. */
export function sharedLink(plan: FlowPlan, cell: number): string {
  const link = linksOf(plan)[cell - 1]?.link;
  if (link === undefined) throw new RangeError(`plan ${plan.name} has no cell ${cell}`);
  return link;
}
