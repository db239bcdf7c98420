// The metrics of schemas/metrics.schema.json: what each is called and means, for the extension, the exports, the results and
// the report. Which there are, the schema says. Computes none.
import type { Metrics } from "../../schemas/generated/metrics.ts";

export type PageMetric = Exclude<keyof Metrics, "unavailable">;

export interface MetricFacts {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
  /** A moment is a time since the navigation began, a duration another time, a score has no unit. */
  readonly kind: "moment" | "duration" | "score";
  /** Where HAR files of other programs have it: the page's fields, those of its pageTimings after a slash. */
  readonly inHar: readonly string[];
}

/** In the order in which people read them. */
export const metricFacts: Readonly<Record<PageMetric, MetricFacts>> = {
  plt_ms: {
    title: "PLT",
    meaning: "page load time: loadEventEnd - navigationStart",
    kind: "moment",
    inHar: ["/onLoad"],
  },
  ttfb_ms: {
    title: "TTFB",
    meaning: "time to first byte of the page: responseStart",
    kind: "moment",
    inHar: ["_TTFB"],
  },
  dcl_ms: {
    title: "DOMContentLoaded",
    meaning: "the document is parsed and its scripts ran: domContentLoadedEventEnd",
    kind: "moment",
    inHar: ["/onContentLoad"],
  },
  fcp_ms: {
    title: "FCP",
    meaning: "first contentful paint",
    kind: "moment",
    inHar: ["/_firstContentfulPaint", "_firstContentfulPaint"],
  },
  lcp_ms: {
    title: "LCP",
    meaning: "largest contentful paint",
    kind: "moment",
    inHar: ["/_largestContentfulPaint", "_chromeUserTiming.LargestContentfulPaint"],
  },
  cls: {
    title: "CLS",
    meaning: "cumulative layout shift: how much the page moved, no unit",
    kind: "score",
    inHar: ["_chromeUserTiming.CumulativeLayoutShift"],
  },
  tbt_ms: {
    title: "TBT",
    meaning: "total blocking time: of tasks after the first contentful paint, what took beyond 50 ms",
    kind: "duration",
    inHar: ["_TotalBlockingTime"],
  },
};

export const pageMetrics = Object.keys(metricFacts) as readonly PageMetric[];
