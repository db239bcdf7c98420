// What a page's performance timeline says of its load, read once and afterwards: paint timings are in the timeline, the
// largest contentful paint's candidates and the layout shifts in observers' buffers, so no observer has to run in the
// page before its own scripts. Long tasks alone are reported only to an observer that is there when they happen: it is
// begun before the document's own scripts, in an isolated world, where no object is the page's.

import { type ClsTbt, type PageTimings, readClsTbt, readTimings } from "./web_vitals.ts";

export interface PageTimeline {
  readonly timings: PageTimings;
  readonly clsTbt: ClsTbt;
}

/** What of a page's globals is used. The types of browsers are not there where the command line is checked. */
interface PageScope {
  readonly performance: {
    now(): number;
    getEntriesByType(type: string): Entry[];
    getEntriesByName(name: string, type: string): Entry[];
  };
  readonly PerformanceObserver: {
    new (
      take: () => void,
    ): {
      observe(options: { type: string; buffered: true }): void;
      takeRecords(): Entry[];
      disconnect(): void;
    };
    readonly supportedEntryTypes: readonly string[];
  };
  readonly document: {
    readonly visibilityState: string;
    createTreeWalker(root: PageElement, what: number): { nextNode(): PageText | null };
  };
  getComputedStyle(element: PageElement, pseudo?: string): { readonly display: string; readonly content: string };
  readonly trilaneLongTasks?: { readonly entries: readonly Entry[]; readonly observer: { takeRecords(): Entry[] } };
}

interface Entry {
  readonly name: string;
  readonly startTime: number;
  readonly duration: number;
}

interface PageElement {
  readonly isConnected: boolean;
  readonly parentElement: PageElement | null;
}

interface PageText {
  readonly data: string;
  readonly parentElement: PageElement | null;
}

interface LargestEntry extends Entry {
  readonly renderTime: number;
  readonly loadTime: number;
  /** null: it has gone since, or is not the page's to see. */
  readonly element: PageElement | null;
}

interface NavigationEntry extends Entry {
  readonly requestStart: number;
  readonly responseStart: number;
  readonly domContentLoadedEventEnd: number;
  readonly loadEventEnd: number;
  readonly activationStart?: number;
}

interface ShiftEntry extends Entry {
  readonly hadRecentInput: boolean;
  readonly value: number;
}

