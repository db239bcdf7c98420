// Captured requests -> HAR entries with DevTools' fields for the protocol facts. Only what went to the network or to
// the browser's caches for http and https; data:, blob: and the browser's own pages are no requests. Judges nothing.
import type { Protocol } from "devtools-protocol";
import type { HarEntry, HarHeader, HarResponse, Initiator } from "../../schemas/generated/page_load.ts";
import { cookiesOf, harRequest, headersOf } from "./messages.ts";
import { phasesOf } from "./phases.ts";
import { type Capture, type CapturedRequest, type WireHeaders, wireHeaders } from "./requests.ts";
import { urlWithoutCredentials } from "./url_without_credentials.ts";
import type { PageTimings } from "./web_vitals.ts";

export interface EntriesOptions {
  readonly pageref: string;
  /** The page's navigation start on the browser's monotonic clock. */
  readonly navigationStart_s: number;
}

const isHttp = /^https?:/i;
const toNs = (time_s: number): number => Math.round(time_s * 1e9);

/** The navigation's first request on the browser's monotonic clock; null where there was none. */
export function navigationRequest(capture: Capture): CapturedRequest | null {
  const loaderId = capture.documents[0]?.loaderId;
  const isMain = (request: CapturedRequest) =>
    request.sent.frameId === capture.mainFrame &&
    request.sent.type === "Document" &&
    isHttp.test(request.sent.request.url);
  return (
    capture.requests.find((request) => isMain(request) && request.sent.loaderId === loaderId) ??
    capture.requests.find(isMain) ??
    null
  );
}

/**
 * When the navigation began, on the monotonic clock. The page's own times count from its time origin; the moment its
 * request was sent is known on both clocks and ties them together.
 */
export function navigationStart_s(capture: Capture, timings: PageTimings | null): number | null {
  const first = navigationRequest(capture);
  if (!first) return null;
  const timing = capture.latest.get(first.requestId)?.response?.timing;
  if (timing && timings && timings.requestStart > 0) {
    return timing.requestTime + (timing.sendStart - timings.requestStart) / 1000;
  }
  return first.sent.timestamp;
}

export function entriesOf(capture: Capture, options: EntriesOptions): HarEntry[] {
  const wires = wireHeaders(capture);
  return capture.requests
    .map((request, index) => ({ request, wire: wires[index] ?? { request: null, response: null } }))
    .filter(({ request }) => isHttp.test(request.sent.request.url))
    .map(({ request, wire }) => entryOf(capture, request, wire, options))
    .sort((a, b) => a._trilane.start_ns - b._trilane.start_ns);
}

/** As a browser's own redirects have it (HSTS, HTTPS records). */
const isMadeUp = ({ headers }: Protocol.Network.Response): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "non-authoritative-reason");

/** Whether it began while another request of its URL was under way on a connection. */
function hasTwin(capture: Capture, { sent }: CapturedRequest): boolean {
  return capture.requests.some(
    (other) =>
      other.sent.request.url === sent.request.url &&
      (other.response?.connectionId ?? 0) > 0 &&
      other.sent.timestamp <= sent.timestamp &&
      (other.end === null || other.end.timestamp_s > sent.timestamp),
  );
}

/**
 * It waited for another request of the same URL, whose answer the cache was still taking in: Chromium names no cache, though the answer
 * came over no connection. It took no bytes, or, of two that read at the same time, those that it was the first to read.
 * Of preflights, too, some versions tell neither.
 */
function isSharedAnswer(capture: Capture, request: CapturedRequest): boolean {
  const { sent, response, receivedBytes, end } = request;
  if (sent.request.method !== "GET" || response === null || response.fromServiceWorker || isMadeUp(response))
    return false;
  const came_bytes =
    end === null || end.how === "failed" ? response.encodedDataLength + receivedBytes : end.encodedBytes;
  return response.connectionId === 0 && (came_bytes === 0 || hasTwin(capture, request));
}

function cacheOf(capture: Capture, request: CapturedRequest): HarEntry["_fromCache"] {
  if (request.fromMemoryCache) return "memory";
  if (request.response?.fromPrefetchCache) return "prefetch";
  if (request.response?.fromDiskCache) return "disk";
  return isSharedAnswer(capture, request) ? "shared" : undefined;
}

function frameOf(capture: Capture, request: CapturedRequest): "main" | "child" | "worker" {
  if (request.target.includes("worker")) return "worker";
  return request.sent.frameId === undefined || request.sent.frameId === capture.mainFrame ? "main" : "child";
}

function initiatorOf(initiator: Protocol.Network.Initiator): Initiator {
  const caller = initiator.stack?.callFrames[0];
  const url = initiator.url ?? caller?.url;
  const lineNumber = initiator.lineNumber ?? caller?.lineNumber;
  const columnNumber = initiator.columnNumber ?? caller?.columnNumber;
  return {
    type: initiator.type,
    ...(url ? { url: urlWithoutCredentials(url) } : {}),
    ...(lineNumber !== undefined ? { lineNumber } : {}),
    ...(columnNumber !== undefined ? { columnNumber } : {}),
  };
}

function transferredBytes(request: CapturedRequest, fromCache: HarEntry["_fromCache"]): number {
  if (fromCache !== undefined) return 0;
  if (request.end && request.end.how !== "failed") return Math.max(0, Math.round(request.end.encodedBytes));
  return Math.max(0, Math.round((request.response?.encodedDataLength ?? 0) + request.receivedBytes));
}

