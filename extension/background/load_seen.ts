// One load of a tab's page, as profiling requests it and gets it, whatever watched it: the debugger (page_load.ts) or, in Firefox, what the
// browser reports of its requests (watched_load.ts): its types, and when it ends.

import type { ProfileParts } from "../capture/profile.ts";
import type { ClsTbt, PageTimings } from "../capture/web_vitals.ts";
import type { HeldBodies } from "./held_bodies.ts";
import type { Ended } from "./main_document.ts";

export interface LoadRequest {
  readonly tabId: number;
  readonly url: string;
  readonly cache: "on" | "off";
  readonly keepBodies: boolean;
  /** From the reload to the load event. */
  readonly timeout_ms: number;
}

export interface LoadSeen
  extends Pick<ProfileParts, "entries" | "started" | "onContentLoad_ms" | "onLoad_ms" | "notes"> {
  readonly ended: Ended;
  readonly timings: PageTimings | null;
  readonly clsTbt: ClsTbt | null;
  readonly videos: NonNullable<ProfileParts["videos"]> | null;
  readonly title: string;
  /** Of the document that was shown last; null: none was. */
  readonly url: string | null;
  /** The browser's own word for why it shows an error page instead. */
  readonly failure: string | null;
  readonly bodies: HeldBodies | null;
  readonly wall_ms: number;
}

export interface RunningLoad {
  /** Ends it with what was seen. */
  stop(): void;
  readonly seen: Promise<LoadSeen>;
}

export interface LoadListener {
  /** How many were sent, reported not more often than a person can read it. */
  requests(count: number): void;
  settling(): void;
}

const quiet_ms = 1000;
const settleAtMost_ms = 10_000;
/** A request that lasts longer is a stream, which the page's rest does not wait for. */
const streamAfter_ms = 5000;
export const answerTimeout_ms = 5000;
const poll_ms = 100;
const reportEvery_ms = 500;

export const wait = (time_ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time_ms));

/** null: it failed, or took longer. */
export function within<T>(promise: Promise<T>, time_ms: number): Promise<T | null> {
  return Promise.race([promise.catch(() => null), wait(time_ms).then(() => null)]);
}

/** What a load's watcher knows while it lasts. */
interface Watched {
  /** Requests so far. */
  readonly count: () => number;
  readonly isLoaded: () => boolean;
  readonly whenLoaded: Promise<unknown>;
  readonly lastChange_ms: () => number;
  /** Whether a request is under way, after so long without a change. */
  readonly isWaiting: (silent_ms: number) => boolean;
}

/** The loaded page has come to rest, or does not. */
async function restOf({ whenLoaded, lastChange_ms, isWaiting }: Watched, listener: LoadListener): Promise<Ended> {
  await whenLoaded;
  listener.settling();
  const until_ms = performance.now() + settleAtMost_ms;
  for (;;) {
    const now_ms = performance.now();
    const silent_ms = now_ms - lastChange_ms();
    const isSilent = silent_ms >= quiet_ms && (silent_ms >= streamAfter_ms || !isWaiting(silent_ms));
    if (isSilent || now_ms >= until_ms) return "quiet";
    await wait(poll_ms);
  }
}

/** How it ended: as the watcher says by `end`, at rest, or by its time limit. Meanwhile the listener gets the number of requests. */
export async function endOf(
  end: PromiseWithResolvers<Ended>,
  { timeout_ms }: LoadRequest,
  listener: LoadListener,
  watched: Watched,
): Promise<Ended> {
  let reported = 0;
  // Not at each event: the machine is at work for the page.
  const reports = setInterval(() => {
    const count = watched.count();
    if (count !== reported) listener.requests(count);
    reported = count;
  }, reportEvery_ms);
  const limit = setTimeout(() => {
    if (!watched.isLoaded()) end.resolve("timeout");
  }, timeout_ms);
  restOf(watched, listener).then(end.resolve, end.reject);
  return await end.promise.finally(() => {
    clearTimeout(limit);
    clearInterval(reports);
  });
}
