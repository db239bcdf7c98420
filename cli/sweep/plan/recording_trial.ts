// What trial loads of a recording showed (cli/load/pin_decision.ts), as it is kept and as it is said. Tries nothing.
import type { PageTried } from "../../../schemas/generated/sweep_event.ts";
import { deviceIn, usualDevice } from "../../browser/device.ts";
import type { Tried } from "../../load/pin_decision.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import type { RecordingTrial } from "../../results/store/recording_trials.ts";

/** The device that a recording is for, as text; null: the usual one. */
export function unusualDevice({ notes }: Pick<Recording, "notes">): string | null {
  const device = JSON.stringify(deviceIn(notes.device));
  return device === JSON.stringify(usualDevice) ? null : device;
}

/** By which what trials showed of a recording is kept: on another device it may be something else. */
export function trialKey({ digest, notes }: Pick<Recording, "digest" | "notes">): string {
  const device = unusualDevice({ notes });
  return device === null ? digest : `${digest} ${device}`;
}

export function trialToKeep({ pinned_ms, chosen }: Tried): RecordingTrial {
  return { moment_ms: pinned_ms, outside: chosen.outside };
}

export function pageTried(recording: Recording, { pinned_ms, chosen, before }: Tried): PageTried {
  const shares = ({ requests, bytes }: { requests: number; bytes: number }) => ({ requests, bytes });
  return {
    event: "page-tried",
    page: recording.name,
    coverage: chosen.coverage && shares(chosen.coverage),
    unpinned: before?.coverage ? shares(before.coverage) : null,
    pinned_to: pinned_ms === null ? null : new Date(pinned_ms).toISOString(),
    reason: chosen.failure ?? chosen.outside[0] ?? null,
  };
}
