// What every execution of a plan has: what it begins on, how its sweep begins, how it waits outside of its runs, how it gives its sweep up,
// and what it says if it was stopped. Runs nothing.
import { constants, cpus, release } from "node:os";
import type { SweepStopped } from "../../schemas/generated/sweep_event.ts";
import { EndedEarlyError, endedEarlyStatus } from "../base/errors.ts";
import { say } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import type { AnySweep, Environment, Results } from "../results/store/results.ts";
import { refuseChangedRecording, refuseChangedRecordings } from "../results/store/sweep_recordings.ts";
import type { AddedSweep, BegunSweep } from "../results/store/sweep_store.ts";
import type { Progress } from "../sweep/progress/progress.ts";
import { retryWhileBlocked, type Waiting } from "./blocking_conditions.ts";
import type { EarlyEnd } from "./early_end.ts";
import type { ExecutionTerms } from "./instrument.ts";

/** Versions and machine, for the report. */
export function machineEnvironment(): Environment {
  // Of the site under test, as GitHub and GitLab name it.
  const commit = process.env.GITHUB_SHA ?? process.env.CI_COMMIT_SHA ?? "";
  return {
    trilane: version,
    node: process.versions.node,
    kernel: release(),
    cpu: cpus()[0]?.model.trim() ?? null,
    cpus: cpus().length,
    ...(/^[0-9a-f]{7,64}$/.test(commit) ? { commit } : {}),
  };
}

/** A sweep that begins or is resumed, with the recordings that it began with. A shard's runs once; null: it is finished. */
export function begunSweep<Sweep extends AnySweep>(
  results: Results,
  added: AddedSweep<Sweep>,
  { fresh, shard }: Pick<ExecutionTerms, "fresh" | "shard">,
): BegunSweep<Sweep> | null {
  const { again } = results.remedies;
  if (shard) {
    const refuseChanged = (before: Sweep): void => refuseChangedRecordings(before, added.environment, again);
    return results.beginOnce({ ...added, plan_digest: shard.plan_digest, refuseChanged });
  }
  // A plan's digest need not have that of its recording.
  const refuseChanged = ({ id }: Sweep): void =>
    refuseChangedRecording("the recording", id, results.recordingOf(id), added.recording_digest ?? null, again);
  return results.begin({ ...added, refuseChanged }, fresh);
}

/** `sweep`: null before there is one. `signal`: without it signals have their default, which is to end the process. */
export function waitingOf(
  earlyEnd: EarlyEnd | undefined,
  progress: Progress,
  sweep: number | null,
  signal = new AbortController().signal,
): Waiting {
  return {
    tell: (reason) => progress.tell({ event: "sweep-paused", sweep, reason }),
    mustEnd: () => earlyEnd !== undefined && earlyEnd() !== null,
    signal,
  };
}

/** Outside of the runs: waits, or throws EndedEarlyError with what is to be done. */
export async function held<T>(work: () => T | Promise<T>, waiting: Waiting, remedy: string): Promise<T> {
  const done = await retryWhileBlocked(work, waiting);
  if (done === null) throw new EndedEarlyError(`stopped while it waited: ${remedy}`);
  return done.written;
}

/** A sweep that cannot be given up (its disk is full) is free when this process has ended. */
export function releaseQuietly(results: Results, sweep: AnySweep): void {
  try {
    results.release(sweep.id);
  } catch {
    // What went wrong is on its way to the user already.
  }
}

/** Says that it ended early, and sets the exit status. */
export function reportStop(
  stopped: Omit<SweepStopped, "event">,
  noun: string,
  json: boolean,
  progress: Progress,
): void {
  const { done, loads, signal, asked } = stopped;
  if (json) progress.tell({ event: "sweep-stopped", ...stopped });
  else {
    const why = signal === null && asked !== null ? `: ${asked}` : "";
    say(`stopped${why}: ${done} of ${loads} ${noun} are kept; the same command resumes it`);
  }
  // As a shell has it.
  process.exitCode = signal === null ? endedEarlyStatus : 128 + constants.signals[signal];
}
