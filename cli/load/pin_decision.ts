// Whether a recording's loads have their clock set to the day of the recording and their random numbers seeded: where that raises
// coverage, by trial loads without and with it. Stores nothing.

import type { LoadCoverage } from "../../schemas/generated/page_load.ts";
import { defaultMoment_ms } from "../browser/pin_time.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { type Trial, type TrialOptions, trialLoad } from "./trial.ts";

// To which moment the clock of a recording's loads is set, where it is set. Pure.

/** The moment of a recording that was made with --pin-time, or else its date; null: not known. */
export function momentOf({ notes, recorded_at }: Pick<Recording, "notes" | "recorded_at">): number | null {
  const { recorded } = notes;
  const isPinned = typeof recorded === "object" && recorded !== null && "pin_time" in recorded && recorded.pin_time;
  if (isPinned === true) return defaultMoment_ms;
  const moment_ms = recorded_at === null ? Number.NaN : Date.parse(recorded_at);
  return Number.isFinite(moment_ms) ? moment_ms : null;
}

/** What a load requested of its recording, without what it requested beyond; less than this is by chance. */
const least = 0.005;

/** Whether `pinned` is a load of more of the page than `free`. */
export function raisesCoverage(free: LoadCoverage | null, pinned: LoadCoverage | null): boolean {
  if (pinned === null) return false;
  if (free === null) return true;
  const gains = [pinned.requests - free.requests, pinned.bytes - free.bytes, free.unanswered - pinned.unanswered];
  return Math.max(...gains) >= least && Math.min(...gains) > -least;
}

/** Whether there is nothing to gain. */
function isWhole({ coverage }: Trial): boolean {
  return coverage !== null && coverage.requests === 1 && coverage.bytes === 1 && coverage.beyond.other === 0;
}

export interface Tried {
  /** Null: the clock is left as it is. */
  readonly pinned_ms: number | null;
  /** As loads will be. */
  readonly chosen: Trial;
  /** Without the clock set, where it will be. */
  readonly before: Trial | null;
  /**
   * False: a trial failed, for what the next one may not meet (no browser, a time-out). It decides for the loads that follow now,
   * and is not kept for others.
   */
  readonly isSettled: boolean;
}

/** One trial load, or two. */
export async function tryRecording(home: string, recording: Recording, options: TrialOptions = {}): Promise<Tried> {
  const free = await trialLoad(home, recording, { ...options, pinned_ms: null });
  const moment_ms = momentOf(recording);
  if (moment_ms === null || isWhole(free))
    return { pinned_ms: null, chosen: free, before: null, isSettled: free.failure === null };
  const pinned = await trialLoad(home, recording, { ...options, pinned_ms: moment_ms });
  const isSettled = free.failure === null && pinned.failure === null;
  return raisesCoverage(free.coverage, pinned.coverage)
    ? { pinned_ms: moment_ms, chosen: pinned, before: free, isSettled }
    : { pinned_ms: null, chosen: free, before: null, isSettled };
}
