// When a page has come to rest after its load event: neither network nor main thread did anything for a while. Until then its largest
// contentful paint, layout shifts and long tasks are watched, on every lane alike; by a fixed time after the load event a slower lane's
// late parts would be in one lane's metrics and not in another's. Reads; judges nothing.
import { setTimeout as delay } from "node:timers/promises";
import { idleExpression } from "../../extension/capture/page_timeline.ts";
import type { EnginePage } from "../browser/engine.ts";

/** For so long no request is under way and no task takes 50 ms. */
export const quiet_ms = 500;
/** A page that polls, streams or animates for ever is read so long after its load event. */
export const quietAtMost_ms = 10_000;
const poll_ms = 50;

interface Quieting {
  readonly page: Pick<EnginePage, "underWay" | "evaluate">;
  /** At least so long. */
  readonly settle_ms: number;
  /** ms on a clock of the machine's; default: performance.now. */
  readonly now_ms?: () => number;
  readonly wait?: (time_ms: number) => Promise<unknown>;
}

/**
 * From the load event until the page is quiet: true; or as long as is waited at most: false. Rejects where the page
 * cannot be asked.
 */
export async function untilQuiet(quieting: Quieting): Promise<boolean> {
  const { page, settle_ms, now_ms = () => performance.now(), wait = delay } = quieting;
  const began_ms = now_ms();
  const since = (at_ms: number): number => now_ms() - at_ms;
  let changed_ms = began_ms;
  let seen = "";
  for (;;) {
    const { state } = page.underWay(0);
    if (state !== seen) changed_ms = now_ms();
    seen = state;
    const silent_ms = since(changed_ms);
    if (since(began_ms) >= Math.max(settle_ms, quietAtMost_ms)) return false;
    const isSilent = silent_ms >= quiet_ms && page.underWay(silent_ms).waitedFor === 0;
    // Asked last: the question itself is work for the page.
    if (isSilent && since(began_ms) >= settle_ms) {
      const idle_ms = Number(await page.evaluate(idleExpression));
      if (!(idle_ms < quiet_ms)) return true;
      await wait(quiet_ms - idle_ms);
    } else {
      const left_ms = Math.max(quiet_ms - silent_ms, settle_ms - since(began_ms));
      await wait(left_ms > 0 ? Math.min(poll_ms, left_ms) : poll_ms);
    }
  }
}
