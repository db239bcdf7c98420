// BiDi's network events -> HAR entries, as extension/capture/entries.ts makes them of Chromium's. Pure: the clocks are given.
//
// Its points in time are ms of the wall clock. What BiDi does not tell is not there: who caused a request (but for style sheets, which a
// request names as its referrer), its priority, its connection (the replay's report has that), TLS. A worker's requests bear the context of
// its page.
import { cookiesOf, harRequest, headerValue, isBlockedError } from "../../../extension/capture/messages.ts";
import { phasesOf } from "../../../extension/capture/phases.ts";
import type { HarEntry, HarHeader } from "../../../schemas/generated/page_load.ts";

interface BidiHeader {
  readonly name: string;
  readonly value: { readonly type: string; readonly value: string };
}

type Point =
  | "requestTime"
  | "fetchStart"
  | "dnsStart"
  | "dnsEnd"
  | "connectStart"
  | "connectEnd"
  | "tlsStart"
  | "tlsEnd"
  | "requestStart"
  | "responseStart"
  | "responseEnd";

/** Of an event of the module network. */
export interface NetworkEvent {
  readonly method: string;
  /** null: the browser's own. */
  readonly context: string | null;
  readonly navigation: string | null;
  readonly redirectCount: number;
  readonly request: {
    readonly request: string;
    readonly url: string;
    readonly method: string;
    readonly headers: readonly BidiHeader[];
    readonly bodySize: number | null;
    readonly destination: string | null;
    readonly initiatorType: string | null;
    /** 0: it did not come to that. */
    readonly timings: Readonly<Record<Point, number>>;
  };
  readonly response?: {
    readonly protocol: string;
    readonly status: number;
    readonly statusText: string;
    readonly fromCache: boolean;
    readonly headers: readonly BidiHeader[];
    readonly mimeType: string;
    readonly bytesReceived: number;
    readonly headersSize: number | null;
    readonly bodySize: number | null;
  };
  readonly errorText?: string;
}

/** One request of a redirect chain, by its latest event. */
export interface BidiRequest {
  readonly key: string;
  event: NetworkEvent;
  how: "under way" | "completed" | "failed";
}

export class NetworkLog {
  readonly #requests = new Map<string, BidiRequest>();

  take(event: NetworkEvent): void {
    const key = `${event.request.request}.${event.redirectCount}`;
    const how =
      event.method === "network.responseCompleted"
        ? "completed"
        : event.method === "network.fetchError"
          ? "failed"
          : "under way";
    const known = this.#requests.get(key);
    if (!known) this.#requests.set(key, { key, event, how });
    else Object.assign(known, { event: { ...event, response: event.response ?? known.event.response }, how });
  }

  /** In the order in which they began, of http and https, and of pages. */
  get requests(): readonly BidiRequest[] {
    return [...this.#requests.values()].filter(
      ({ event: { context, request } }) => context !== null && /^https?:/i.test(request.url),
    );
  }
}

/** From the wall clock to CLOCK_MONOTONIC: what is added to ms. */
export interface Clock {
  readonly monotonicMinusWall_ms: number;
  /** On the monotonic clock. */
  readonly navigation_ms: number;
}

/** By destination, in DevTools' words, which the rest of the product has. */
const types: Readonly<Record<string, string>> = {
  document: "document",
  iframe: "document",
  frame: "document",
  style: "stylesheet",
  script: "script",
  worker: "script",
  sharedworker: "script",
  serviceworker: "script",
  image: "image",
  font: "font",
  audio: "media",
  video: "media",
  track: "texttrack",
  manifest: "manifest",
  report: "cspviolationreport",
  fetch: "fetch",
  xmlhttprequest: "xhr",
  beacon: "ping",
};

const typeOf = ({ destination, initiatorType }: NetworkEvent["request"]): string =>
  types[destination ?? ""] ?? types[initiatorType ?? ""] ?? "other";

const headersOf = (headers: readonly BidiHeader[]): HarHeader[] =>
  headers.map(({ name, value }) => ({ name, value: value.value }));

