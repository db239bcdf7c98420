// The pages of Trilane, as commands are given them: what cli/sweep/plan/page_source.ts asks for.

import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { RunError, UserError } from "../base/errors.ts";
import { type ModelFinding, modelFinding } from "../sweep/plan/model_trial.ts";
import type { Choosing, PageSource } from "../sweep/plan/page_source.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { chosenPage, type ModelChoice } from "./choose_model.ts";
import {
  corpusPages,
  pageFor,
  pageSizes,
  pagesFor,
  pageUnstored,
  playsVideo,
  preparePages,
  withMatchedPages,
} from "./pages.ts";
import { type TrialFinding, trialFinding } from "./trial_finding.ts";

// The pages that a command loads in place of those it was given: each as it was recorded or as a model, decided alike by every command.
// How one page is decided is cli/pages/choose_model.ts's; the trial load behind it is trial_finding.ts's.

function trialsOf({ terms, trials, say }: Choosing): Pick<ModelChoice, "trial" | "modelTrial"> {
  const { serving, strict, timeout_s } = terms;
  if (strict || trials === "none") return {};
  const options = { serving, timeout_ms: timeout_s * 1000, say };
  /** What a trial shows, or, on a machine that can load no page and need not, what is known without it. */
  async function tried<Finding>(finding: Promise<Finding>, without: (why: string) => Finding): Promise<Finding> {
    try {
      return await finding;
    } catch (error) {
      if (trials === "made" || !(error instanceof RunError || error instanceof UserError)) throw error;
      return without(error.message);
    }
  }
  return {
    trial: (home, recording) =>
      tried<TrialFinding>(trialFinding(home, recording, options), (failure) => ({ outside: [], failure })),
    modelTrial: (home, model) =>
      tried<ModelFinding>(modelFinding(home, model, options), () => ({ missed: [], reason: null })),
  };
}

async function chosenPages(pages: readonly PlanPage[], choosing: Choosing): Promise<PlanPage[]> {
  const { home, options, terms, say } = choosing;
  const choice: ModelChoice = {
    as: options.as ?? terms.as,
    compute: options.compute,
    ...trialsOf(choosing),
    say,
  };
  const chosen: PlanPage[] = [];
  // One after another: each model is a writer of the archive, each trial a load.
  for (const page of pages) chosen.push(await chosenPage(home, page, choice));
  return chosen;
}

/** The plan itself where all its pages stay. */
async function withChosenPages(plan: Plan, choosing: Omit<Choosing, "terms">): Promise<Plan> {
  const pages = await chosenPages(plan.pages, { ...choosing, terms: plan });
  return pages.every((page, index) => page === plan.pages[index]) ? plan : { ...plan, pages: pages as Plan["pages"] };
}

export const pages: PageSource = {
  ...{ pageFor, pagesFor, pageUnstored, corpusPages, withMatchedPages, pageSizes, playsVideo, preparePages },
  ...{ chosenPages, withChosenPages },
};
