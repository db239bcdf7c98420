// What a page's timeline tells of its load -> the metrics, and why one is missing. Pure.
//
// The meanings are those of web-vitals: relative to activation, none for a page that was hidden before it painted.
import type { Metrics } from "../../schemas/generated/page_load.ts";

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
}

/** The page's answer, or null where it is none. */
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
  };
}

/** All metrics null, for one reason. */
export function noMetrics(reason: string): Metrics {
  const unavailable = { plt_ms: reason, ttfb_ms: reason, dcl_ms: reason, fcp_ms: reason, lcp_ms: reason };
  return { plt_ms: null, ttfb_ms: null, dcl_ms: null, fcp_ms: null, lcp_ms: null, unavailable };
}

export function metricsOf(timings: PageTimings | null): Metrics {
  if (!timings || timings.navigations === 0) return noMetrics("the page told no navigation timing");
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
  return {
    plt_ms: since("plt_ms", timings.loadEventEnd, "the load event did not end"),
    ttfb_ms: since("ttfb_ms", timings.responseStart, "no response began"),
    dcl_ms: since("dcl_ms", timings.domContentLoadedEventEnd, "the document was not parsed to its end"),
    fcp_ms: paint("fcp_ms", timings.firstContentfulPaint, "nothing was painted until the load was read"),
    lcp_ms: paint("lcp_ms", timings.largestContentfulPaint, "no content was painted until the load was read"),
    unavailable,
  };
}
