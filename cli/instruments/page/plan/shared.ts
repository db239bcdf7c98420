// Plans of page loads as machines share them: a cell is a page on a link with all its lanes. All must load the same pages, which are chosen
// once.
import { existsSync } from "node:fs";
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { say } from "../../../base/terminal_text.ts";
import type { SharingTerms } from "../../../engine/plan_kind.ts";
import { syntheticTraces } from "../../../link/trace/networks.ts";
import { computes } from "../../../recording/model/compute_option.ts";
import { modelName } from "../../../recording/model/model_recording.ts";
import type { PlanShares } from "../../../sweep/cluster/shared_plan.ts";
import { readSubmission, submittedPlanPath } from "../../../sweep/cluster/submission.ts";
import type { AsOptions } from "../../../sweep/plan/as_option.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { countPlaces, refuseInterleaved } from "../../../sweep/plan/places.ts";
import { planDigest, planOf, readPlan } from "../../../sweep/plan/plan.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

/** UserError for a plan that one machine must run alone. */
export function sharedPages(plan: Plan): PlanShares {
  refuseInterleaved(plan);
  const { name, pages } = plan;
  return {
    ...{ name, digest: planDigest(plan), cells: countPlaces(plan), pages, programs: [], document: plan },
    listing: "`trilane plan` lists them",
  };
}

/**
 * The plan with the recordings that its patterns match and with models where they take pages' places. One that was submitted into the folder
 * keeps the pages that were chosen then.
 */
export async function planForMachines(
  options: AsOptions & { readonly plan: string },
  { home, source, shardsOf, trials }: SharingTerms,
): Promise<Plan> {
  const given = await source.withMatchedPages(home, readPlan(options.plan, syntheticTraces(home)));
  const before = options.as === undefined ? submittedChoice(shardsOf(given), given) : null;
  if (before !== null || trials === "no choice") return before ?? given;
  const plan = await source.withChosenPages(given, { home, options, trials, say });
  return plan === given ? given : planOf(plan, options.plan);
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
