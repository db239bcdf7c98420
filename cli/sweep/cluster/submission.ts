// What a sweep's machines are held to: `trilane submit` writes plan.json and submission.json into the folder of shards, and each
// cell that runs into that folder compares its own recordings. Neither is needed for cells that are run by hand: then it is
// `trilane merge` that compares.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Submission } from "../../../schemas/generated/submission.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { UserError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make_folder.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { version } from "../../base/version.ts";
import type { NotedRecordings } from "../../results/store/sweep_recordings.ts";
import type { SharedPlan } from "./shared_plan.ts";

export const submissionPath = (shards: string): string => join(shards, "submission.json");
export const submittedPlanPath = (shards: string): string => join(shards, "plan.json");
export const referencePlanPath = (shards: string): string => join(shards, "reference.json");

/** What a sweep's machines are held to. */
export interface Terms {
  readonly plan: SharedPlan;
  readonly reference: SharedPlan | null;
  /** Absolute; made if it is missing. */
  readonly shards: string;
}

/** Null if nothing was submitted into the folder. UserError for any other file of that name: what it says becomes words of commands. */
export function readSubmission(shards: string): Submission | null {
  const path = submissionPath(shards);
  if (!existsSync(path)) return null;
  const refuse = (why: string): UserError =>
    new UserError(`${path}: not what \`trilane submit\` writes (${why}): remove it, and submit again`);
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw refuse((error as Error).message.split("\n")[0] ?? "");
  }
  const validate = schemaValidator<Submission>("submission");
  if (!validate(document)) throw refuse(explainSchemaErrors(validate.errors ?? [], "schemas/submission.schema.json"));
  return document;
}

/** UserError if the folder is another plan's. */
export function refuseOtherPlan(submission: Submission | null, plan: SharedPlan, shards: string): void {
  if (submission && submission.plan_digest !== plan.digest)
    throw new UserError(
      `${shards}: has the shards of another plan (${submission.name} ${submission.plan_digest.slice(0, 12)}): name another folder with --shards`,
    );
}

/** UserError for a recording that is not the one that was submitted. */
export function refuseOther(submission: Submission | null, recordings: NotedRecordings): void {
  for (const [name, { digest }] of recordings) {
    const submitted = submission?.recordings[name];
    if (submitted === undefined || submitted === digest) continue;
    throw new UserError(
      `recording ${name} is not the one that was submitted (${digest.slice(0, 12)}, submitted ${submitted.slice(0, 12)}): ` +
        "bring that one here, or submit again into another folder",
    );
  }
}

/** UserError if the folder is another plan's, or had other reference cells. */
export function refuseOtherTerms(before: Submission | null, { plan, shards, reference }: Terms): void {
  refuseOtherPlan(before, plan, shards);
  if (before && before.reference_digest !== (reference?.digest ?? null))
    throw new UserError(
      `${shards}: was submitted with other reference cells: give the same --reference, or name another folder with --shards`,
    );
}

/** Notes which recordings are meant: each cell compares its own with them. */
export async function writeSubmission(terms: Terms, ready: NotedRecordings): Promise<Submission> {
  const { plan, shards, reference } = terms;
  const before = readSubmission(shards);
  refuseOtherTerms(before, terms);
  const submission: Submission = {
    schema: "trilane/submission/1",
    id: before?.id ?? randomBytes(4).toString("hex"),
    name: plan.name,
    plan_digest: plan.digest,
    reference_digest: reference?.digest ?? null,
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
  if (reference) await write(referencePlanPath(shards), reference.document);
  await write(submissionPath(shards), submission);
  return submission;
}
