// The pages that a command loads in place of those it was given: each as it was recorded or as a model, decided alike by every
// command. How one page is decided is cli/sweep/plan/choose_model.ts's; the trial load behind it is recording_trial.ts's.
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { readCompute } from "../../recording/model/compute_option.ts";
import { type AsOptions, chosenPage, type ModelChoice, readAs, type TrialFinding } from "./choose_model.ts";
import type { Plan } from "./plan.ts";
import { trialFinding } from "./recording_trial.ts";

export interface Choosing {
  readonly home: string;
  /** The command line's; `as` here before that of the plan. */
  readonly options: AsOptions;
  readonly terms: Pick<Plan, "serving" | "strict" | "timeout_s" | "as">;
  /**
   * Whether a recording is tried: always; where this machine can load pages, as one that only hands work on may not; never,
   * where several machines must decide alike by the recording alone. Strict loads are never tried.
   */
  readonly trials: "made" | "where possible" | "none";
  readonly say: (line: string) => void;
}

function trialOf({ terms: { serving, strict, timeout_s }, trials, say }: Choosing): ModelChoice["trial"] {
  if (strict || trials === "none") return undefined;
  return async (home, recording): Promise<TrialFinding> => {
    try {
      return await trialFinding(home, recording, { serving, timeout_ms: timeout_s * 1000, say });
    } catch (error) {
      if (trials === "made" || !(error instanceof RunError || error instanceof UserError)) throw error;
      return { outside: [], failure: error.message };
    }
  };
}

export async function chosenPages(pages: readonly PlanPage[], choosing: Choosing): Promise<PlanPage[]> {
  const { home, options, terms, say } = choosing;
  const trial = trialOf(choosing);
  const choice: ModelChoice = {
    as: options.as === undefined ? terms.as : readAs(options.as),
    compute: readCompute(options.compute),
    ...(trial ? { trial } : {}),
    say,
  };
  const chosen: PlanPage[] = [];
  // One after another: each model is a writer of the archive, each trial a load.
  for (const page of pages) chosen.push(await chosenPage(home, page, choice));
  return chosen;
}

/** The plan itself where all its pages stay. */
export async function withChosenPages(plan: Plan, choosing: Omit<Choosing, "terms">): Promise<Plan> {
  const pages = await chosenPages(plan.pages, { ...choosing, terms: plan });
  return pages.every((page, index) => page === plan.pages[index]) ? plan : { ...plan, pages: pages as Plan["pages"] };
}
