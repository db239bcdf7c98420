// Whether loads of a recording would count, by the trial that is kept of it or one that is made now, on another device if its misses suggest one.
// What a trial is stands in cli/load/pin_decision.ts.
import { deviceWords } from "../browser/device.ts";
import { defaultMoment_ms } from "../browser/pin_time.ts";
import { momentOf, type Tried } from "../load/pin_decision.ts";
import { forgetRecorded } from "../load/recorded_requests_of.ts";
import type { TrialOptions } from "../load/trial.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { noteInRecording } from "../recording/archive/copy_recording.ts";
import { openResults } from "../results/store/results.ts";
import { pageTried, trialKey, trialToKeep } from "../sweep/plan/recording_trial.ts";
import { triedLine } from "../sweep/progress/progress_lines.ts";

/** What a trial load of a recording showed. */
export interface TrialFinding {
  /** Why its loads would not count, by what the page does; empty: they would, or the trial failed. */
  readonly outside: readonly string[];
  /** Why the trial shows nothing; null: it does. */
  readonly failure: string | null;
}

/** Noted in the recording, if its loads count on a device that their misses suggest. A live recording's device is known. */
async function onOtherDevice(
  home: string,
  recording: Recording,
  first: Tried,
  options: TrialOptions & { readonly say: (line: string) => void },
): Promise<{ recording: Recording; tried: Tried } | null> {
  if (recording.source.startsWith("live: ")) return null;
  const { tryDevices } = await import("../load/device_trials.ts");
  const found = await tryDevices(home, recording, first, options);
  if (found === null) return null;
  const noted = await withArchive(home, (archive) =>
    noteInRecording(archive, recording.name, { device: found.device }),
  );
  forgetRecorded(home, recording);
  options.say(
    `${recording.name}: its requests are those of ${deviceWords(found.device)}: it is loaded so (--device overrules)`,
  );
  return { recording: noted, tried: found.tried };
}

/**
 * Whether loads of the recording would count. What a new trial decided is kept, and said unless the recording is not raced for
 * it; one that failed is not kept: the next may not.
 */
export async function trialFinding(
  home: string,
  recording: Recording,
  options: TrialOptions & { readonly say: (line: string) => void },
): Promise<TrialFinding> {
  // The clock is not left to a trial, so there is nothing to decide and keep.
  if (options.serving?.pin_time) {
    const { trialLoad } = await import("../load/trial.ts");
    const pinned_ms = momentOf(recording) ?? defaultMoment_ms;
    return await trialLoad(home, recording, { ...options, pinned_ms });
  }
  using results = openResults(home);
  const known = results.trialOf(trialKey(recording));
  if (known !== null) return { outside: known.outside, failure: null };
  // The browser's library takes a while: only who needs it waits for it.
  const { tryRecording } = await import("../load/pin_decision.ts");
  const first = await tryRecording(home, recording, options);
  const onOther = first.chosen.outside.length > 0 ? await onOtherDevice(home, recording, first, options) : null;
  const { recording: loaded, tried } = onOther ?? { recording, tried: first };
  const { outside, failure } = tried.chosen;
  if (tried.isSettled) results.recordTrial(trialKey(loaded), trialToKeep(tried));
  if (outside.length === 0) options.say(triedLine(pageTried(loaded, tried)));
  return { outside, failure };
}
