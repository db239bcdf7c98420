// Shards as `trilane cell` leaves them, stored through cli/results/store with made-up loads, for tests of what reads and joins them.

import { laneOf } from "../../../../cli/base/lanes.ts";
import { referenceMark } from "../../../../cli/results/store/reference_sweeps.ts";
import { openSharedResults } from "../../../../cli/results/store/results.ts";
import { referencePath, shardPath } from "../../../../cli/sweep/cluster/shards.ts";
import { hostFacts } from "../../../../cli/sweep/cluster/this_host.ts";
import { placesOf } from "../../../../cli/sweep/plan/places.ts";
import { cellsOf, planDigest, planOf } from "../../../../cli/sweep/plan/plan.ts";
import type { Plan } from "../../../../cli/sweep/plan/plan_document.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { pageLoad } from "../page_load.ts";

/** Two pages on two links: cells 1 to 4. */
export function madePlan(changed: Readonly<Record<string, unknown>> = {}): Plan {
  const links = ["3mbit/50ms", "10mbit/50ms"];
  return planOf(
    { name: "study", pages: ["shop", "news"], lanes: ["h1", "h3"], links, repetitions: 3, ...changed },
    "test",
  );
}

export const madeReference = (): Plan =>
  planOf({ name: "reference", pages: ["small"], lanes: ["h1"], links: ["20mbit/20ms"], repetitions: 8 }, "test");

export interface MadeShard {
  readonly folder: string;
  readonly host: string;
  readonly plan?: Plan;
  /** Null: the reference cells. */
  readonly cell: number | null;
  readonly digest?: string;
  /** Blocks that ran; default: all. */
  readonly blocks?: number;
  readonly plt_ms?: (block: number) => number;
  readonly chromium?: string;
  /** Default: this machine's. */
  readonly machine_id?: string;
  /** The file's path; default: as `trilane cell` names it. */
  readonly path?: string;
}

/** Returns its path. */
export function madeShard(made: MadeShard): string {
  const { folder, host, cell, plan = cell === null ? madeReference() : madePlan(), digest = "aaaa" } = made;
  const path = made.path ?? (cell === null ? referencePath(folder, host) : shardPath(folder, cell, host));
  const places = placesOf(plan);
  const placeOf = (of: { page: string; link: string }) =>
    places.find(({ page, link }) => page === of.page && link === of.link)?.place ?? 0;
  using results = openSharedResults(path);
  const { sweep } = results.beginSweep(
    {
      name: plan.name,
      plan,
      plan_digest: planDigest(plan),
      seed: plan.seed,
      command: ["trilane", "cell", "study.json", String(cell)],
      environment: cell === null ? referenceMark : {},
      cells: cellsOf(plan)
        .filter((each) => cell === null || placeOf(each) === cell)
        .map((each) => ({ ...each, recording_digest: digest })),
    },
    false,
  );
  const cells = results.cellsOf(sweep.id);
  results.recordHost(sweep.id, {
    name: host,
    facts: { ...hostFacts(), ...(made.machine_id === undefined ? {} : { machine_id: made.machine_id }) },
    cells: cells.map((each) => ({ cell: each.id, place: placeOf(each) })),
  });
  for (const { link } of cells.slice(0, 1)) results.recordLinkTest(sweep.id, "a machine", { ...testedLink(link) });
  const blocks = made.blocks ?? plan.repetitions;
  let position = 0;
  for (let block = 0; block < blocks; block++)
    for (const each of cells) {
      const plt_ms = (made.plt_ms ?? ((of) => 700 + of))(block);
      const load = pageLoad({
        page: each.page,
        recording_digest: digest,
        lane: laneOf(each.lane),
        link: each.link_profile,
        plt_ms,
      });
      load.log._trilane.environment.versions.chromium = made.chromium ?? "156";
      const started_at = new Date(Date.UTC(2026, 0, cell ?? 28, 1, block, position, host.length)).toISOString();
      results.recordLoad({ cell: each.id, block, attempt: 0, position: position++, started_at, load });
    }
  if (blocks === plan.repetitions) results.finishSweep(sweep.id);
  results.release(sweep.id);
  return path;
}
