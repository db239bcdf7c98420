// A profile without loading anything and without the debugger: what the page's own performance timeline says of the load
// that it had. Less detail: no headers, no connections, no failures before their time, little of other sites' requests
// that do not allow it (Timing-Allow-Origin).
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { type PageTimeline, readTimeline, timelineOf } from "../capture/page_timeline.ts";
import { profileOf } from "../capture/profile.ts";
import { readVideos, type WatchedFrame } from "../capture/video_watch.ts";
import { pageVideosOf } from "../capture/videos.ts";
import { profileMetricsOf } from "../capture/web_vitals.ts";
import { putProfile } from "../history/history.ts";
import { browserFacts } from "./browser_facts.ts";
import { attachFailure } from "./debugger_session.ts";
import { FailureError } from "./failure.ts";
import { observedEntry } from "./observed_entry.ts";
import { tabUrl } from "./profiling.ts";
import { type ObservedPage, readPage } from "./read_page.ts";

interface Answered {
  readonly timeline: PageTimeline;
  readonly observed: ObservedPage;
  /** Of the page and those frames that the extension may look into; the page's first. */
  readonly frames: readonly WatchedFrame[];
}

async function ask(tabId: number, url: string): Promise<Answered> {
  const target = { tabId };
  try {
    const [[first], [second], videos] = await Promise.all([
      chrome.scripting.executeScript({ target, func: readTimeline }),
      chrome.scripting.executeScript({ target, func: readPage }),
      // Frames that it may not look into are left out, and a page that has none but these is not.
      chrome.scripting.executeScript({ target: { ...target, allFrames: true }, func: readVideos }).catch(() => []),
    ]);
    const frames = videos
      .toSorted((a, b) => a.frameId - b.frameId)
      .flatMap(({ result }) => (result as WatchedFrame) ?? []);
    // The tab may go on to another page between the two.
    if (first?.result && second?.result && first.documentId === second.documentId)
      return { timeline: first.result as PageTimeline, observed: second.result as ObservedPage, frames };
  } catch (error) {
    throw attachFailure(error instanceof Error ? error.message : String(error), url);
  }
  throw new FailureError("no-page", "The page did not answer.", "Wait until it is there, then try again.");
}

const missing = "Pages cannot see how HTTP/3 was discovered. Profile with a reload to see why.";

/** The finished profile's id. FailureError where the page may not be looked into. */
export async function observeTab(tabId: number): Promise<string> {
  const url = await tabUrl(tabId);
  const { timeline, observed, frames } = await ask(tabId, url);
  const entries: HarEntry[] = observed.resources
    .filter(({ name }) => /^https?:/i.test(name))
    .map((resource, place) => observedEntry(resource, place, observed.timeOrigin_ms, observed.url))
    .sort((a, b) => a._trilane.start_ns - b._trilane.start_ns);
  const { timings, clsTbt } = timelineOf(timeline);
  const metrics = profileMetricsOf(timings, clsTbt);
  const [main = null, ...children] = frames;
  const opaque = entries.filter(({ response, _fromCache }) => response.status === 0 && _fromCache === undefined).length;
  const end_ms = entries.reduce((end, { _trilane, time }) => Math.max(end, _trilane.startOffset_ms + time), 0);
  const id = crypto.randomUUID();
  const profile = profileOf({
    id,
    version: TRILANE_VERSION,
    url: observed.url,
    title: observed.title,
    kind: "observed",
    cache: null,
    started: new Date(observed.timeOrigin_ms).toISOString(),
    wall_ms: end_ms,
    ended: null,
    metrics,
    videos: pageVideosOf({ main, children, silent: 0, beyond: 0 }),
    entries,
    onContentLoad_ms: metrics.dcl_ms,
    onLoad_ms: metrics.plt_ms,
    notes: [
      {
        about: "detail",
        text: "Read from the page's own timeline after it loaded, without the debugger. Headers, connections, contents and requests of frames are missing; profile with a reload to see them.",
      },
      ...(opaque > 0
        ? [
            {
              about: "requests" as const,
              text: `${opaque} of ${entries.length} requests went to other sites that hide the details (no Timing-Allow-Origin): only their start and end are known.`,
            },
          ]
        : []),
      ...(observed.full
        ? [
            {
              about: "requests" as const,
              text: "The page's timeline is full (by default it holds 250 requests): later requests are missing.",
            },
          ]
        : []),
    ],
    browser: browserFacts(),
  });
  for (const host of profile.log._trilane.h3) if (host.why !== "") host.why = missing;
  await putProfile(profile);
  return id;
}
