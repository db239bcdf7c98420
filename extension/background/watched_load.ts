// One load of a tab's page in Firefox, which gives extensions no debugger: reloads the tab, watches its requests, waits until the page has come
// to rest, and asks its frames for their times. What Firefox does not report is said in the profile's notes, never guessed.
import { type PageTimeline, readTimeline, timelineOf } from "../capture/page_timeline.ts";
import type { ProfileParts } from "../capture/profile.ts";
import { readVideos, type WatchedFrame } from "../capture/video_watch.ts";
import { pageVideosOf } from "../capture/videos.ts";
import { FailureError } from "./failure.ts";
import { documentNotes, openNote } from "./load_notes.ts";
import {
  answerTimeout_ms,
  endOf,
  type LoadListener,
  type LoadRequest,
  type LoadSeen,
  type RunningLoad,
  within,
} from "./load_seen.ts";
import type { Ended } from "./main_document.ts";
import { type ObservedPage, readPage } from "./read_page.ts";
import { type ObservedFrame, watchedEntries } from "./watched_entries.ts";
import { type WebRequest, watchRequests } from "./web_requests.ts";

const afterStop_ms = 1000;

/** What the document that is being left may still send before the new one's response; Early Hints send none of these. */
const ofOldDocument = new Set(["xmlhttprequest", "beacon", "ping", "sub_frame", "media"]);

const allSites = { origins: ["<all_urls>"] };

async function refuseUnwatchable({ url }: LoadRequest): Promise<void> {
  if (!/^https?:/i.test(url))
    throw new FailureError(
      "page-not-allowed",
      "In Firefox, extensions see the requests of web sites only: no files, and none of the browser's own pages.",
      "Open a page of a web site, then profile it.",
    );
  if (!(await chrome.permissions.contains(allSites)))
    throw new FailureError(
      "page-not-allowed",
      "Trilane may not see the requests of web sites.",
      "Allow it under about:addons, Trilane, Permissions: access your data for all websites.",
    );
}

/** The main document: which it is, and whether it came. */
interface Document {
  request: WebRequest | null;
  sentOn: number;
  isLoaded: boolean;
  failure: string | null;
}

async function framesOf(tabId: number): Promise<{ frameId: number; page: ObservedPage }[]> {
  const answers = await within(
    chrome.scripting.executeScript({ target: { tabId, allFrames: true }, func: readPage }),
    answerTimeout_ms,
  );
  return (answers ?? []).flatMap(({ frameId, result }) => (result ? [{ frameId, page: result as ObservedPage }] : []));
}

async function timelineIn(tabId: number): Promise<PageTimeline | null> {
  const answers = await within(
    chrome.scripting.executeScript({ target: { tabId }, func: readTimeline }),
    answerTimeout_ms,
  );
  return (answers?.[0]?.result as PageTimeline | undefined) ?? null;
}

async function videosIn(tabId: number): Promise<LoadSeen["videos"]> {
  const answers = await within(
    chrome.scripting.executeScript({ target: { tabId, allFrames: true }, func: readVideos }),
    answerTimeout_ms,
  );
  const [main = null, ...children] = (answers ?? [])
    .toSorted((a, b) => a.frameId - b.frameId)
    .flatMap(({ result }) => (result as WatchedFrame) ?? []);
  return pageVideosOf({ main, children, silent: 0, beyond: 0 });
}

type Notes = ProfileParts["notes"];

function firefoxNotes(compared: number, differing: number, hidden: number, all: number): Notes {
  const agreed =
    differing > 0
      ? ` The status line and the page's timeline name different protocols for ${differing} of ${compared} requests; the timeline's is shown.`
      : "";
  const behind =
    hidden > 0
      ? ` ${hidden} of ${all} requests have no times of name lookup, connection and TLS, because their site hides them (no Timing-Allow-Origin) or they were redirected.`
      : "";
  const text = `Firefox does not report connections, priorities, what a script requested, layout shifts, long tasks, and how it learnt of HTTP/3. It rounds a page's times to whole milliseconds.${behind}${agreed}`;
  return [{ about: "detail", text }];
}

