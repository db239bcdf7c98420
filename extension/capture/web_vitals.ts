// What a page's timeline says of its load -> its metrics (TTFB, DCL, PLT, FCP, LCP, CLS, TBT), and why one is missing. Pure.
// INP is not among them, because no one interacts with the page; it would be read in page_timeline.ts and computed here.
//
// The meanings are those of web-vitals: relative to activation, none for a page that was hidden before it painted. TTFB <=
// DCL <= PLT, TTFB <= FCP <= LCP. Navigation's times are exact to 0.1 ms; those of paints are when the frame was on the screen,
// which Chromium rounds up to 4 ms (Paint Timing), so that up to 4 ms of them are not the page's. FCP and PLT have no order.
import type { Metrics } from "../../schemas/generated/metrics.ts";
import type { UserTiming } from "../../schemas/generated/page_load.ts";

/** What the page answers. Times in ms since its time origin. */
export interface PageTimings {
  readonly navigations: number;
  readonly requestStart: number;
  readonly responseStart: number;
  readonly domContentLoadedEventEnd: number;
  readonly loadEventEnd: number;
  readonly activationStart: number;
  readonly firstHidden: number | null;
  readonly firstContentfulPaint: number | null;
  readonly largestContentfulPaint: number | null;
  /**
   * What that is the time of. `loaded`: of an image's arrival, because the browser keeps its paint to itself (from another
   * origin without Timing-Allow-Origin, before Chromium 133). `blank`: of blanks between images, which are no content.
   */
  readonly largestIs: "painted" | "loaded" | "blank";
  /** When it was read. */
  readonly read?: number;
  /** The page's own marks and measures. */
  readonly userTimings?: readonly UserTiming[];
}

const mostUserTimings = 200;

/** Of names that a page may choose at will, those that can be shown. */
function readUserTimings(value: readonly unknown[]): UserTiming[] {
  return value.slice(0, mostUserTimings).flatMap((each) => {
    const { kind, name, value_ms }: Record<string, unknown> = { ...(each as object) };
    const isShown = typeof name === "string" && /^\P{Cc}{1,100}$/u.test(name) && name.isWellFormed();
    const isTime = typeof value_ms === "number" && Number.isFinite(value_ms) && value_ms >= 0;
    return isShown && isTime && (kind === "mark" || kind === "measure") ? [{ kind, name, value_ms }] : [];
  });
}

/** The page's answer; null if it has another form. */
export function readTimings(value: unknown): PageTimings | null {
  if (typeof value !== "object" || value === null) return null;
  const record = value as Record<string, unknown>;
  const time = (key: keyof PageTimings): number => {
    const found = record[key];
    return typeof found === "number" && Number.isFinite(found) ? found : 0;
  };
  const optional = (key: keyof PageTimings): number | null => (typeof record[key] === "number" ? time(key) : null);
  return {
    navigations: time("navigations"),
    requestStart: time("requestStart"),
    responseStart: time("responseStart"),
    domContentLoadedEventEnd: time("domContentLoadedEventEnd"),
    loadEventEnd: time("loadEventEnd"),
    activationStart: time("activationStart"),
    firstHidden: optional("firstHidden"),
    firstContentfulPaint: optional("firstContentfulPaint"),
    largestContentfulPaint: optional("largestContentfulPaint"),
    ...(typeof record.read === "number" ? { read: time("read") } : {}),
    ...(Array.isArray(record.userTimings) ? { userTimings: readUserTimings(record.userTimings) } : {}),
    largestIs: record.largestIs === "loaded" || record.largestIs === "blank" ? record.largestIs : "painted",
  };
}

/** All metrics null, for one reason. */
export function noMetrics(reason: string): Metrics {
  const unavailable = { plt_ms: reason, ttfb_ms: reason, dcl_ms: reason, fcp_ms: reason, lcp_ms: reason };
  return { plt_ms: null, ttfb_ms: null, dcl_ms: null, fcp_ms: null, lcp_ms: null, unavailable };
}

/** Of a load that did not end, for this reason: what had come by then, and had come for good. A larger paint might have followed. */
export function earlyMetrics(timings: PageTimings | null, reason: string): Metrics {
  if (timings === null) return noMetrics(reason);
  const metrics = metricsOf(timings);
  return {
    ...metrics,
    ...{ plt_ms: null, lcp_ms: null },
    unavailable: { ...metrics.unavailable, plt_ms: reason, lcp_ms: reason },
  };
}

const unpainted = "no content was painted before the load was read";

/** The largest contentful paint's time, or why there is none. */
function largestOf({ firstContentfulPaint, largestContentfulPaint, largestIs }: PageTimings): number | string {
  if (largestContentfulPaint === null) return unpainted;
  // It hides what is smaller and came later: the largest image may be among that.
  if (largestIs === "blank")
    return "the browser took white space between images for the largest text and reports nothing else";
  const first = firstContentfulPaint ?? 0;
  // An image was painted when it was there and painting had begun, at the earliest.
  if (largestIs === "loaded") return Math.max(largestContentfulPaint, first);
  return largestContentfulPaint < first
    ? "the browser reported it before the first contentful paint"
    : largestContentfulPaint;
}

