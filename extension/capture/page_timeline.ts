// What a page's performance timeline tells of its load, read once and afterwards: paint timings are in the timeline, the
// largest contentful paint's candidates and the layout shifts in observers' buffers, so no observer has to run in the
// page before its own scripts. Long tasks alone are told only to an observer that is there when they happen: it is
// begun before the document's own scripts, in an isolated world, where no object is the page's.
import { type PageTimings, readTimings } from "./metrics.ts";
import { readSteadiness, type Steadiness } from "./steadiness.ts";

export interface PageTimeline {
  readonly timings: PageTimings;
  readonly steadiness: Steadiness;
}

/** What of a page's globals is used. The types of browsers are not there where the command line is checked. */
interface PageScope {
  readonly performance: {
    getEntriesByType(type: string): Entry[];
    getEntriesByName(name: string, type: string): Entry[];
  };
  readonly PerformanceObserver: new (
    take: () => void,
  ) => {
    observe(options: { type: string; buffered: true }): void;
    takeRecords(): Entry[];
    disconnect(): void;
  };
  readonly document: { readonly visibilityState: string };
  readonly trilaneLongTasks?: { readonly told: readonly Entry[]; readonly observer: { takeRecords(): Entry[] } };
}

interface Entry {
  readonly name: string;
  readonly startTime: number;
  readonly duration: number;
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
  const { performance, PerformanceObserver } = scope;
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
  const navigations = performance.getEntriesByType("navigation") as NavigationEntry[];
  const navigation = navigations[0];
  const hidden = buffered("visibility-state").find(({ name }) => name === "hidden");
  const { visibilityState } = scope.document;
  // Of this type only: the page's own marks may have any name.
  const paint = performance.getEntriesByName("first-contentful-paint", "paint")[0];
  const largest = buffered("largest-contentful-paint").at(-1);
  const longTasks = scope.trilaneLongTasks;
  return {
    timings: {
      navigations: navigations.length,
      requestStart: navigation?.requestStart ?? 0,
      responseStart: navigation?.responseStart ?? 0,
      domContentLoadedEventEnd: navigation?.domContentLoadedEventEnd ?? 0,
      loadEventEnd: navigation?.loadEventEnd ?? 0,
      activationStart: navigation?.activationStart ?? 0,
      firstHidden: hidden ? hidden.startTime : visibilityState === "hidden" ? 0 : null,
      firstContentfulPaint: paint ? paint.startTime : null,
      largestContentfulPaint: largest ? largest.startTime : null,
    },
    steadiness: {
      shifts: (buffered("layout-shift") as ShiftEntry[])
        .filter(({ hadRecentInput }) => !hadRecentInput)
        .map(({ startTime, value }) => ({ start: startTime, value })),
      longTasks: longTasks
        ? [...longTasks.told, ...longTasks.observer.takeRecords()].map(({ startTime, duration }) => ({
            start: startTime,
            duration,
          }))
        : null,
    },
  };
}

/** For Page.addScriptToEvaluateOnNewDocument, in the world that timelineExpression is evaluated in later. */
export const longTasksScript = `
  globalThis.trilaneLongTasks = { told: [] };
  globalThis.trilaneLongTasks.observer = new PerformanceObserver((list) => {
    globalThis.trilaneLongTasks.told.push(...list.getEntries());
  });
  globalThis.trilaneLongTasks.observer.observe({ type: "longtask", buffered: true });
`;

// A page is drawn, and the drawing told, some frames after its load event. A page that draws nothing (hidden, or with
// nothing to show) is not waited for longer than this.
const lastFrames_ms = 120;

/** A promise of the page's PageTimeline, once what it loaded is drawn. */
export const timelineExpression = `(async () => {
  const framesDrawn = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const painted = new Promise((done) => {
    const observer = new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint", "paint").length > 0) done();
    });
    observer.observe({ type: "paint", buffered: true });
  });
  await Promise.race([
    Promise.all([framesDrawn, painted]),
    new Promise((done) => setTimeout(done, ${lastFrames_ms})),
  ]);
  return (${readTimeline})();
})()`;

/** The same of its PageTimings alone. */
export const timingsExpression = `${timelineExpression}.then(({ timings }) => timings)`;

/** The page's answer; null where it is none. */
export function timelineOf(answer: unknown): { timings: PageTimings | null; steadiness: Steadiness | null } {
  const told = (answer ?? {}) as Partial<Record<keyof PageTimeline, unknown>>;
  return { timings: readTimings(told.timings), steadiness: readSteadiness(told.steadiness) };
}
