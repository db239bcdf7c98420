// Of which pages of a plan the loads have their clock set: decided once for each recording, before its first loads, by trial loads
// (cli/load/pin_decision.ts), and kept with the sweep, so that all its loads have the same, also if it is resumed after
// the recording was tried anew. Tries nothing for plans that say it themselves, or are strict.
import type { PageTried } from "../../../schemas/generated/sweep_event.ts";
import { defaultMoment_ms } from "../../browser/pin_time.ts";
import { momentOf, type Tried } from "../../load/pin_decision.ts";
import type { TrialOptions } from "../../load/trial.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import type { Results } from "../../results/store/results.ts";
import type { Plan } from "./plan_document.ts";
import { pageTried, trialKey, trialToKeep } from "./recording_trial.ts";

export interface PinningOptions {
  readonly home: string;
  readonly plan: Pick<Plan, "serving" | "timeout_s"> & Partial<Pick<Plan, "strict" | "settle_ms">>;
  readonly results: Pick<Results, "trialOf" | "recordTrial" | "pinningsOf" | "recordPinning">;
  readonly sweep: number;
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
  const { home, plan, results, sweep, recordings, tell, signal } = options;
  const kept = results.pinningsOf(sweep);
  const pinned = new Map<string, number>();
  for (const [page, recording] of recordings) {
    const before = kept.get(page);
    const moment_ms = before === undefined ? await momentFor(recording) : before;
    // Undecided: stopped meanwhile.
    if (moment_ms === undefined) continue;
    if (before === undefined) await options.store(() => results.recordPinning(sweep, page, moment_ms));
    if (moment_ms !== null) pinned.set(page, moment_ms);
  }
  return pinned;

  async function momentFor(recording: Recording): Promise<number | null | undefined> {
    if (plan.serving.pin_time) return momentOf(recording) ?? defaultMoment_ms;
    if (plan.strict || isMade(recording)) return null;
    const known = results.trialOf(trialKey(recording));
    if (known) return known.moment_ms;
    if (!options.decides) return null;
    return signal.aborted ? undefined : await decide(recording);
  }

  async function decide(recording: Recording): Promise<number | null | undefined> {
    const { settle_ms, timeout_s } = plan;
    const settle = settle_ms === undefined ? {} : { settle_ms };
    const trial = { ...settle, timeout_ms: timeout_s * 1000, signal };
    const tried = await options.tryRecording(home, recording, trial).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (tried === undefined) return undefined;
    if (tried.isSettled) await options.store(() => results.recordTrial(trialKey(recording), trialToKeep(tried)));
    tell(pageTried(recording, tried));
    return tried.pinned_ms;
  }
}
