// Hands the cells of a plan that are still missing to Slurm or to hosts over ssh. What is missing is read from the shards, so
// that the same command may follow at any time, after whatever became of the jobs.
import { constants } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Submission } from "../../../schemas/generated/submission.ts";
import type { SubmissionPlanned } from "../../../schemas/generated/submission_planned.ts";
import type { Submitted } from "../../../schemas/generated/submitted.ts";
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make_folder.ts";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import { explainFailure, isLocked, shardRemedies, sqliteCode } from "../../results/store/failure.ts";
import { openSqlite } from "../../results/store/sqlite.ts";
import { pageName } from "../plan/page_patterns.ts";
import type { PageSource } from "../plan/page_source.ts";
import { isFinished, shardsIn } from "./shards.ts";
import type { SharedPlan } from "./shared_plan.ts";
import {
  handIn,
  jobName,
  jobScript,
  queuedCells,
  refuseUnquotable,
  type ScriptTerms,
  type SlurmJob,
  slurmJobs,
} from "./slurm.ts";
import { clearAll, collectAll, requireParallel, runThere, type SshTerms, usableHosts } from "./ssh.ts";
import {
  readSubmission,
  referencePlanPath,
  refuseOtherTerms,
  submissionPath,
  submittedPlanPath,
  type Terms,
  writeSubmission,
} from "./submission.ts";

// SQLite's lock: the system takes it back however its holder ends, and it holds on folders that several machines share.
const lockPath = (shards: string): string => join(shards, ".submit-lock");

/** Runs `work` while no other process does so for this folder, which is there. UserError if one does. */
export async function withSubmitLock<Result>(shards: string, work: () => Promise<Result>): Promise<Result> {
  const path = lockPath(shards);
  let lock: DatabaseSync | null = null;
  try {
    try {
      lock = openSqlite(path, { timeout: 0 });
      lock.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (!isLocked(error)) throw explainFailure(error, path, shardRemedies(path));
      throw new UserError(`${shards}: another \`trilane submit\` is at work on it: wait for it, or stop it first`);
    }
    return await work();
  } finally {
    lock?.close();
  }
}

export interface Submitting extends Terms {
  readonly home: string;
  readonly source: PageSource;
  readonly say: (line: string) => void;
}

/** Of the plan and the folder of shards: a sweep that is begun anew elsewhere is not taken for the old one. */
const nameOf = ({ digest }: SharedPlan, id: string): string => `trilane-${digest.slice(0, 12)}-${id}`;

/** Cells that no machine has finished. The cell of a shard that is damaged, or not of this plan, is missing, which is printed. */
function missingCells({ plan, shards, say }: Submitting): number[] {
  const { digest } = plan;
  const finished = new Set(
    shardsIn(shards).flatMap(({ path, place }) => {
      try {
        return place !== null && isFinished(path, digest) ? [place] : [];
      } catch (error) {
        const isNamed = error instanceof UserError || error instanceof RunError;
        if (!isNamed && sqliteCode(error) === null) throw error;
        const { message } = error as Error;
        say(`${isNamed ? message : `${path}: damaged (${message}): remove it`}; until then cell ${place} is missing`);
        return [];
      }
    }),
  );
  const all = Array.from({ length: plan.cells }, (_, index) => index + 1);
  return all.filter((place) => !finished.has(place));
}

/** By name: each machine has their recordings. */
const pagesOf = ({ plan, reference }: Submitting): Map<string, PlanPage> =>
  new Map([...plan.pages, ...(reference?.pages ?? [])].map((page) => [pageName(page), page]));

/** Makes the recordings ready here; then works while no other process submits into the folder. */
async function whileSubmitting<Result>(
  submitting: Submitting,
  work: (submission: Submission) => Promise<Result>,
): Promise<Result> {
  const { home, source, shards, say } = submitting;
  // Before pages are made, which may take long.
  refuseOtherTerms(readSubmission(shards), submitting);
  const pages = [...pagesOf(submitting).values()];
  const recordings = await source.preparePages(home, pages, ({ page }) => say(`page ${page} is ready`));
  makeFolder(shards);
  return await withSubmitLock(shards, async () => await work(await writeSubmission(submitting, recordings)));
}

function cellCommand({ home, shards, reference }: Submitting): string[] {
  const plan = submittedPlanPath(shards);
  const referenceWord = reference ? referencePlanPath(shards) : "none";
  const options = ["--shards", shards, "--home", home, "--reference", referenceWord];
  return [join(checkout, "cli", "trilane"), "cell", ...options, plan];
}

function submittedOf(
  { plan, shards }: Submitting,
  rest: Pick<Submitted, "system" | "cells" | "waiting" | "jobs">,
): Submitted {
  return { schema: "trilane/submitted/1", name: plan.name, shards, of: plan.cells, ...rest };
}

interface SlurmOptions {
  readonly cpus: number | null;
  readonly options: readonly string[];
}

