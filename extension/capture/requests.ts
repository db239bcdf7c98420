// Events -> requests: keeps what was reported of each request on the wire. A redirect ends one request and begins the
// next under the same id. Pure but for its own state; makes no HAR and judges nothing.
//
// Two facts about the protocol shape this file. The ExtraInfo events carry what really went over the wire, come from
// another process and so in no fixed order to the others, and name only the id: the n-th belongs to the n-th request
// of that id that has one at all (hasExtraInfo). And a frame in a process of its own reports the end of a request
// whose beginning its parent reported, so a request is known by its id, never by the session.
import type { Protocol } from "devtools-protocol";
import type { CaptureEvent } from "./events.ts";
import { urlWithoutCredentials } from "./url_without_credentials.ts";

export interface Arrival {
  readonly timestamp_s: number;
  readonly bytes: number;
}

export interface CapturedRequest {
  readonly requestId: string;
  readonly sent: Protocol.Network.RequestWillBeSentEvent;
  readonly target: string;
  priority: string;
  response: Protocol.Network.Response | null;
  /** The Link fields of a 103 that came before its response, as "link: ..."; empty: none did. */
  hints: readonly string[];
  /** null: the response has not come, so it is not known. */
  hasExtraInfo: boolean | null;
  /** Where this request was redirected to. */
  redirectedTo: string | null;
  fromMemoryCache: boolean;
  decodedBytes: number;
  /** Encoded bytes of the body as dataReceived reported them; loadingFinished has the sum with headers. */
  receivedBytes: number;
  /** When the body's bytes came, in order; neighbours are one if there would be too many. */
  readonly arrivals: Arrival[];
  end:
    | { how: "finished" | "redirected"; timestamp_s: number; encodedBytes: number }
    | { how: "failed"; timestamp_s: number; error: string; canceled: boolean; blocked: string | null }
    | null;
}

interface ExtraInfos {
  readonly requests: Protocol.Network.RequestWillBeSentExtraInfoEvent[];
  readonly responses: Protocol.Network.ResponseReceivedExtraInfoEvent[];
}

export interface Capture {
  readonly mainFrame: string;
  /** In the order they were sent. */
  readonly requests: CapturedRequest[];
  readonly latest: Map<string, CapturedRequest>;
  readonly extraInfos: Map<string, ExtraInfos>;
  /** Documents that the main frame came to show, about:blank apart. */
  readonly documents: { loaderId: string; url: string }[];
  domContent_s: number | null;
  loadEvent_s: number | null;
}

/** An empty capture. `mainFrame`: the id of the page's main frame (in Chromium that of its target). */
export function newCapture(mainFrame: string): Capture {
  return {
    mainFrame,
    requests: [],
    latest: new Map(),
    extraInfos: new Map(),
    documents: [],
    domContent_s: null,
    loadEvent_s: null,
  };
}

export function isUnderWay(request: CapturedRequest): boolean {
  return request.end === null;
}

/** What really went over the wire, if it was reported. */
export interface WireHeaders {
  readonly request: Protocol.Network.RequestWillBeSentExtraInfoEvent | null;
  readonly response: Protocol.Network.ResponseReceivedExtraInfoEvent | null;
}

/** For each request its wire headers, in the order of `capture.requests`. */
export function wireHeaders(capture: Capture): WireHeaders[] {
  const taken = new Map<string, number>();
  return capture.requests.map((request) => {
    if (request.hasExtraInfo === false) return { request: null, response: null };
    const index = taken.get(request.requestId) ?? 0;
    taken.set(request.requestId, index + 1);
    const extra = capture.extraInfos.get(request.requestId);
    return { request: extra?.requests[index] ?? null, response: extra?.responses[index] ?? null };
  });
}

function extraInfosOf(capture: Capture, requestId: string): ExtraInfos {
  const known = capture.extraInfos.get(requestId);
  if (known) return known;
  const made: ExtraInfos = { requests: [], responses: [] };
  capture.extraInfos.set(requestId, made);
  return made;
}

function withoutCredentials(event: Protocol.Network.RequestWillBeSentEvent): Protocol.Network.RequestWillBeSentEvent {
  const url = urlWithoutCredentials(event.request.url);
  const documentURL = urlWithoutCredentials(event.documentURL);
  if (url === event.request.url && documentURL === event.documentURL) return event;
  return { ...event, documentURL, request: { ...event.request, url } };
}

