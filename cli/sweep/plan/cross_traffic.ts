// Bulk flows that share the link with a sweep's loads: read from the words of a plan, and what a load is given of
// them. What single flows may be is cli/link/flows's.

import type { Flow } from "../../../schemas/generated/flow.ts";
import type { PlanCrossTraffic, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { flowRunOf } from "../../link/flows/flow_run.ts";
import { formatFlow } from "../../link/flows/flow_words.ts";
import { readMix, refuseRestless, refuseTooMany } from "../../link/flows/mix.ts";
import type { CrossTraffic } from "../../load/cross_traffic.ts";
import type { PlannedLink } from "./plan_links.ts";

/** Where a plan that was made without its schema's defaults does not say. */
const usualPageStart_s = 5;
/** What comes after a load's time-out until its lab has ended. */
const afterLoad_s = 60;
/** Samples of flows beside a load are for its evidence. */
const sample_ms = 10;

interface SettledTraffic {
  readonly flows: readonly Flow[];
  readonly page_start_s: number;
}

/** What a plan's words mean. UserError naming the flow. */
function trafficOf({ flows, page_start_s = usualPageStart_s }: PlanCrossTraffic): SettledTraffic {
  return { flows: readMix(flows, null), page_start_s };
}

type Terms = Pick<SweepPlan, "cross_traffic" | "timeout_s">;

/** Flows in their one form. UserError where they are too many, or one would start after any load has ended, or move too often. */
export function settledTraffic(
  { cross_traffic, timeout_s = 60 }: Terms,
  links: readonly PlannedLink[],
): Pick<SweepPlan, "cross_traffic"> {
  if (!cross_traffic) return {};
  const { flows, page_start_s } = trafficOf(cross_traffic);
  refuseTooMany(flows);
  refuseRestless(flows, links);
  const last_s = page_start_s + timeout_s;
  const late = flows.find(({ start_s }) => start_s >= last_s);
  if (late)
    throw new UserError(
      `cross_traffic: flow ${formatFlow(late)} starts when every load has ended, at ${last_s} s at the latest: start it earlier`,
    );
  return { cross_traffic: { flows: flows.map(formatFlow) as PlanCrossTraffic["flows"], page_start_s } };
}

/** What a load of the plan is given; null: its link is its own. */
export function loadTraffic({ cross_traffic, timeout_s = 60 }: Terms): CrossTraffic | null {
  if (!cross_traffic) return null;
  const { flows, page_start_s } = trafficOf(cross_traffic);
  const run = flowRunOf(flows, { for_s: page_start_s + timeout_s + afterLoad_s, sample_ms, ping_ms: null });
  return { run, words: flows.map(formatFlow), pageStart_ms: Math.round(page_start_s * 1000) };
}
