// A plan of fetches as machines share it. Pure.

import { cellsOfShard, type PlanShares, type Shard } from "../../../sweep/cluster/shared_plan.ts";
import { countLinks } from "../../../sweep/plan/plan_links.ts";
import type { NewFetchCell } from "../store/fetch_runs.ts";
import type { StoredFetchPlan } from "../store/stored_plan.ts";
import { hostOf } from "./objects.ts";
import { type FetchPlan, fetchCellsOf, fetchPlanDigest } from "./plan.ts";

type Asked = Pick<StoredFetchPlan, "page" | "connect">;

/**
 * What one machine fetches whole: all over one link of a lab; of live servers all from one of them, whatever the link, as the pause between
 * two fetches from it is kept by one process.
 */
const shareOf = ({ page, connect }: Asked, { object, link }: Pick<NewFetchCell, "object" | "link">): string | null =>
  page === undefined ? (connect ?? hostOf(object)) : link;

/** Counted without reading the files of links. */
export function sharedFetchCells({ links, objects, ...plan }: SharedFetchPlan): number {
  // A page's may all be of its recording, and not be named.
  if (plan.page !== undefined) return links === undefined ? 1 : countLinks({ links });
  return new Set(objects.map((object) => shareOf(plan, { object, link: null }))).size;
}

type SharedFetchPlan = Pick<StoredFetchPlan, "links" | "objects"> & Asked;

export const fetchCellsAt = (plan: FetchPlan, shard: Shard | undefined): readonly NewFetchCell[] =>
  cellsOfShard(fetchCellsOf(plan), shard, (cell) => shareOf(plan, cell));

export function sharedFetches(plan: FetchPlan): PlanShares {
  const { name, page, objects, syscalls } = plan;
  const { objects: _, ...whole } = plan;
  return {
    ...{ name, digest: fetchPlanDigest(plan, null), cells: sharedFetchCells(plan) },
    pages: page === undefined ? [] : [page],
    programs: syscalls > 0 ? ["strace"] : [],
    document: objects.length > 0 ? plan : whole,
    listing:
      page === undefined
        ? "each is one host's objects, in the plan's order"
        : "each is a link, in the order in which `trilane plan` lists them",
  };
}
