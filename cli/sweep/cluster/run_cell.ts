// One cell of a plan on this machine, into its shard; before it the reference cells, once on each machine. Runs through
// cli/sweep/execute.ts as any sweep does, so that what was killed goes on where it was.
import { makeFolder } from "../../base/make_folder.ts";
import { say } from "../../base/terminal_text.ts";
import type { NamedHost } from "../../results/store/hosts.ts";
import { referenceMark } from "../../results/store/reference_sweeps.ts";
import { SweepRunsError } from "../../results/store/results.ts";
import { executePlan, NoValidLoadError, type ShardExecution } from "../execute.ts";
import { placeOf, placesOf, refuseInterleaved } from "../plan/places.ts";
import { type Plan, planDigest } from "../plan/plan.ts";
import { isFinished, referencePath, shardPath } from "./shards.ts";
import { readSubmission, refuseOther, refuseOtherPlan } from "./submission.ts";
import { hostFacts } from "./this_host.ts";

export interface CellRun {
  readonly home: string;
  readonly plan: Plan;
  /** From 1: a page on a link, see places.ts. */
  readonly cell: number;
  /** The folder that shards are in, made where it is missing. */
  readonly shards: string;
  readonly host: string;
  /** What every machine runs too; null: nothing. */
  readonly reference: Plan | null;
  readonly json: boolean;
}

const thisHost = ({ host }: CellRun): NamedHost => ({ name: host, facts: hostFacts() });

/** Sets the exit status when it was stopped; nothing is to be done any more after that. False: it is finished. */
async function runShard(run: CellRun, plan: Plan, shard: Omit<ShardExecution, "host" | "check">): Promise<boolean> {
  const { home, json, shards } = run;
  const submission = readSubmission(shards);
  return await executePlan({
    home,
    plan,
    fresh: false,
    once: true,
    json,
    shard: {
      ...shard,
      host: thisHost(run),
      check: (recordings) => refuseOther(submission, recordings),
    },
  });
}

async function runReference(run: CellRun, plan: Plan): Promise<void> {
  const path = referencePath(run.shards, run.host);
  if (isFinished(path, planDigest(plan), thisHost(run))) return;
  const places = new Map(placesOf(plan).map(({ place, page, link }) => [JSON.stringify([page, link]), place]));
  try {
    await runShard(run, plan, {
      path,
      cell: null,
      environment: referenceMark,
      placeOf: ({ page, link }) => places.get(JSON.stringify([page, link])) ?? null,
    });
  } catch (error) {
    // Whoever merges is told that this machine has not been compared.
    if (error instanceof NoValidLoadError) say(`reference cells: ${error.message}; the cell runs all the same`);
    // Another cell of this machine is at it.
    else if (!(error instanceof SweepRunsError)) throw error;
  }
}

/** Runs the cell to its end, or to a signal; nothing where its shard of this machine is finished. False: it was finished. */
export async function runCell(run: CellRun): Promise<boolean> {
  const { plan, cell, shards, host, reference } = run;
  refuseInterleaved(plan);
  const { page, link } = placeOf(plan, cell);
  refuseOtherPlan(readSubmission(shards), plan, shards);
  makeFolder(shards);
  const path = shardPath(shards, cell, host);
  if (isFinished(path, planDigest(plan), thisHost(run))) return false;
  if (reference) await runReference(run, reference);
  if (process.exitCode !== undefined) return true;
  return await runShard(run, plan, {
    path,
    cell,
    environment: {},
    placeOf: (of) => (of.page === page && of.link === link ? cell : null),
  });
}
