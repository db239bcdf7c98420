// What is asked of a page: the function runs from its text alone, in a page that has everything and in one that has little.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import {
  idleExpression,
  longTasksScript,
  type PageTimeline,
  readTimeline,
  timelineExpression,
  timelineOf,
} from "../../extension/capture/page_timeline.ts";

type Entries = Readonly<Record<string, readonly object[]>>;

/** Of the DOM what is asked of it: where a text is, and what its elements' styles are. */
interface Made {
  readonly display: string;
  readonly before?: string;
  readonly children: readonly (Made | string)[];
}

class Element {
  readonly isConnected = true;
  readonly texts: { data: string; parentElement: Element }[] = [];
  readonly made: Made;
  readonly parentElement: Element | null;
  constructor(made: Made, parentElement: Element | null = null) {
    this.made = made;
    this.parentElement = parentElement;
    for (const child of made.children)
      this.texts.push(
        ...(typeof child === "string" ? [{ data: child, parentElement: this }] : new Element(child, this).texts),
      );
  }
}

const document = {
  visibilityState: "visible",
  createTreeWalker({ texts }: Element) {
    const left = [...texts];
    return { nextNode: () => left.shift() ?? null };
  },
};

function getComputedStyle({ made }: Element, pseudo?: string) {
  if (pseudo === undefined) return { display: made.display, content: "normal" };
  return { display: "inline", content: (pseudo === "::before" ? made.before : undefined) ?? "none" };
}

/** A page's globals with this timeline, and nothing else: what the function takes from elsewhere is not there. */
function pageWith(entries: Entries): object {
  const ofType = (type: string): readonly object[] => entries[type] ?? [];
  class PerformanceObserver {
    static readonly supportedEntryTypes = [...Object.keys(entries), ...(entries.paint ? ["longtask"] : [])];
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
  const performance = {
    now: () => 900,
    getEntriesByType: ofType,
    getEntriesByName: (_: string, type: string) => ofType(type),
  };
  return createContext({
    performance,
    PerformanceObserver,
    document,
    getComputedStyle,
    requestAnimationFrame: (done: () => void) => setImmediate(done),
    setTimeout: () => {},
  });
}

const whole: Entries = {
  navigation: [
    { requestStart: 3, responseStart: 20, domContentLoadedEventEnd: 50, loadEventEnd: 90, activationStart: 1 },
  ],
  paint: [{ name: "first-contentful-paint", startTime: 60 }],
  "largest-contentful-paint": [
    { startTime: 60, renderTime: 60, loadTime: 0 },
    { startTime: 75, renderTime: 0, loadTime: 75 },
  ],
  "visibility-state": [
    { name: "visible", startTime: 0 },
    { name: "hidden", startTime: 500 },
  ],
  "layout-shift": [
    { startTime: 10, value: 0.1, hadRecentInput: false },
    { startTime: 11, value: 0.2, hadRecentInput: true },
  ],
  longtask: [{ startTime: 30, duration: 80 }],
  mark: [
    { name: "ready", startTime: 40, duration: 0 },
    { name: "ready", startTime: 70, duration: 0 },
  ],
  measure: [{ name: "ready", startTime: 10, duration: 30 }],
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
      read: 900,
      largestIs: "loaded",
      userTimings: [
        { kind: "mark", name: "ready", value_ms: 40 },
        { kind: "measure", name: "ready", value_ms: 30 },
      ],
    },
    clsTbt: { shifts: [{ start: 10, value: 0.1 }], longTasks: null, reportsLongTasks: true },
  });
});

test("a page without a timeline answers too", () => {
  const { timings, clsTbt } = read(pageWith({}));
  assert.deepEqual([timings.navigations, timings.firstHidden, timings.largestContentfulPaint], [0, null, null]);
  assert.deepEqual(clsTbt, { shifts: null, longTasks: null, reportsLongTasks: false });
});

