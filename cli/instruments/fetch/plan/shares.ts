// A plan of fetches as machines share it. Pure.

import { cellsOfShard, type PlanShares, type Shard } from "../../../sweep/cluster/shared_plan.ts";
import { countLinks } from "../../../sweep/plan/plan_links.ts";
import type { NewFetchCell } from "../store/fetch_runs.ts";
import type { StoredFetchPlan } from "../store/stored_plan.ts";
import { hostOf } from "./objects.ts";
import { type FetchPlan, fetchCellsOf, fetchPlanDigest } from "./plan.ts";

type Asked = Pick<StoredFetchPlan, "page" | "connect">;

/** Objects that one machine fetches: a live host's, as the pause between two fetches from it is kept by one process; all of one server or recording. */
const serverOf = ({ page, connect }: Asked, object: string): string =>
  page === undefined && connect === undefined ? hostOf(object) : "";

/** Counted without reading the files of links. */
export function sharedFetchCells({
  links,
  objects,
  ...plan
}: Pick<StoredFetchPlan, "links" | "objects"> & Asked): number {
  // Without objects those of its recording.
  const servers = Math.max(1, new Set(objects.map((object) => serverOf(plan, object))).size);
  return servers * (links === undefined ? 1 : countLinks({ links }));
}

export const fetchCellsAt = (plan: FetchPlan, shard: Shard | undefined): readonly NewFetchCell[] =>
  cellsOfShard(fetchCellsOf(plan), shard, ({ object, link }) => JSON.stringify([link, serverOf(plan, object)]));

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
        ? "each is one host's objects, in the plan's order, over one link after another"
        : "each is a link of the plan, in its order: `trilane plan` lists them",
  };
}
