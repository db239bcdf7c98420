// The order of a plan's runs, and what is random in them. Pure: the same plan and seed give the same, also when the sweep is resumed.
import { linkSeed, orderLoads, type PlannedLoad } from "../../../sweep/plan/load_order.ts";
import type { FlowPlan, PlannedFlowCell } from "./plan.ts";

/** What cells share whose runs are compared. */
export const runPlace = ({ link }: Pick<PlannedFlowCell, "link">): string => link;

/**
 * Every cell once in each block; the mixes and lanes on a link run next to one another in random order, so that a slow minute of the
 * machine meets all of them alike.
 */
export function orderRuns(
  { repetitions, seed }: Pick<FlowPlan, "repetitions" | "seed">,
  cells: readonly Pick<PlannedFlowCell, "link">[],
): PlannedLoad[] {
  return orderLoads(cells, runPlace, repetitions, seed);
}

/** The seed of all that is random on the link in a block: the same for all mixes and lanes, so that they meet the same losses. */
export function runSeed(
  { seed }: Pick<FlowPlan, "seed">,
  { link, link_profile }: Pick<PlannedFlowCell, "link" | "link_profile">,
  block: number,
): number {
  return linkSeed(seed, { page: "", link, link_profile }, block);
}
