// Of which pages of a plan the loads have their clock set: decided once for each recording, before its first loads, by trial loads
// (cli/measure/pin_decision.ts), and kept, so that a sweep that is gone on with has the same. Decides nothing for plans that
// say it themselves, or are strict.
import type { PageTried } from "../../schemas/generated/sweep_event.ts";
import type { Recording } from "../archive/archive.ts";
import type { Tried } from "../measure/pin_decision.ts";
import { momentOf } from "../measure/pin_moment.ts";
import { defaultMoment_ms } from "../measure/pin_time.ts";
import type { TrialOptions } from "../measure/trial.ts";
import type { Results } from "../results/results.ts";
import type { Plan } from "./plan.ts";
import { pageTried, trialToKeep } from "./recording_trial.ts";

export interface PinningOptions {
  readonly home: string;
  readonly plan: Plan;
  readonly results: Pick<Results, "trialOf" | "recordTrial">;
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly tryRecording: (home: string, recording: Recording, options: TrialOptions) => Promise<Tried>;
  readonly tell: (event: PageTried) => void;
  /** False: nothing is tried, as where several machines run parts of a plan and must do the same. */
  readonly decides: boolean;
  /** Stores past a full disk and other processes' locks. */
  readonly store: (write: () => void) => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Pages that Trilane made need none. */
const isMade = ({ source }: Recording): boolean => /^(synth|model): /.test(source);

/** By page, to which moment the clock is set; no entry: it is left as it is. */
export async function pinnedPages(options: PinningOptions): Promise<Map<string, number>> {
  const { home, plan, results, recordings, tell, signal } = options;
  const pinned = new Map<string, number>();
  for (const [page, recording] of recordings) {
    if (plan.serving.pin_time) pinned.set(page, momentOf(recording) ?? defaultMoment_ms);
    if (plan.serving.pin_time || plan.strict || isMade(recording) || signal.aborted) continue;
    const known = results.trialOf(recording.digest);
    const moment_ms = known ? known.moment_ms : options.decides ? await decide(recording) : null;
    if (moment_ms !== null) pinned.set(page, moment_ms);
  }
  return pinned;

  async function decide(recording: Recording): Promise<number | null> {
    const { settle_ms, timeout_s } = plan;
    const trial = { settle_ms, timeout_ms: timeout_s * 1000, signal };
    const tried = await options.tryRecording(home, recording, trial).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (tried === null) return null;
    await options.store(() => results.recordTrial(recording.digest, trialToKeep(tried)));
    tell(pageTried(recording, tried));
    return tried.pinned_ms;
  }
}