/** Reloads, and returns when the reload is under way. FailureError if the tab may not be watched. */
export async function beginWatchedLoad(request: LoadRequest, listener: LoadListener): Promise<RunningLoad> {
  const { tabId, cache, keepBodies } = request;
  await refuseUnwatchable(request);
  const began_ms = Date.now();
  const requests: WebRequest[] = [];
  const document: Document = { request: null, sentOn: 0, isLoaded: false, failure: null };
  const end = Promise.withResolvers<Ended>();
  const loaded = Promise.withResolvers<void>();
  let gone = false;
  let isOver = false;
  let lastChange_ms = performance.now();

  const isOfLoad = (each: WebRequest): boolean => {
    const { request: main } = document;
    if (each.type === "main_frame" && each.requestId !== main?.requestId) {
      if (document.isLoaded) {
        end.resolve("navigated");
        return false;
      }
      if (main !== null) document.sentOn++;
      document.failure = null;
    } else if (main === null || (main.response_ms === null && ofOldDocument.has(each.type))) return false;
    if (each.type === "main_frame") document.request = each;
    return true;
  };
  const stopsUnlessSentOn = (main: WebRequest): void => {
    setTimeout(() => {
      if (!document.isLoaded && document.request === main) end.resolve(main.error === null ? "quiet" : "canceled");
    }, afterStop_ms);
  };
  const stopWatching = watchRequests(tabId, keepBodies, {
    began(each) {
      if (isOver || !isOfLoad(each)) return false;
      requests.push(each);
      lastChange_ms = performance.now();
      return true;
    },
    changed(each) {
      if (isOver) return;
      lastChange_ms = performance.now();
      if (each !== document.request || each.error === null) return;
      // It became a download, or was stopped; else the browser shows an error page.
      if (each.error === "NS_BINDING_ABORTED") stopsUnlessSentOn(each);
      else {
        document.failure = each.error;
        end.resolve("quiet");
      }
    },
  });
  const updated = (id: number, { status }: { status?: string }): void => {
    if (id !== tabId || status !== "complete" || document.request === null || document.isLoaded) return;
    document.isLoaded = true;
    loaded.resolve();
  };
  const removed = (id: number): void => {
    if (id !== tabId) return;
    gone = true;
    end.resolve("closed");
  };
  chrome.tabs.onUpdated.addListener(updated);
  chrome.tabs.onRemoved.addListener(removed);
  const stopListening = (): void => {
    stopWatching();
    chrome.tabs.onUpdated.removeListener(updated);
    chrome.tabs.onRemoved.removeListener(removed);
  };
  try {
    await chrome.tabs.reload(tabId, { bypassCache: cache === "off" });
  } catch {
    stopListening();
    throw new FailureError("no-page", "The tab was closed.", "Open the page again, then profile it.");
  }
  const isUnderWay = ({ end_ms }: WebRequest): boolean => end_ms === null;
  const watch = async (): Promise<LoadSeen> => {
    const ended = await endOf(end, request, listener, {
      count: () => requests.length,
      isLoaded: () => document.isLoaded,
      whenLoaded: loaded.promise,
      lastChange_ms: () => lastChange_ms,
      isWaiting: () => requests.some(isUnderWay),
    });
    isOver = true;
    const wall_ms = Date.now() - began_ms;
    stopListening();
    const { failure, sentOn } = document;
    const answers = !gone && ended !== "navigated" && failure === null && document.request?.response_ms !== null;
    const [answer, pages, videos, tab] = await Promise.all([
      answers ? timelineIn(tabId) : null,
      answers ? framesOf(tabId) : [],
      answers ? videosIn(tabId) : null,
      gone ? null : chrome.tabs.get(tabId).catch(() => null),
    ]);
    const { timings, clsTbt } = timelineOf(answer);
    const frames: ObservedFrame[] = pages.map(({ frameId, page }) => ({ frameId, ...page }));
    const main = frames.find(({ frameId }) => frameId === 0);
    const first_ms = requests[0]?.start_ms ?? began_ms;
    // Before the first of several documents nothing of the last one's clock is known.
    const origin_ms = main && sentOn === 0 ? Math.min(main.timeOrigin_ms, first_ms) : first_ms;
    const { entries, bodies, compared, differing, hidden } = watchedEntries(requests, frames, origin_ms);
    const since = (time_ms: number | undefined): number | null =>
      main === undefined || time_ms === undefined || time_ms <= 0 ? null : main.timeOrigin_ms + time_ms - origin_ms;
    const shown = document.request?.response_ms != null && failure === null ? (tab?.url ?? request.url) : null;
    return {
      entries,
      started: new Date(origin_ms).toISOString(),
      onContentLoad_ms: since(timings?.domContentLoadedEventEnd),
      onLoad_ms: since(timings?.loadEventEnd),
      notes: [
        ...documentNotes(ended, { failure, shown, sentOn }),
        ...openNote(requests.filter(isUnderWay).length),
        ...(requests.length > 0 ? firefoxNotes(compared, differing, hidden, requests.length) : []),
      ],
      ended,
      timings,
      clsTbt,
      videos,
      title: pages.find(({ frameId }) => frameId === 0)?.page.title ?? "",
      url: shown,
      failure,
      bodies: keepBodies && !gone ? bodies : null,
      wall_ms,
    };
  };
  return { stop: () => end.resolve("canceled"), seen: watch() };
}