const toNs = (time_ms: number): number => Math.round(time_ms * 1e6);

/** The points from one that HAR counts from, in seconds and ms as DevTools reports them; undefined: nothing was answered. */
function devToolsTiming({ request: { timings } }: NetworkEvent): Parameters<typeof phasesOf>[2] {
  if (timings.requestStart <= 0) return undefined;
  const origin_ms = timings.fetchStart > 0 ? timings.fetchStart : timings.requestTime;
  const since = (time_ms: number): number => (time_ms > 0 ? time_ms - origin_ms : -1);
  const none = { proxyStart: -1, proxyEnd: -1, workerStart: -1, workerReady: -1, workerFetchStart: -1 };
  return {
    ...none,
    workerRespondWithSettled: -1,
    pushStart: 0,
    pushEnd: 0,
    requestTime: origin_ms / 1000,
    dnsStart: since(timings.dnsStart),
    dnsEnd: since(timings.dnsEnd),
    connectStart: since(timings.connectStart),
    connectEnd: since(timings.connectEnd),
    sslStart: since(timings.tlsStart),
    sslEnd: since(timings.tlsEnd),
    sendStart: since(timings.requestStart),
    sendEnd: since(timings.requestStart),
    receiveHeadersStart: since(timings.responseStart),
    receiveHeadersEnd: since(timings.responseStart),
  };
}

export function entryOf({ key, event, how }: BidiRequest, clock: Clock, main: string, documentUrl: string): HarEntry {
  const { request, response, errorText, context } = event;
  const { timings } = request;
  const offset_ms = clock.monotonicMinusWall_ms;
  const start_ms = timings.requestTime + offset_ms;
  const response_ms = timings.responseStart > 0 ? timings.responseStart + offset_ms : null;
  const last_ms = Math.max(timings.responseEnd, timings.responseStart, timings.requestStart, timings.requestTime);
  const end_ms = how === "under way" ? null : last_ms + offset_ms;
  const until_ms = end_ms ?? response_ms ?? start_ms;
  const phases = phasesOf(timings.requestTime / 1000, (until_ms - offset_ms) / 1000, devToolsTiming(event));
  const headers = headersOf(request.headers);
  const answered = headersOf(response?.headers ?? []);
  const fromCache = response?.fromCache ?? false;
  const protocol = fromCache ? "" : (response?.protocol ?? "");
  const error = how === "failed" ? (errorText ?? "failed") : null;
  const received = fromCache ? 0 : Math.max(0, response?.bytesReceived ?? 0);
  const isBlocked = isBlockedError(error);
  return {
    pageref: "page_1",
    startedDateTime: new Date(timings.requestTime).toISOString(),
    time: until_ms - start_ms,
    request: harRequest(request.method, request.url, protocol, headers, { bodySize: request.bodySize ?? -1 }),
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? "",
      httpVersion: protocol,
      cookies: cookiesOf(answered, "set-cookie"),
      headers: answered,
      // BiDi reports no decoded size.
      content: { size: Math.max(0, response?.bodySize ?? 0), mimeType: response?.mimeType || "x-unknown" },
      redirectURL: headerValue(answered, "location") ?? "",
      headersSize: response?.headersSize ?? -1,
      bodySize: response?.bodySize ?? -1,
      _transferSize: received,
      _error: error,
    },
    cache: {},
    timings: phases,
    ...(protocol === "" ? {} : { _protocol: protocol }),
    _resourceType: typeOf(request),
    _initiator: { type: "other" },
    ...(fromCache ? { _fromCache: "cache" as const } : {}),
    _trilane: {
      requestId: key,
      frame: context === main ? "main" : "child",
      documentUrl,
      start_ns: toNs(start_ms),
      startOffset_ms: start_ms - clock.navigation_ms,
      response_ns: response_ms === null ? null : toNs(response_ms),
      end_ns: end_ms === null ? null : toNs(end_ms),
      complete: how === "completed",
      canceled: error === "NS_BINDING_ABORTED",
      blocked: isBlocked ? error : null,
      connectionReused: null,
      serverPort: null,
    },
  };
}
