// One cell of a plan on this machine, into its shard; before it the reference cells, once on each machine. Either runs as any sweep does: if it
// was killed, the same command resumes it.
import { UserError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make_folder.ts";
import { say } from "../../base/terminal_text.ts";
import { referenceMark } from "../../results/store/reference_sweeps.ts";
import { SweepRunsError } from "../../results/store/results.ts";
import { isFinished, referencePath, shardPath } from "./shards.ts";
import { type CellTerms, NoValidLoadError, type Shard, type SharedPlan } from "./shared_plan.ts";
import { readSubmission, refuseOther, refuseOtherPlan } from "./submission.ts";
import { hostFacts } from "./this_host.ts";

export interface CellRun {
  readonly terms: CellTerms;
  readonly plan: SharedPlan;
  /** From 1. */
  readonly cell: number;
  /** The folder that shards are in; made if it is missing. */
  readonly shards: string;
  readonly host: string;
  /** What every machine runs too; null: nothing. */
  readonly reference: SharedPlan | null;
}

/** @throws UserError if the plan has no cell of that number. */
export function refuseUnknownCell({ name, cells, listing }: SharedPlan, cell: number): void {
  if (cell > cells) throw new UserError(`plan ${name} has no cell ${cell}: name one from 1 to ${cells}; ${listing}`);
}

async function runReference(terms: CellTerms, plan: SharedPlan, shard: Shard): Promise<void> {
  if (isFinished(shard.path, plan.digest, shard.host)) return;
  try {
    await plan.run(terms, shard);
  } catch (error) {
    // `merge` reports that this machine has not been compared.
    if (error instanceof NoValidLoadError) say(`reference cells: ${error.message}; the cell runs all the same`);
    // Another cell of this machine runs them.
    else if (!(error instanceof SweepRunsError)) throw error;
  }
}

/** Runs the cell to its end, or to a signal; nothing if its shard of this machine is finished. False: it was finished. */
export async function runCell({ terms, plan, cell, shards, host, reference }: CellRun): Promise<boolean> {
  refuseUnknownCell(plan, cell);
  const submission = readSubmission(shards);
  refuseOtherPlan(submission, plan, shards);
  makeFolder(shards);
  const shard: Shard = {
    path: shardPath(shards, cell, host),
    host: { name: host, facts: hostFacts() },
    ...{ cell, plan_digest: plan.digest, environment: {} },
    check: (recordings) => refuseOther(submission, recordings),
  };
  if (isFinished(shard.path, plan.digest, shard.host)) return false;
  if (reference) {
    const own = { path: referencePath(shards, host), cell: null, plan_digest: reference.digest };
    await runReference(terms, reference, { ...shard, ...own, environment: referenceMark });
  }
  return process.exitCode !== undefined || (await plan.run(terms, shard));
}
