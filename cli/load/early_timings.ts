// What a page had reached when its load timed out: its first byte and first paint are what they are, whatever its load event waited for.
// Asked of the page itself; one that is too busy to answer tells nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { PageTimings } from "../../extension/capture/metrics.ts";
import { timelineNow, timelineOf } from "../../extension/capture/page_timeline.ts";
import type { WatchedPage } from "../browser/page.ts";

/** Null: no answer within `patience_ms`, or no document came that was asked for, or another one in its place. */
export async function timingsSoFar(
  { capture, evaluate }: Pick<WatchedPage, "capture" | "evaluate">,
  patience_ms: number,
): Promise<PageTimings | null> {
  if (capture.documents.length !== 1) return null;
  const answer = await Promise.race([
    evaluate(timelineNow).catch(() => null),
    delay(patience_ms, null, { ref: false }),
  ]);
  return timelineOf(answer).timings;
}
