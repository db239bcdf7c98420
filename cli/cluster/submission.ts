// What a sweep's machines are held to: `trilane submit` writes plan.json and submission.json into the folder of shards, and each
// cell that runs into that folder compares its own recordings. Neither is needed for cells that are run by hand: then it is
// `trilane merge` that compares.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Submission } from "../../schemas/generated/submission.ts";
import type { Recording } from "../archive/archive.ts";
import { UserError } from "../errors.ts";
import { type Plan, planDigest } from "../sweep/plan.ts";

export const submissionPath = (shards: string): string => join(shards, "submission.json");
export const submittedPlanPath = (shards: string): string => join(shards, "plan.json");

/** Null where nothing was submitted into the folder. */
export function readSubmission(shards: string): Submission | null {
  const path = submissionPath(shards);
  if (!existsSync(path)) return null;
  try {
    const document = JSON.parse(readFileSync(path, "utf8")) as Submission;
    if (document.schema === "trilane/submission/1" && typeof document.recordings === "object") return document;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UserError(`${path}: not what \`trilane submit\` writes: remove it, and submit again`);
}

/** UserError where the folder is another plan's. */
export function refuseOtherPlan(submission: Submission | null, plan: Plan, shards: string): void {
  if (submission && submission.plan_digest !== planDigest(plan))
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
