// Whether trilane-fetch takes what a plan says of its fetches, before there is a sweep: it alone knows what a user agent, an address or a
// file of certificates may be. It is started once, with no object.
import { RunError, UserError } from "../../../base/errors.ts";
import { ProgramFailure, runProgram } from "../../../base/run_program.ts";
import { type FetchPlan, variantsOf } from "../plan/plan.ts";
import { trialWords } from "./client_words.ts";

/** `inLab`: its certificates are not the plan's. UserError with what the client says; RunError where it does not run at all. */
export async function tryClient(plan: FetchPlan, inLab: boolean): Promise<void> {
  const [variant] = variantsOf(plan);
  if (!variant) return;
  const asked = inLab ? { ...plan, verify: false } : plan;
  const [program = "", ...words] = trialWords({
    ...{ plan: asked, ...variant },
    ...{ ca: plan.ca ?? null, askHttpsRecord: false },
  });
  try {
    await runProgram(program, words, { timeout_ms: 10_000 });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    const said = error.lastLine.replace(/^trilane-fetch: /, "") || error.message;
    throw error.status === 2 ? new UserError(said) : new RunError(said);
  }
}
