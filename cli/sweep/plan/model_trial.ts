// Whether a load of a model asks for all of the model's requests, by a trial load. That it does is kept: it is tried once.

import { recordedRequestsOf } from "../../load/recorded_requests_of.ts";
import { missesOf } from "../../load/recording_check.ts";
import type { TrialOptions } from "../../load/trial.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { requestKey } from "../../recording/archive/recorded_requests.ts";
import { openResults } from "../../results/store/results.ts";

export interface ModelFinding {
  /** What it does not ask for, the largest first. */
  readonly missed: readonly { readonly key: string; readonly url: string }[];
  /** Why no load of it would be valid; null: nothing the page does makes it so, or the trial failed and shows nothing. */
  readonly reason: string | null;
}

const whole: ModelFinding = { missed: [], reason: null };

export async function modelFinding(home: string, model: Recording, options: TrialOptions): Promise<ModelFinding> {
  using results = openResults(home);
  if (results.trialOf(model.digest)?.outside.length === 0) return whole;
  // The browser's library takes a while: only who needs it waits for it.
  const { trialLoad } = await import("../../load/trial.ts");
  const { load, failure, outside } = await trialLoad(home, model, options);
  const recorded = await recordedRequestsOf(home, model);
  const reason = outside[0] ?? null;
  if (recorded === null || failure !== null) return { missed: [], reason };
  const { notRequested } = missesOf(recorded, load.log.entries);
  if (notRequested.length === 0 && reason === null) results.recordTrial(model.digest, { moment_ms: null, outside: [] });
  return { missed: notRequested.map(({ method, url }) => ({ key: requestKey(method, url), url })), reason };
}
