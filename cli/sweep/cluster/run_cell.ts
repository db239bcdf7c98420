// One cell of a plan on this machine, into its shard; before it the reference cells, once on each machine. The caller runs them, as any
// sweep: if it was killed, the same command resumes it.

import { join } from "node:path";
import { makeFolder } from "../../base/make_folder.ts";
import { say } from "../../base/terminal_text.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import type { NamedHost } from "../../results/store/hosts.ts";
import { referenceMark } from "../../results/store/reference_sweeps.ts";
import { SweepRunsError } from "../../results/store/results.ts";
import type { PageSource } from "../plan/page_source.ts";
import { placeOf, placesOf } from "../plan/places.ts";
import { planDigest, readPlan } from "../plan/plan.ts";
import type { Plan } from "../plan/plan_document.ts";
import { NoValidLoadError, type PageShard } from "./page_shard.ts";
import { isFinished, referencePath, shardPath } from "./shards.ts";
import { refuseUnknownCell, type SharedPlan } from "./shared_plan.ts";
import { readSubmission, refuseOther, refuseOtherPlan } from "./submission.ts";
import { hostFacts } from "./this_host.ts";

/**
 * The reference cells: what every machine loads too, so that one that is unlike the others is seen; a plan of its own.
 * `asked`: a plan's file or name, or `none` (null); by default our own.
 */
export function referencePlan(asked: string | undefined): Plan | null {
  return asked === "none" ? null : readPlan(asked ?? join(import.meta.dirname, "reference.json"));
}

/** The file of results that a cell of a plan is run into. */
interface CellShard {
  readonly path: string;
  readonly host: NamedHost;
  /** Throws where a page's recording is not the one that all machines are to load. */
  readonly check: (recordings: ReadonlyMap<string, Recording>) => void;
}

export interface CellRun {
  readonly home: string;
  readonly source: PageSource;
  readonly plan: SharedPlan;
  /** From 1: a page on a link, see places.ts; of flows: a link. */
  readonly cell: number;
  /** The folder that shards are in, made where it is missing. */
  readonly shards: string;
  readonly host: string;
  /** What every machine runs too; null: nothing. */
  readonly reference: Plan | null;
  readonly json: boolean;
  /** Runs a part of a plan of pages, once. Sets the exit status if it was stopped. False: it is finished already. */
  readonly runPages: (plan: Plan, shard: PageShard) => Promise<boolean>;
  /** Runs the cell into its shard. Sets the exit status when it was stopped. False: it is finished already. */
  readonly runInto: (shard: CellShard) => Promise<boolean>;
}

/** `runInto` of a plan of pages. */
export function runPagesInto({ cell, runPages }: Pick<CellRun, "cell" | "runPages">, plan: Plan): CellRun["runInto"] {
  const { page, link } = placeOf(plan, cell);
  const placed = (of: { page: string; link: string }): number | null =>
    of.page === page && of.link === link ? cell : null;
  return (shard) => runPages(plan, { ...shard, cell, environment: {}, placeOf: placed });
}

async function runReference(
  { runPages, shards }: Pick<CellRun, "runPages" | "shards">,
  plan: Plan,
  shard: Omit<CellShard, "path">,
): Promise<void> {
  const path = referencePath(shards, shard.host.name);
  if (isFinished(path, planDigest(plan), shard.host)) return;
  const places = new Map(placesOf(plan).map(({ place, page, link }) => [JSON.stringify([page, link]), place]));
  const part = {
    ...shard,
    path,
    cell: null,
    environment: referenceMark,
    placeOf: ({ page, link }: { page: string; link: string }) => places.get(JSON.stringify([page, link])) ?? null,
  };
  try {
    await runPages(plan, part);
  } catch (error) {
    // Whoever merges is told that this machine has not been compared.
    if (error instanceof NoValidLoadError) say(`reference cells: ${error.message}; the cell runs all the same`);
    // Another cell of this machine is at it.
    else if (!(error instanceof SweepRunsError)) throw error;
  }
}

/** Runs the cell to its end, or to a signal; nothing where its shard of this machine is finished. False: it was finished. */
export async function runCell(run: CellRun): Promise<boolean> {
  const { plan, cell, shards, host, reference, runInto } = run;
  refuseUnknownCell(plan, cell);
  const submission = readSubmission(shards);
  refuseOtherPlan(submission, plan, shards);
  makeFolder(shards);
  const path = shardPath(shards, cell, host);
  const named: NamedHost = { name: host, facts: hostFacts() };
  if (isFinished(path, plan.digest, named)) return false;
  const shard = {
    host: named,
    check: (recordings: ReadonlyMap<string, Recording>) => refuseOther(submission, recordings),
  };
  if (reference) await runReference(run, reference, shard);
  if (process.exitCode !== undefined) return true;
  return await runInto({ ...shard, path });
}