/** Runs in the page, given to chrome.scripting or as text to DevTools: it may use nothing from outside itself. */
export function readTimeline(): PageTimeline {
  const scope = globalThis as unknown as PageScope;
  const { performance, PerformanceObserver, document: page } = scope;
  const buffered = (type: string): Entry[] => {
    try {
      const observer = new PerformanceObserver(() => {});
      observer.observe({ type, buffered: true });
      const entries = observer.takeRecords();
      observer.disconnect();
      return entries;
    } catch {
      return [];
    }
  };
  // Of a browser that does not tell them there would be none, which is not the same.
  const canObserve = (type: string): boolean => PerformanceObserver.supportedEntryTypes.includes(type);
  const showText = 4;
  const generated = (element: PageElement): boolean =>
    ["::before", "::after"].some((pseudo) => /^["']|\(/.test(scope.getComputedStyle(element, pseudo).content));
  // Chromium gives text to the nearest ancestor that is a block, and takes blanks between images for text, which they are
  // not for the first contentful paint (https://github.com/w3c/largest-contentful-paint/issues/163).
  const hasBlanksOnly = (block: PageElement): boolean => {
    let blanks = 0;
    const texts = page.createTreeWalker(block, showText);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      let within = text.parentElement;
      let inline = true;
      while (inline && within && within !== block) {
        inline = /^(inline|contents)$/.test(scope.getComputedStyle(within).display);
        if (inline && generated(within)) return false;
        within = within.parentElement;
      }
      if (!inline) continue;
      if (/\S/.test(text.data)) return false;
      blanks++;
    }
    return blanks > 0 && !generated(block) && scope.getComputedStyle(block).display !== "list-item";
  };
  const kindOf = ({ renderTime, loadTime, element }: LargestEntry): PageTimings["largestIs"] => {
    if (loadTime > 0) return renderTime > 0 ? "painted" : "loaded";
    return element?.isConnected && hasBlanksOnly(element) ? "blank" : "painted";
  };
  const navigations = performance.getEntriesByType("navigation") as NavigationEntry[];
  const navigation = navigations[0];
  const firstInput = buffered("first-input")[0]?.startTime ?? Number.POSITIVE_INFINITY;
  const hidden = buffered("visibility-state").find(({ name }) => name === "hidden");
  const { visibilityState } = page;
  // Of this type only: the page's own marks may have any name.
  const paint = performance.getEntriesByName("first-contentful-paint", "paint")[0];
  // By its definition it ends with the first input, and when the page is hidden.
  const last = Math.min(firstInput, hidden ? hidden.startTime : Number.POSITIVE_INFINITY);
  const largest = (buffered("largest-contentful-paint") as LargestEntry[]).findLast(
    ({ startTime }) => startTime < last,
  );
  const longTasks = scope.trilaneLongTasks;
  const userTimings = (["mark", "measure"] as const).flatMap((kind) => {
    const names = new Set<string>();
    return performance.getEntriesByType(kind).flatMap(({ name, startTime, duration }) => {
      if (names.has(name) || names.size >= 100) return [];
      names.add(name);
      return [{ kind, name, value_ms: kind === "mark" ? startTime : duration }];
    });
  });
  return {
    timings: {
      userTimings,
      navigations: navigations.length,
      requestStart: navigation?.requestStart ?? 0,
      responseStart: navigation?.responseStart ?? 0,
      domContentLoadedEventEnd: navigation?.domContentLoadedEventEnd ?? 0,
      loadEventEnd: navigation?.loadEventEnd ?? 0,
      activationStart: navigation?.activationStart ?? 0,
      firstHidden: hidden ? hidden.startTime : visibilityState === "hidden" ? 0 : null,
      firstContentfulPaint: paint ? paint.startTime : null,
      largestContentfulPaint: largest ? largest.startTime : null,
      read: performance.now(),
      largestIs: largest ? kindOf(largest) : "painted",
    },
    clsTbt: {
      shifts: canObserve("layout-shift")
        ? (buffered("layout-shift") as ShiftEntry[])
            .filter(({ hadRecentInput }) => !hadRecentInput)
            .map(({ startTime, value }) => ({ start: startTime, value }))
        : null,
      reportsLongTasks: canObserve("longtask"),
      longTasks: longTasks
        ? [...longTasks.entries, ...longTasks.observer.takeRecords()].map(({ startTime, duration }) => ({
            start: startTime,
            duration,
          }))
        : null,
    },
  };
}

/** For Page.addScriptToEvaluateOnNewDocument, in the world that timelineExpression is evaluated in later. */
export const longTasksScript = `
  globalThis.trilaneLongTasks = { entries: [] };
  globalThis.trilaneLongTasks.observer = new PerformanceObserver((list) => {
    globalThis.trilaneLongTasks.entries.push(...list.getEntries());
  });
  globalThis.trilaneLongTasks.observer.observe({ type: "longtask", buffered: true });
`;

/** How long ago the last long task ended, in ms; infinite: there was none, or they were not watched for. */
export const idleExpression = `(() => {
  const watched = globalThis.trilaneLongTasks;
  if (!watched) return Infinity;
  watched.entries.push(...watched.observer.takeRecords());
  return performance.now() - Math.max(-Infinity, ...watched.entries.map((task) => task.startTime + task.duration));
})()`;

// What the load event finds loaded is drawn in the next frame, and its time is known when that frame is on the screen. The
// frames are a pipeline, one waiting for the other: the third or fourth request for one found the time known (of 15 loads of
// an image, on a busy machine too), the second did not in most.
const frames = 5;
// A page that draws nothing (it is hidden, or busy for ever) is not waited for longer than this.
const longest_ms = 1000;

/** The page's PageTimeline as it is. */
export const timelineNow = `(${readTimeline})()`;

/** A promise of the page's PageTimeline, once what it loaded is on the screen. */
export const timelineExpression = `(async () => {
  const drawn = (async () => {
    for (let frame = 0; frame < ${frames}; frame++) await new Promise(requestAnimationFrame);
  })();
  const late = document.visibilityState === "hidden" ? 0 : ${longest_ms};
  await Promise.race([drawn, new Promise((done) => setTimeout(done, late))]);
  return ${timelineNow};
})()`;

/** The page's answer; null where it is none. */
export function timelineOf(answer: unknown): { timings: PageTimings | null; clsTbt: ClsTbt | null } {
  const values = (answer ?? {}) as Partial<Record<keyof PageTimeline, unknown>>;
  return { timings: readTimings(values.timings), clsTbt: readClsTbt(values.clsTbt) };
}