function responseOf(request: CapturedRequest, wire: WireHeaders, fromCache: HarEntry["_fromCache"]): HarResponse {
  const { response, end } = request;
  const error = end?.how === "failed" ? end.error : null;
  const transferred = transferredBytes(request, fromCache);
  const headers: HarHeader[] = headersOf(wire.response?.headers ?? response?.headers ?? {});
  // Only HTTP/1 has headers as text; for the others their size on the wire is not reported.
  const headersSize = wire.response?.headersText?.length ?? -1;
  const details = response?.securityDetails;
  return {
    status: wire.response?.statusCode ?? response?.status ?? 0,
    statusText: response?.statusText ?? "",
    httpVersion: response?.protocol ?? "",
    cookies: cookiesOf(headers, "set-cookie"),
    headers,
    content: { size: request.decodedBytes, mimeType: response?.mimeType || "x-unknown" },
    redirectURL: request.redirectedTo ?? "",
    headersSize,
    bodySize: headersSize >= 0 && end?.how === "finished" ? Math.max(0, transferred - headersSize) : -1,
    _transferSize: transferred,
    _error: error,
    ...(response?.fromServiceWorker ? { _fetchedViaServiceWorker: true } : {}),
    ...(details
      ? {
          _securityDetails: {
            protocol: details.protocol,
            cipher: details.cipher,
            keyExchangeGroup: details.keyExchangeGroup ?? details.keyExchange,
            subjectName: details.subjectName,
            issuer: details.issuer,
          },
        }
      : {}),
  };
}

/** As the schema has them. The page may get bytes later than the network had them: at the end they have come. */
const arrivalsOf = ({ sent, arrivals }: CapturedRequest, end_s: number): number[] =>
  arrivals.flatMap(({ timestamp_s, bytes }) => {
    const since_s = Math.min(timestamp_s, end_s) - sent.timestamp;
    return [Math.max(0, Math.round(since_s * 1e4) / 10), bytes];
  });

function entryOf(capture: Capture, request: CapturedRequest, wire: WireHeaders, options: EntriesOptions): HarEntry {
  const { sent, response, end } = request;
  const issued_s = sent.timestamp;
  const fromCache = cacheOf(capture, request);
  const timing = fromCache === "memory" ? undefined : response?.timing;
  const headersEnd_s =
    timing && timing.receiveHeadersEnd >= 0 ? timing.requestTime + timing.receiveHeadersEnd / 1000 : null;
  // A redirect's own time ends with its headers; the next request's beginning is reported only after the browser's checks.
  const end_s = end?.how === "redirected" ? (headersEnd_s ?? end.timestamp_s) : (end?.timestamp_s ?? null);
  const phases = phasesOf(issued_s, end_s ?? headersEnd_s ?? issued_s, timing);
  const headers = headersOf(wire.request?.headers ?? sent.request.headers);
  const postData = sent.request.postData;
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const connectionId = response && response.connectionId > 0 ? String(response.connectionId) : undefined;
  const address = response?.remoteIPAddress?.replace(/^\[|\]$/g, "");
  return {
    pageref: options.pageref,
    startedDateTime: new Date(sent.wallTime * 1000).toISOString(),
    time:
      phases.blocked +
      Math.max(0, phases.dns) +
      Math.max(0, phases.connect) +
      phases.send +
      phases.wait +
      phases.receive,
    request: harRequest(sent.request.method, sent.request.url, response?.protocol ?? "", headers, {
      ...(postData !== undefined ? { postData: { mimeType: contentType ?? "", text: postData } } : {}),
      bodySize:
        postData === undefined ? (sent.request.hasPostData ? -1 : 0) : new TextEncoder().encode(postData).length,
    }),
    response: responseOf(request, wire, fromCache),
    cache: {},
    timings: phases,
    ...(address ? { serverIPAddress: address } : {}),
    ...(connectionId ? { connection: connectionId, _connectionId: connectionId } : {}),
    ...(response?.protocol ? { _protocol: response.protocol } : {}),
    _priority: request.priority,
    _initialPriority: sent.request.initialPriority,
    _resourceType: (sent.type ?? "Other").toLowerCase(),
    _initiator: initiatorOf(sent.initiator),
    ...(fromCache ? { _fromCache: fromCache } : {}),
    ...(request.hints.length > 0 ? { _early_hint_headers: [...request.hints] } : {}),
    _trilane: {
      requestId: request.requestId,
      frame: frameOf(capture, request),
      documentUrl: sent.documentURL,
      start_ns: toNs(issued_s),
      startOffset_ms: (issued_s - options.navigationStart_s) * 1000,
      response_ns: headersEnd_s === null ? null : toNs(headersEnd_s),
      end_ns: end_s === null ? null : toNs(end_s),
      complete: end !== null && end.how !== "failed",
      canceled: end?.how === "failed" && end.canceled,
      blocked: end?.how === "failed" ? end.blocked : null,
      connectionReused: connectionId ? (response?.connectionReused ?? null) : null,
      serverPort: response?.remotePort ?? null,
      ...(request.arrivals.length > 0 ? { arrivals: arrivalsOf(request, end_s ?? Number.POSITIVE_INFINITY) } : {}),
      ...(response?.alternateProtocolUsage ? { alternateProtocol: response.alternateProtocolUsage } : {}),
    },
  };
}
