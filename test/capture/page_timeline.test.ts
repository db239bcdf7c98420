// What is asked of a page: the function runs from its text alone, in a page that has everything and in one that has little.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import {
  longTasksScript,
  type PageTimeline,
  readTimeline,
  timelineExpression,
  timingsExpression,
} from "../../extension/capture/page_timeline.ts";

type Entries = Readonly<Record<string, readonly object[]>>;

/** A page's globals with this timeline, and nothing else: what the function takes from elsewhere is not there. */
function pageWith(entries: Entries): object {
  const ofType = (type: string): readonly object[] => entries[type] ?? [];
  class PerformanceObserver {
    #records: readonly object[] = [];
    readonly #take: (list: object) => void;
    constructor(take: (list: object) => void) {
      this.#take = take;
    }
    observe({ type }: { type: string }): void {
      if (type === "layout-shift" && !entries[type]) throw new TypeError("no such type");
      this.#records = ofType(type);
      if (type === "paint" || type === "longtask")
        this.#take({ getEntries: () => ofType(type), getEntriesByName: () => ofType(type) });
    }
    takeRecords(): readonly object[] {
      return this.#records;
    }
    disconnect(): void {}
  }
  const performance = { getEntriesByType: ofType, getEntriesByName: (_: string, type: string) => ofType(type) };
  return createContext({
    performance,
    PerformanceObserver,
    document: { visibilityState: "visible" },
    requestAnimationFrame: (done: () => void) => setImmediate(done),
    setTimeout: () => {},
  });
}

const whole: Entries = {
  navigation: [
    {
      requestStart: 3,
      responseStart: 20,
      domContentLoadedEventEnd: 50,
      loadEventEnd: 90,
      activationStart: 1,
    },
  ],
  paint: [{ name: "first-contentful-paint", startTime: 60 }],
  "largest-contentful-paint": [{ startTime: 60 }, { startTime: 75 }],
  "visibility-state": [
    { name: "visible", startTime: 0 },
    { name: "hidden", startTime: 500 },
  ],
  "layout-shift": [
    { startTime: 10, value: 0.1, hadRecentInput: false },
    { startTime: 11, value: 0.2, hadRecentInput: true },
  ],
  longtask: [{ startTime: 30, duration: 80 }],
};

// Objects of another context are not deeply equal to ours.
const read = (page: object): PageTimeline => JSON.parse(JSON.stringify(runInContext(`(${readTimeline})()`, page)));

test("the function takes nothing from outside itself, and reads the whole timeline", () => {
  assert.deepEqual(read(pageWith(whole)), {
    timings: {
      navigations: 1,
      requestStart: 3,
      responseStart: 20,
      domContentLoadedEventEnd: 50,
      loadEventEnd: 90,
      activationStart: 1,
      firstHidden: 500,
      firstContentfulPaint: 60,
      largestContentfulPaint: 75,
    },
    steadiness: { shifts: [{ start: 10, value: 0.1 }], longTasks: null },
  });
});

test("a page without a timeline answers too", () => {
  const { timings, steadiness } = read(pageWith({}));
  assert.deepEqual([timings.navigations, timings.firstHidden, timings.largestContentfulPaint], [0, null, null]);
  assert.deepEqual(steadiness, { shifts: [], longTasks: null });
});

test("long tasks are told where the script ran before the page's own", () => {
  const page = pageWith(whole);
  runInContext(longTasksScript, page);
  // Once to the observer, and once as a record that it was not told of yet.
  const task = { start: 30, duration: 80 };
  assert.deepEqual(read(page).steadiness.longTasks, [task, task]);
});

test("the expressions give a promise of it, once the page is drawn", async () => {
  const page = pageWith(whole);
  const timeline = (await runInContext(timelineExpression, page)) as PageTimeline;
  assert.equal(timeline.timings.loadEventEnd, 90);
  const timings = (await runInContext(timingsExpression, page)) as PageTimeline["timings"];
  assert.equal(timings.firstContentfulPaint, 60);
});