export function metricsOf(timings: PageTimings | null): Metrics {
  if (!timings || timings.navigations === 0) return noMetrics("the page reported no navigation timing");
  const unavailable: Record<string, string> = {};
  // A time origin of 0 and events that did not happen look alike in the API: both are 0.
  const since = (name: string, time: number | null, reason: string): number | null => {
    if (time !== null && time > 0) return Math.max(0, time - timings.activationStart);
    unavailable[name] = reason;
    return null;
  };
  const paint = (name: string, time: number | null, reason: string): number | null => {
    const hidden = timings.firstHidden !== null && (time === null || timings.firstHidden <= time);
    return since(name, hidden ? null : time, hidden ? "the page was hidden before it painted" : reason);
  };
  const largest = largestOf(timings);
  const [largest_ms, whyNot] = typeof largest === "number" ? [largest, ""] : [null, largest];
  return {
    plt_ms: since("plt_ms", timings.loadEventEnd, "the load event did not end"),
    ttfb_ms: since("ttfb_ms", timings.responseStart, "no response began"),
    dcl_ms: since("dcl_ms", timings.domContentLoadedEventEnd, "the document was not parsed to its end"),
    fcp_ms: paint("fcp_ms", timings.firstContentfulPaint, "nothing was painted before the load was read"),
    lcp_ms: paint("lcp_ms", largest_ms, whyNot),
    unavailable,
  };
}

/** What CLS and TBT are computed of. Times in ms since the page's time origin. */
export interface ClsTbt {
  /** Without those that followed an input. null: the browser does not report them. */
  readonly shifts: readonly { readonly start: number; readonly value: number }[] | null;
  /** Absent: it does. */
  readonly reportsLongTasks?: boolean;
  /** null: they were not watched for. */
  readonly longTasks: readonly { readonly start: number; readonly duration: number }[] | null;
}

const numbersOf = (value: unknown): Record<string, number> | null => {
  if (typeof value !== "object" || value === null) return null;
  const numbers = Object.entries(value).filter((pair): pair is [string, number] => Number.isFinite(pair[1]));
  return Object.fromEntries(numbers);
};

const listOf = (value: unknown): Record<string, number>[] =>
  (Array.isArray(value) ? value : []).map(numbersOf).filter((each) => each !== null);

/** The page's answer; null if it has another form. */
export function readClsTbt(value: unknown): ClsTbt | null {
  if (typeof value !== "object" || value === null) return null;
  const { shifts, longTasks, reportsLongTasks } = value as Record<string, unknown>;
  return {
    shifts: shifts === null ? null : listOf(shifts).map(({ start = 0, value: size = 0 }) => ({ start, value: size })),
    ...(reportsLongTasks === false ? { reportsLongTasks } : {}),
    longTasks: Array.isArray(longTasks)
      ? listOf(longTasks).map(({ start = 0, duration = 0 }) => ({ start, duration }))
      : null,
  };
}

const windowGap_ms = 1000;
const window_ms = 5000;

/** The largest sum of shifts in a window that is closed by 1 s without one, or after 5 s (web-vitals' CLS). */
export function cumulativeLayoutShift(shifts: NonNullable<ClsTbt["shifts"]>): number {
  let largest = 0;
  let sum = 0;
  let first = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { start, value } of shifts.toSorted((a, b) => a.start - b.start)) {
    if (start - last >= windowGap_ms || start - first >= window_ms) {
      sum = 0;
      first = start;
    }
    sum += value;
    last = start;
    largest = Math.max(largest, sum);
  }
  return largest;
}

const blockingFrom_ms = 50;

/**
 * What long tasks took beyond 50 ms, each cut to what is after `from_ms` before that is read (so does Lighthouse). Its sum
 * ends at the time to interactive; this one where the tasks do: when the page was quiet.
 */
export function totalBlockingTime(tasks: NonNullable<ClsTbt["longTasks"]>, from_ms: number): number {
  return tasks.reduce((sum, { start, duration }) => {
    const counted_ms = start + duration - Math.max(start, from_ms);
    return sum + Math.max(0, counted_ms - blockingFrom_ms);
  }, 0);
}

export function profileMetricsOf(timings: PageTimings | null, clsTbt: ClsTbt | null): Metrics {
  const metrics = metricsOf(timings);
  const unavailable: Record<string, string> = { ...metrics.unavailable };
  const missing = (name: string, reason: string): null => {
    unavailable[name] = reason;
    return null;
  };
  const painted = timings?.firstContentfulPaint ?? null;
  let cls: number | null = null;
  if (!clsTbt) cls = missing("cls", "the page reported no layout shifts");
  else if (clsTbt.shifts === null) cls = missing("cls", "this browser does not report layout shifts");
  else cls = Math.round(cumulativeLayoutShift(clsTbt.shifts) * 1e6) / 1e6;
  let tbt_ms: number | null = null;
  if (clsTbt?.reportsLongTasks === false) tbt_ms = missing("tbt_ms", "this browser does not report long tasks");
  else if (!clsTbt?.longTasks) tbt_ms = missing("tbt_ms", "long tasks were not watched while the page loaded");
  else if (painted === null)
    tbt_ms = missing("tbt_ms", "it counts from the first contentful paint, and nothing was painted");
  else tbt_ms = totalBlockingTime(clsTbt.longTasks, painted);
  return { ...metrics, cls, tbt_ms, unavailable };
}
