// To which moment the clock of a recording's loads is set, where it is set. Pure.

import { defaultMoment_ms } from "../browser/pin_time.ts";
import type { Recording } from "../recording/archive/archive.ts";

/** The moment of a recording that was made with --pin-time, or else its date; null: not known. */
export function momentOf({ notes, recorded_at }: Pick<Recording, "notes" | "recorded_at">): number | null {
  const { recorded } = notes;
  const isPinned = typeof recorded === "object" && recorded !== null && "pin_time" in recorded && recorded.pin_time;
  if (isPinned === true) return defaultMoment_ms;
  const moment_ms = recorded_at === null ? Number.NaN : Date.parse(recorded_at);
  return Number.isFinite(moment_ms) ? moment_ms : null;
}
