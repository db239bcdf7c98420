// When a page has come to rest after its load event: neither network nor main thread did anything for a while; and what its own timeline says
// then, read in a world of ours that it cannot reach. Until then its largest contentful paint, layout shifts and long tasks are watched, on every
// lane alike; by a fixed time after the load event a slower lane's late parts would be in one lane's metrics and not in another's. Judges nothing.
import { setTimeout as delay } from "node:timers/promises";
import { idleExpression, timelineExpression, timelineNow, timelineOf } from "../../extension/capture/page_timeline.ts";
import { pageVideosOf } from "../../extension/capture/videos.ts";
import type { ClsTbt, PageTimings } from "../../extension/capture/web_vitals.ts";
import type { PageVideos, Watched } from "../../schemas/generated/page_load.ts";
import type { EnginePage } from "../browser/engine.ts";
import { NavigationError } from "../browser/page.ts";
import { type NextHops, nextHopsExpression, nextHopsOf } from "./next_hops.ts";

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
 * cannot be queried.
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
    // Last: the question itself is work for the page.
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

export interface PageReading {
  readonly timings: PageTimings | null;
  readonly clsTbt: ClsTbt | null;
  readonly videos: PageVideos | null;
  readonly nextHops: NextHops;
  /** Until when, and whether the page was quiet then. */
  readonly watched: Watched | null;
}

export const nothingRead: PageReading = {
  timings: null,
  clsTbt: null,
  videos: null,
  nextHops: new Map(),
  watched: null,
};

/** How long a browser or page that died takes to say so. */
export const causePatience_ms = 300;
/** A frame in a process of its own may be busy for ever. */
const videosTimeout_ms = 1_000;

const watchedUntil = (timings: PageTimings | null, quiet: boolean): Watched | null =>
  timings?.read !== undefined ? { until_ms: Math.max(0, timings.read - timings.activationStart), quiet } : null;

/** The page's times once it is quiet; those at its load event, if it has given way to another page by then. */
export async function readAtRest(page: EnginePage, settle_ms: number): Promise<PageReading> {
  const atLoad = page.evaluate(timelineExpression).then(timelineOf);
  atLoad.catch(() => undefined);
  try {
    const quiet = await untilQuiet({ page, settle_ms });
    await atLoad;
    // What a quiet page drew has been on the screen for long.
    const read = timelineOf(await page.evaluate(quiet ? timelineNow : timelineExpression));
    const videos = pageVideosOf(await page.videos(delay(videosTimeout_ms, undefined, { ref: false })));
    const nextHops = nextHopsOf(await page.evaluate(nextHopsExpression));
    return { ...read, videos, nextHops, watched: watchedUntil(read.timings, quiet) };
  } catch (error) {
    if (!(error instanceof NavigationError)) throw error;
    // The end of a browser or page is reported a moment later, and has no metrics.
    await delay(causePatience_ms);
    const read = await atLoad;
    return { ...nothingRead, ...read, watched: watchedUntil(read.timings, false) };
  }
}
