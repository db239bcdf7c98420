// What a sweep's machines are held to: `trilane submit` writes plan.json and submission.json into the folder of shards, and each
// cell that runs into that folder compares its own recordings. Neither is needed for cells that are run by hand: then it is
// `trilane merge` that compares.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Submission } from "../../../schemas/generated/submission.ts";
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { computes } from "../../recording/model/compute_option.ts";
import { modelName } from "../../recording/model/model_recording.ts";
import { pageName } from "../plan/page_patterns.ts";
import { planDigest, readPlan } from "../plan/plan.ts";
import type { Plan } from "../plan/plan_document.ts";
import type { SharedPlan } from "./shared_plan.ts";

export const submissionPath = (shards: string): string => join(shards, "submission.json");
export const submittedPlanPath = (shards: string): string => join(shards, "plan.json");

/** Null where nothing was submitted into the folder. UserError for a file that is none: what it says becomes words of commands. */
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

/**
 * The plan as it was submitted into the folder, where that is `plan` but for recordings whose models took their place: what was
 * decided once holds for all its cells. Null: nothing was submitted, or something else.
 */
export function submittedChoice(shards: string, plan: Plan): Plan | null {
  const submission = readSubmission(shards);
  const path = submittedPlanPath(shards);
  if (!submission || !existsSync(path)) return null;
  const submitted = readPlan(path);
  const isSame =
    planDigest(submitted) === submission.plan_digest &&
    planDigest({ ...submitted, pages: plan.pages }) === planDigest(plan) &&
    submitted.pages.length === plan.pages.length &&
    submitted.pages.every((page, index) => isPageOrModel(page, plan.pages[index]));
  return isSame ? submitted : null;
}

function isPageOrModel(page: PlanPage, given: PlanPage | undefined): boolean {
  if (given === undefined) return false;
  const name = pageName(page);
  return pageName(given) === name || computes.some((compute) => modelName(pageName(given), compute) === name);
}

/** UserError where the folder is another plan's. */
export function refuseOtherPlan(submission: Submission | null, plan: SharedPlan, shards: string): void {
  if (submission && submission.plan_digest !== plan.digest)
    throw new UserError(
      `${shards}: has the shards of another plan (${submission.name} ${submission.plan_digest.slice(0, 12)}): name another folder with --shards`,
    );
}

/** UserError for a recording that is not the one that was submitted. */
export function refuseOther(submission: Submission | null, recordings: ReadonlyMap<string, Recording>): void {
  for (const [name, { digest }] of recordings) {
    const asked = submission?.recordings[name];
    if (asked === undefined || asked === digest) continue;
    throw new UserError(
      `recording ${name} is not the one that was submitted (${digest.slice(0, 12)}, submitted ${asked.slice(0, 12)}): ` +
        "bring that one here, or submit again into another folder",
    );
  }
}
