// An entry of the page's performance timeline (Resource Timing, Navigation Timing) -> a HAR entry. Pure. What the timeline
// does not tell is empty, null or -1, never guessed.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { harRequest } from "../capture/messages.ts";
import { urlWithoutCredentials } from "../capture/url_without_credentials.ts";

/** PerformanceResourceTiming as it was copied out of the page. Times in ms since the time origin; 0: not known. */
export interface ObservedResource {
  readonly name: string;
  readonly entryType: string;
  readonly initiatorType: string;
  readonly nextHopProtocol: string;
  readonly deliveryType?: string;
  readonly startTime: number;
  readonly workerStart: number;
  readonly redirectStart: number;
  readonly fetchStart: number;
  readonly domainLookupStart: number;
  readonly domainLookupEnd: number;
  readonly connectStart: number;
  readonly secureConnectionStart: number;
  readonly connectEnd: number;
  readonly requestStart: number;
  readonly responseStart: number;
  readonly responseEnd: number;
  readonly transferSize: number;
  readonly encodedBodySize: number;
  readonly decodedBodySize: number;
  readonly responseStatus?: number;
  readonly contentType?: string;
}

const initiators: Readonly<Record<string, string>> = {
  navigation: "document",
  img: "image",
  image: "image",
  script: "script",
  link: "stylesheet",
  css: "other",
  xmlhttprequest: "xhr",
  fetch: "fetch",
  iframe: "document",
  video: "media",
  audio: "media",
  beacon: "ping",
};

const notApplicable = -1;

/** Phases that add up to the request's time; what lies between them is `blocked`. */
function phasesOf(resource: ObservedResource): HarEntry["timings"] {
  const { startTime, responseEnd, requestStart, responseStart } = resource;
  const total = Math.max(0, responseEnd - startTime);
  // Of another site that does not allow it: beginning and end only.
  if (requestStart <= 0)
    return {
      blocked: 0,
      dns: notApplicable,
      connect: notApplicable,
      ssl: notApplicable,
      send: 0,
      wait: total,
      receive: 0,
      _blocked_queueing: notApplicable,
    };
  const span = (from: number, to: number): number => (from > 0 && to > from ? to - from : notApplicable);
  const connect = span(resource.connectStart, resource.connectEnd);
  // 0: looked up before the request needed it, as DevTools reports it.
  const lookedUp = resource.domainLookupStart > 0 && resource.domainLookupEnd === resource.domainLookupStart;
  const dns = connect >= 0 && lookedUp ? 0 : span(resource.domainLookupStart, resource.domainLookupEnd);
  const ssl = connect < 0 ? notApplicable : span(resource.secureConnectionStart, resource.connectEnd);
  const wait = Math.max(0, responseStart - requestStart);
  const receive = Math.max(0, responseEnd - Math.max(responseStart, requestStart));
  const blocked = Math.max(0, total - Math.max(0, dns) - Math.max(0, connect) - wait - receive);
  return { blocked, dns, connect, ssl, send: 0, wait, receive, _blocked_queueing: notApplicable };
}

/** `timeOrigin_ms`: since the epoch. */
export function observedEntry(
  resource: ObservedResource,
  place: number,
  timeOrigin_ms: number,
  documentUrl: string,
): HarEntry {
  const timings = phasesOf(resource);
  const url = urlWithoutCredentials(resource.name);
  const { startTime, responseEnd, responseStart, transferSize, workerStart } = resource;
  const status = resource.responseStatus ?? 0;
  const hasTimes = resource.requestStart > 0;
  const cached =
    resource.deliveryType === "cache" ||
    (hasTimes && transferSize === 0 && resource.decodedBodySize > 0 && workerStart === 0);
  const byWorker = workerStart > 0 && hasTimes && transferSize === 0;
  const port = URL.parse(url)?.port ?? "";
  const protocol = resource.nextHopProtocol.toLowerCase();
  const toNs = (time_ms: number): number => Math.round(time_ms * 1e6);
  return {
    pageref: "page_1",
    startedDateTime: new Date(timeOrigin_ms + startTime).toISOString(),
    time: Math.max(0, responseEnd - startTime),
    request: harRequest("GET", url, protocol, []),
    response: {
      status,
      statusText: "",
      httpVersion: protocol,
      cookies: [],
      headers: [],
      content: { size: resource.decodedBodySize, mimeType: resource.contentType || "x-unknown" },
      redirectURL: "",
      headersSize: -1,
      bodySize: hasTimes ? resource.encodedBodySize : -1,
      _transferSize: cached ? 0 : transferSize,
      _error: null,
      ...(byWorker ? { _fetchedViaServiceWorker: true } : {}),
    },
    cache: {},
    timings,
    ...(protocol && !cached ? { _protocol: protocol } : {}),
    _resourceType: initiators[resource.entryType === "navigation" ? "navigation" : resource.initiatorType] ?? "other",
    _initiator: { type: "other" },
    ...(cached && !byWorker ? { _fromCache: "cache" as const } : {}),
    _trilane: {
      requestId: `resource_${place + 1}`,
      frame: "main",
      documentUrl: urlWithoutCredentials(documentUrl),
      start_ns: toNs(startTime),
      startOffset_ms: startTime,
      response_ns: responseStart > 0 ? toNs(responseStart) : null,
      end_ns: responseEnd > 0 ? toNs(responseEnd) : null,
      complete: responseEnd > 0,
      canceled: false,
      blocked: null,
      connectionReused: null,
      serverPort: port === "" ? null : Number(port),
    },
  };
}