interface SlurmScript {
  readonly job: SlurmJob;
  /** Where it is written to. */
  readonly path: string;
  readonly text: string;
}

function slurmScripts(
  submitting: Submitting,
  name: string,
  cells: readonly number[],
  slurm: SlurmOptions,
): SlurmScript[] {
  const { shards, plan } = submitting;
  const command = cellCommand(submitting);
  const terms: ScriptTerms = { name, shards, command, programs: plan.programs, ...slurm };
  return slurmJobs(cells).map((job) => ({
    job,
    path: join(shards, `${jobName(name, job)}.sbatch`),
    text: jobScript(job, terms),
  }));
}

type PlannedParts = Partial<Pick<SubmissionPlanned, "scripts" | "hosts" | "needs" | "recordings">>;

const plannedOf = (
  { plan, shards }: Submitting,
  system: SubmissionPlanned["system"],
  cells: number[],
  parts: PlannedParts,
): SubmissionPlanned => ({
  ...{ schema: "trilane/submission-planned/1", name: plan.name, shards, system, of: plan.cells, cells },
  ...{ scripts: [], hosts: [], needs: [], recordings: [] },
  ...parts,
});

/** What would be handed in. Writes nothing, and reaches no Slurm. */
export function slurmDryRun(submitting: Submitting, slurm: SlurmOptions): SubmissionPlanned {
  refuseUnquotable(submitting.shards);
  const before = readSubmission(submitting.shards);
  refuseOtherTerms(before, submitting);
  const name = nameOf(submitting.plan, before?.id ?? "new");
  const cells = missingCells(submitting);
  const scripts = slurmScripts(submitting, name, cells, slurm).map(({ path, text }) => ({ path, text }));
  return plannedOf(submitting, "slurm", cells, { scripts });
}

export async function submitToSlurm(submitting: Submitting, slurm: SlurmOptions): Promise<Submitted> {
  refuseUnquotable(submitting.shards);
  return await whileSubmitting(submitting, async ({ id }) => {
    const name = nameOf(submitting.plan, id);
    // Before the shards: what ends in between is in one of the two.
    const queued = new Set(await queuedCells(name));
    const missing = missingCells(submitting);
    const cells = missing.filter((cell) => !queued.has(cell));
    const waiting = missing.filter((cell) => queued.has(cell));
    const jobs: string[] = [];
    for (const { job, path, text } of slurmScripts(submitting, name, cells, slurm)) {
      await atomicWrite(path, text);
      jobs.push(await handIn(name, job, path));
    }
    return submittedOf(submitting, { system: "slurm", cells, waiting, jobs });
  });
}

/** Where to, beyond the submission's own terms. */
type SshDestination = Pick<SshTerms, "hosts" | "ssh" | "program">;

/** What would run. Writes nothing, and reaches no host. */
export function sshDryRun(submitting: Submitting, { hosts, program }: SshDestination): SubmissionPlanned {
  refuseOtherTerms(readSubmission(submitting.shards), submitting);
  return plannedOf(submitting, "ssh", missingCells(submitting), {
    hosts: [...hosts],
    needs: [`Trilane ${version} as ${program}`, ...submitting.plan.programs],
    recordings: [...pagesOf(submitting).keys()],
  });
}

/** Returns when all has run; null if a signal stopped it, which it prints. RunError if cells are still missing then. */
export async function submitOverSsh(submitting: Submitting, ssh: SshDestination): Promise<Submitted | null> {
  await requireParallel();
  return await whileSubmitting(submitting, (submission) => runOverSsh(submitting, ssh, submission));
}

async function runOverSsh(
  submitting: Submitting,
  ssh: SshDestination,
  { id, recordings }: Submission,
): Promise<Submitted | null> {
  const { home, plan, shards, reference, say } = submitting;
  const folder = `.cache/trilane/submitted/${nameOf(plan, id)}`;
  const { cells: all, programs } = plan;
  const terms: SshTerms = { ...ssh, folder, shards, reference: reference !== null, cells: all, programs, say };
  const remotes = await usableHosts(terms);
  await collectAll(terms, remotes);
  const cells = missingCells(submitting);
  const files = [submittedPlanPath(shards), submissionPath(shards), ...(reference ? [referencePlanPath(shards)] : [])];
  if (cells.length > 0) {
    const stop = await runThere(terms, remotes, cells, { home, digests: recordings, files });
    if (stop !== null) {
      say("stopped: what has run is kept on the hosts; submit again to resume");
      process.exitCode = 128 + constants.signals[stop];
      return null;
    }
    await collectAll(terms, remotes);
    const left = missingCells(submitting);
    if (left.length > 0)
      throw new RunError(
        `${left.length} of ${cells.length} cells did not finish (see above, and ${join(shards, "joblog")}): submit again to resume`,
      );
  }
  await clearAll(terms, remotes);
  return submittedOf(submitting, { system: "ssh", cells, waiting: [], jobs: [] });
}
