// What a document says of the requests that it made: its performance timeline (Resource Timing, Navigation Timing), copied out.
import type { ObservedResource } from "./observed_entry.ts";

export interface ObservedPage {
  readonly url: string;
  readonly title: string;
  readonly timeOrigin_ms: number;
  readonly resources: readonly ObservedResource[];
  /** More requests were made than the page's timeline has room for. */
  readonly full: boolean;
}

/** Runs in the page, in the extension's isolated world: nothing from outside but its arguments. */
export function readPage(): ObservedPage {
  const fields = [
    "name",
    "entryType",
    "initiatorType",
    "nextHopProtocol",
    "deliveryType",
    "startTime",
    "workerStart",
    "redirectStart",
    "fetchStart",
    "domainLookupStart",
    "domainLookupEnd",
    "connectStart",
    "secureConnectionStart",
    "connectEnd",
    "requestStart",
    "responseStart",
    "responseEnd",
    "transferSize",
    "encodedBodySize",
    "decodedBodySize",
    "responseStatus",
    "contentType",
  ];
  const pick = (entry: PerformanceEntry): ObservedResource => {
    const all = entry as unknown as Record<string, unknown>;
    return Object.fromEntries(fields.map((field) => [field, all[field]])) as unknown as ObservedResource;
  };
  const resources = performance.getEntriesByType("resource");
  return {
    url: location.href,
    title: document.title,
    timeOrigin_ms: performance.timeOrigin,
    resources: [...performance.getEntriesByType("navigation"), ...resources].map(pick),
    full: resources.length >= 250 && resources.length % 250 === 0,
  };
}