test("long tasks are told where the script ran before the page's own", () => {
  const page = pageWith(whole);
  runInContext(longTasksScript, page);
  // Once to the observer, and once as a record that it was not told of yet.
  const task = { start: 30, duration: 80 };
  assert.deepEqual(read(page).clsTbt.longTasks, [task, task]);
});

test("the largest paint is the last before the first input, and before the page was hidden", () => {
  const paint = (startTime: number) => ({ startTime, renderTime: startTime, loadTime: 0, element: null });
  const paints = [paint(60), paint(200), paint(700)];
  const largest = (entries: Entries): number | null =>
    read(pageWith({ ...entries, "largest-contentful-paint": paints })).timings.largestContentfulPaint;
  assert.equal(largest({}), 700);
  assert.equal(largest({ "first-input": [{ startTime: 300 }] }), 200);
  assert.equal(largest({ "visibility-state": [{ name: "hidden", startTime: 100 }] }), 60);
  assert.equal(largest({ "first-input": [{ startTime: 20 }] }), null);
});

test("idle is the time since the last long task, told or not", () => {
  const page = pageWith({
    longtask: [
      { startTime: 100, duration: 80 },
      { startTime: 300, duration: 400 },
    ],
  });
  assert.equal(runInContext(idleExpression, page), Number.POSITIVE_INFINITY);
  runInContext(longTasksScript, page);
  assert.equal(runInContext(idleExpression, page), 200);
});

test("text that is nothing but blanks is told apart, as the browser gives text to blocks", () => {
  const kind = (made: Made | null, loadTime = 0): string => {
    const element = made && new Element(made);
    const entry = { startTime: 60, renderTime: 60, loadTime, element };
    return read(pageWith({ "largest-contentful-paint": [entry] })).timings.largestIs;
  };
  const block = (...children: Made["children"]): Made => ({ display: "block", children });
  const inline = (...children: Made["children"]): Made => ({ display: "inline", children });
  assert.equal(kind(block("\n", " ")), "blank");
  assert.equal(kind(block("\n", inline(" ", inline("\n")))), "blank");
  assert.equal(kind(block("\n", { display: "inline-block", children: ["Buy"] }, " ")), "blank", "another block's text");
  assert.equal(kind(block("\n", { ...inline("Buy"), display: "contents" })), "painted");
  assert.equal(kind(block(" ", inline(inline("text")))), "painted");
  assert.equal(kind({ ...block(" "), before: '"text"' }), "painted", "of a style sheet");
  assert.equal(kind(block(" ", { ...inline(" "), before: "counter(n)" })), "painted");
  assert.equal(kind({ ...block(" "), display: "list-item" }), "painted", "its marker");
  assert.equal(kind(block()), "painted", "a field's text is not the page's to see");
  assert.equal(kind(null), "painted", "gone");
  assert.equal(kind(block(" "), 50), "painted", "an image");
});

test("the expression gives a promise of it, once the page is drawn", async () => {
  const page = pageWith(whole);
  const timeline = (await runInContext(timelineExpression, page)) as PageTimeline;
  assert.equal(timeline.timings.loadEventEnd, 90);
  assert.equal(timeline.timings.firstContentfulPaint, 60);
});

test("of a page's own marks those are taken whose names and times can be shown", () => {
  const timing = (name: unknown, value_ms: unknown, kind: unknown = "mark") => ({ kind, name, value_ms });
  const given = [
    timing("a b/\u00e9", 1),
    timing("", 1),
    timing("x".repeat(101), 1),
    timing("a\nb", 1),
    timing("\ud800", 1),
  ];
  const wrong = [timing("n", -1), timing("n", Number.NaN), timing("n", 1, "navigation"), null, 3, timing(3, 1)];
  const { timings } = timelineOf({ timings: { userTimings: [...given, ...wrong] } });
  assert.deepEqual(timings?.userTimings, [timing("a b/\u00e9", 1)]);
  assert.equal(timelineOf({ timings: {} }).timings?.userTimings, undefined);
});
