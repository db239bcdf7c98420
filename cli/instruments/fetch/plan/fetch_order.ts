// The order of a plan's fetches, and what is random in them. Pure: the same plan and seed give the same, also when it is gone on with.

import { linkSeed, orderLoads, type PlannedLoad } from "../../../sweep/plan/load_order.ts";
import type { NewFetchCell } from "../store/fetch_runs.ts";
import { blocksOf, type FetchPlan } from "./plan.ts";

/**
 * Every object once over everything in each block; its lanes, versions of TLS and of IP one after another in random order, so that a
 * slow minute of the network meets all of them alike, and the objects in random order.
 */
export function orderFetches(
  plan: Pick<FetchPlan, "repetitions" | "syscalls" | "seed">,
  cells: readonly Pick<NewFetchCell, "object" | "link">[],
): PlannedLoad[] {
  return orderLoads(cells, ({ object, link }) => JSON.stringify([object, link]), blocksOf(plan), plan.seed);
}

/** The seed of all that is random on the link for an object in a block: whatever it is fetched over meets the same luck. */
export function fetchSeed(
  { seed }: Pick<FetchPlan, "seed">,
  {
    object,
    link,
    link_profile,
  }: Pick<NewFetchCell, "object" | "link"> & { readonly link_profile: { readonly seed: number } },
  block: number,
): number {
  return linkSeed(seed, { page: object, link: link ?? "", link_profile }, block);
}
