// Hands the cells of a plan that are still missing to Slurm or to hosts over ssh. What is missing is read from the shards, so
// that it may be asked again at any time, after whatever became of the jobs.
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Submission } from "../../../schemas/generated/submission.ts";
import type { Submitted } from "../../../schemas/generated/submitted.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make_folder.ts";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { explainFailure, isLocked, shardRemedies, sqliteCode } from "../../results/store/failure.ts";
import { openSqlite } from "../../results/store/sqlite.ts";
import { pageName } from "../plan/page_patterns.ts";
import type { PageSource } from "../plan/page_source.ts";
import { planDigest } from "../plan/plan.ts";
import type { Plan } from "../plan/plan_document.ts";
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
import { readSubmission, refuseOtherPlan, submissionPath, submittedPlanPath } from "./submission.ts";

// SQLite's lock: the system takes it back however its holder ends, and it holds on folders that several machines share.
const lockPath = (shards: string): string => join(shards, ".submit-lock");

/** Runs `work` while no other process does so for this folder, which is there. UserError where one does. */
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

export interface Submitting {
  readonly home: string;
  readonly source: PageSource;
  readonly plan: SharedPlan;
  /** Absolute; made where it is missing. */
  readonly shards: string;
  readonly reference: Plan | null;
  readonly say: (line: string) => void;
}

const referencePlanPath = (shards: string): string => join(shards, "reference.json");
/** Of the plan and the folder of shards: a sweep that is begun anew elsewhere is not taken for the old one. */
const nameOf = ({ digest }: SharedPlan, id: string): string => `trilane-${digest.slice(0, 12)}-${id}`;

/** Cells that no machine has finished. The cell of a shard that is damaged, or not of this plan, is missing, which is told. */
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

/** UserError where the folder is another plan's, or had other reference cells. */
function refuseOtherTerms(before: Submission | null, { plan, shards, reference }: Submitting): void {
  refuseOtherPlan(before, plan, shards);
  if (before && before.reference_digest !== (reference && planDigest(reference)))
    throw new UserError(
      `${shards}: was submitted with other reference cells: give the same --reference, or name another folder with --shards`,
    );
}

/** Notes which recordings are meant: each cell compares its own with them. */
async function writeSubmission(submitting: Submitting, ready: ReadonlyMap<string, Recording>): Promise<Submission> {
  const { plan, shards, reference } = submitting;
  const before = readSubmission(shards);
  refuseOtherTerms(before, submitting);
  const submission: Submission = {
    schema: "trilane/submission/1",
    id: before?.id ?? randomBytes(4).toString("hex"),
    name: plan.name,
    plan_digest: plan.digest,
    reference_digest: reference && planDigest(reference),
    trilane: version,
    recordings: Object.fromEntries([...ready].map(([name, { digest }]) => [name, digest])),
  };
  for (const [name, digest] of Object.entries(submission.recordings)) {
    const earlier = before?.recordings[name] ?? digest;
    if (earlier !== digest)
      throw new UserError(
        `recording ${name} has changed since this was submitted first (${earlier.slice(0, 12)}, now ${digest.slice(0, 12)}): name another folder with --shards`,
      );
  }
  makeFolder(join(shards, "logs"));
  const write = (path: string, document: unknown) => atomicWrite(path, `${JSON.stringify(document, null, 2)}\n`);
  await write(submittedPlanPath(shards), plan.document);
  if (reference) await write(referencePlanPath(shards), reference);
  await write(submissionPath(shards), submission);
  return submission;
}

/** Makes the recordings ready here; then works while no other process submits into the folder. */
async function whileSubmitting<Result>(
  submitting: Submitting,
  work: (submission: Submission) => Promise<Result>,
): Promise<Result> {
  const { home, source, plan, shards, reference, say } = submitting;
  // Before pages are made, which may take long.
  refuseOtherTerms(readSubmission(shards), submitting);
  const pages = new Map([...plan.pages, ...(reference?.pages ?? [])].map((page) => [pageName(page), page]));
  const recordings = await source.preparePages(home, [...pages.values()], ({ page }) => say(`page ${page} is ready`));
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
  const { shards } = submitting;
  const terms: ScriptTerms = { name, shards, command: cellCommand(submitting), ...slurm };
  return slurmJobs(cells).map((job) => ({
    job,
    path: join(shards, `${jobName(name, job)}.sbatch`),
    text: jobScript(job, terms),
  }));
}

/** What would be handed in. Writes nothing, and asks no Slurm. */
export function slurmDryRun(submitting: Submitting, slurm: SlurmOptions): string {
  refuseUnquotable(submitting.shards);
  const before = readSubmission(submitting.shards);
  refuseOtherTerms(before, submitting);
  const name = nameOf(submitting.plan, before?.id ?? "new");
  const scripts = slurmScripts(submitting, name, missingCells(submitting), slurm);
  return scripts.map(({ text }) => text).join("\n");
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

/** What is asked for, beyond the submission's own. */
type SshDestination = Pick<SshTerms, "hosts" | "ssh" | "program">;

/** Returns when all has run; null where a signal stopped it, which it tells. RunError where cells are still missing then. */
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
  const terms: SshTerms = { ...ssh, folder, shards, reference: reference !== null, cells: plan.cells, say };
  const remotes = await usableHosts(terms);
  await collectAll(terms, remotes);
  const cells = missingCells(submitting);
  const files = [submittedPlanPath(shards), submissionPath(shards), ...(reference ? [referencePlanPath(shards)] : [])];
  if (cells.length > 0) {
    const stop = await runThere(terms, remotes, cells, { home, digests: recordings, files });
    if (stop !== null) {
      say("stopped: what has run is kept on the hosts; submit again to go on");
      process.exitCode = 128 + constants.signals[stop];
      return null;
    }
    await collectAll(terms, remotes);
    const left = missingCells(submitting);
    if (left.length > 0)
      throw new RunError(
        `${left.length} of ${cells.length} cells did not finish (see above, and ${join(shards, "joblog")}): submit again to go on`,
      );
  }
  await clearAll(terms, remotes);
  return submittedOf(submitting, { system: "ssh", cells, waiting: [], jobs: [] });
}