function send(capture: Capture, event: Protocol.Network.RequestWillBeSentEvent, target: string): void {
  const params = withoutCredentials(event);
  const before = capture.latest.get(params.requestId);
  if (before) {
    // Reported again by another session for the same request, or the next one after a redirect.
    if (!params.redirectResponse || before.end) return;
    before.response = params.redirectResponse;
    before.hasExtraInfo = params.redirectHasExtraInfo;
    before.redirectedTo = params.request.url;
    before.end = {
      how: "redirected",
      timestamp_s: params.timestamp,
      encodedBytes: params.redirectResponse.encodedDataLength,
    };
  }
  const request: CapturedRequest = {
    requestId: params.requestId,
    sent: params,
    target,
    priority: params.request.initialPriority,
    response: null,
    hints: [],
    hasExtraInfo: null,
    redirectedTo: null,
    fromMemoryCache: false,
    decodedBytes: 0,
    receivedBytes: 0,
    arrivals: [],
    end: null,
  };
  capture.requests.push(request);
  capture.latest.set(params.requestId, request);
}

/** So many of a request are kept: enough to see what it shared the link with. */
export const maxArrivals = 48;

/** If there are too many, each two neighbours become one, at the later moment. */
function arrive(arrivals: Arrival[], arrival: Arrival): void {
  if (arrival.bytes === 0) return;
  if (arrivals.length === maxArrivals) {
    for (let pair = 0; pair < maxArrivals / 2; pair++) {
      const [first, second] = [arrivals[2 * pair], arrivals[2 * pair + 1]] as [Arrival, Arrival];
      arrivals[pair] = { timestamp_s: second.timestamp_s, bytes: first.bytes + second.bytes };
    }
    arrivals.length = maxArrivals / 2;
  }
  arrivals.push(arrival);
}

/** Takes one event into the capture. Events of requests whose beginning was never reported are left out. */
export function take(capture: Capture, event: CaptureEvent): void {
  switch (event.method) {
    case "Network.requestWillBeSent":
      send(capture, event.params, event.target);
      return;
    case "Network.requestWillBeSentExtraInfo":
      extraInfosOf(capture, event.params.requestId).requests.push(event.params);
      return;
    case "Network.responseReceivedExtraInfo":
      extraInfosOf(capture, event.params.requestId).responses.push(event.params);
      return;
    case "Page.frameNavigated": {
      const { frame } = event.params;
      if (frame.id === capture.mainFrame && frame.url !== "about:blank") {
        capture.documents.push({ loaderId: frame.loaderId, url: urlWithoutCredentials(frame.url) });
        capture.domContent_s = null;
        capture.loadEvent_s = null;
      }
      return;
    }
    case "Page.domContentEventFired":
      if (event.target === "page" && capture.documents.length > 0) capture.domContent_s = event.params.timestamp;
      return;
    case "Page.loadEventFired":
      // The empty page that the browser opened with may still be firing its own.
      if (event.target === "page" && capture.documents.length > 0) capture.loadEvent_s = event.params.timestamp;
      return;
  }
  const request = capture.latest.get(event.params.requestId);
  if (!request || request.end) return;
  switch (event.method) {
    case "Network.resourceChangedPriority":
      request.priority = event.params.newPriority;
      return;
    case "Network.requestServedFromCache":
      request.fromMemoryCache = true;
      return;
    case "Network.responseReceivedEarlyHints":
      request.hints = Object.entries(event.params.headers)
        .filter(([name]) => name.toLowerCase() === "link")
        .flatMap(([name, values]) => values.split("\n").map((value) => `${name.toLowerCase()}: ${value}`));
      return;
    case "Network.responseReceived":
      request.response = event.params.response;
      request.hasExtraInfo = event.params.hasExtraInfo;
      return;
    case "Network.dataReceived":
      request.decodedBytes += event.params.dataLength;
      request.receivedBytes += event.params.encodedDataLength;
      arrive(request.arrivals, { timestamp_s: event.params.timestamp, bytes: event.params.dataLength });
      return;
    case "Network.loadingFinished":
      request.end = {
        how: "finished",
        timestamp_s: event.params.timestamp,
        encodedBytes: event.params.encodedDataLength,
      };
      return;
    case "Network.loadingFailed":
      request.end = {
        how: "failed",
        timestamp_s: event.params.timestamp,
        error:
          event.params.errorText || (event.params.blockedReason ? `blocked:${event.params.blockedReason}` : "failed"),
        canceled: event.params.canceled ?? false,
        blocked: event.params.blockedReason ?? null,
      };
      return;
  }
}
