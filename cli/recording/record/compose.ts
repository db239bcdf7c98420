// What was captured, what bodies were reported and what was logged -> a page load to import, with what went over the wire. Pure:
// attaches to nothing, reads no file.
//
// DevTools says what the page did; the net log what the network did. The page's requests are the former's, with the
// latter's headers (in order) and bytes. What the log alone knows, from workers that no session could be attached
// to, is taken from there.

import type { Protocol } from "devtools-protocol";
import type { BodyTexts } from "../../../extension/capture/bodies.ts";
import {
  type HintedPreload,
  hintedPreloads,
  hintInitiator,
  resourceTypeOf,
} from "../../../extension/capture/early_hints.ts";
import { entriesOf, navigationRequest } from "../../../extension/capture/entries.ts";
import { type Capture, type CapturedRequest, isUnderWay } from "../../../extension/capture/requests.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import type { JsonRecord } from "../../base/json_fields.ts";
import type { Header } from "../archive/archive.ts";
import { asAnswered, type HarFile, type HarEntry as LoadEntry, type NameValue } from "../import/har.ts";
import type { WireFacts } from "../import/wire_exchange.ts";
import { Certificates } from "./certificates.ts";
import type { LoggedConnection, LoggedRequest, NetLog } from "./net_log.ts";
import { pair } from "./pair.ts";

export interface Recorded {
  readonly load: HarFile;
  readonly counts: {
    /** Requests that had a response from the network. */
    readonly answered: number;
    /** Of these, those whose bytes on the wire were seen. */
    readonly seen: number;
    /** Requests that only the log knew. */
    readonly unattended: number;
    /** Requests that were left out because they had not ended. */
    readonly under_way: number;
  };
}

type SecurityDetails = Protocol.Network.SecurityDetails;

/** Pseudo-headers are no headers, and HAR has their content elsewhere. */
const linesOf = (headers: readonly Header[]): NameValue[] =>
  headers.filter(([name]) => !name.startsWith(":")).map(([name, value]) => ({ name, value }));

const addressOf = (request: CapturedRequest): string => {
  const { remoteIPAddress, remotePort } = request.response ?? {};
  return `${remoteIPAddress ?? ""}:${remotePort ?? ""}`;
};

const connectTimeTo = (address: string, connections: readonly LoggedConnection[]): number | null => {
  const times = connections
    .filter((each) => each.address === address)
    .map(({ connect_ms }) => connect_ms)
    .filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
};

function recordWaitOf({ response }: CapturedRequest, connections: readonly LoggedConnection[]): number {
  const { connectionId, timing } = response ?? {};
  const records = connections.find(({ id }) => id === connectionId)?.records;
  return records && timing ? records.wait_ms(timing.requestTime * 1000 + timing.receiveHeadersEnd) : 0;
}

/** A request of the page, and what was logged of it. */
interface Known {
  readonly entry: HarEntry;
  readonly request: CapturedRequest;
  readonly logged: LoggedRequest | null;
}

function requestBody(request: CapturedRequest, bodies: BodyTexts): { text: string; encoding?: "base64" } | null {
  const parts = request.sent.request.postDataEntries;
  if (parts && parts.length > 0 && parts.every(({ bytes }) => bytes !== undefined))
    return {
      text: Buffer.concat(parts.map(({ bytes }) => Buffer.from(bytes ?? "", "base64"))).toString("base64"),
      encoding: "base64",
    };
  const text = request.sent.request.postData ?? bodies.ofRequests.get(request);
  return text === undefined ? null : { text };
}

/** In whole ms, as HARs have it. */
type ToWallTime = (monotonic_ms: number) => number;

/** In HAR's phases, by the log's whole milliseconds; null: it was not answered. */
function timingsOf({ started_ms, sent_ms, answered_ms, ended_ms }: LoggedRequest): JsonRecord | null {
  if (sent_ms === null || answered_ms === null) return null;
  return {
    ...{ blocked: sent_ms - started_ms, dns: -1, connect: -1, ssl: -1, send: 0 },
    ...{ wait: answered_ms - sent_ms, receive: Math.max(0, (ended_ms ?? answered_ms) - answered_ms) },
  };
}

/** A preload that a 103 named, and the URL of the document that it came before. */
interface Hinted {
  readonly preload: HintedPreload;
  readonly document: string;
}

/** By URL. */
function hintedBy(requests: readonly LoggedRequest[]): ReadonlyMap<string, Hinted> {
  return new Map(
    requests.flatMap(({ url, hints }) =>
      hints
        .flatMap(({ headers }) =>
          hintedPreloads(
            headers.map(([name, value]) => `${name}: ${value}`),
            url,
          ),
        )
        .map((preload): [string, Hinted] => [preload.url, { preload, document: url }]),
    ),
  );
}

/** What differs from load to load; the rest is the same for all that was recorded live. */
type Entry = Pick<LoadEntry, "url" | "method" | "status" | "started_ms" | "raw" | "request" | "response" | "content">;

function entryOf(
  { entry, request, logged }: Known,
  bodies: BodyTexts,
  toWallTime: ToWallTime,
  hinted: ReadonlyMap<string, Hinted>,
): Entry {
  const body = bodies.ofResponses.get(request);
  const sentBody = requestBody(request, bodies);
  const { response } = entry;
  // Of a worker's own script no session reports the response.
  const fromLog = response.status === 0 && logged !== null && response._error === null ? statusAndType(logged) : null;
  const isPreflight = request.sent.initiator.type === "preflight";
  const { _protocol, _fromCache, ...rest } = entry;
  const protocol = _protocol ?? logged?.protocol;
  // The log has the request that filled the cache.
  const fetched = _fromCache === undefined ? null : logged;
  const hint = fetched && hinted.get(fetched.url);
  return {
    url: new URL(entry.request.url),
    method: entry.request.method.toUpperCase(),
    status: fromLog?.status ?? response.status,
    // Reported late, but sent before the request that it was made for.
    started_ms:
      logged && (isPreflight || fetched) ? toWallTime(logged.started_ms) : Math.trunc(request.sent.wallTime * 1000),
    raw: {
      ...rest,
      ...(protocol ? { _protocol: protocol } : {}),
      ...(_fromCache === undefined || fetched ? {} : { _fromCache }),
      ...(fetched ? { timings: timingsOf(fetched) } : {}),
      ...(hint ? { _initiator: { type: hintInitiator, url: hint.document } } : {}),
      ...(response._fetchedViaServiceWorker ? { _fetchedViaServiceWorker: true } : {}),
    },
    request: {
      ...entry.request,
      headers: logged?.requestHeaders ? linesOf(logged.requestHeaders) : entry.request.headers,
      ...(sentBody ? { postData: { mimeType: entry.request.postData?.mimeType ?? "", ...sentBody } } : {}),
    },
    response: { ...response, headers: logged?.responseHeaders ? linesOf(logged.responseHeaders) : response.headers },
    content: { ...response.content, ...fromLog?.content, ...body },
  };
}

/** An answered request of the page that no session reported the end of. */
function statusAndType({ status, responseHeaders, body }: LoggedRequest): {
  status: number | null;
  content: JsonRecord;
} {
  const mimeType = responseHeaders?.find(([name]) => name === "content-type")?.[1] ?? "";
  return { status, content: { size: body.size, mimeType } };
}

/** An answered request of the page that no session reported. */
function unattendedEntry(logged: LoggedRequest, toWallTime: ToWallTime, hinted: ReadonlyMap<string, Hinted>): Entry {
  const { method, url, started_ms, requestHeaders, responseHeaders } = logged;
  const { status, content } = statusAndType(logged);
  const hint = hinted.get(url);
  return {
    url: new URL(url),
    method: method.toUpperCase(),
    status: status ?? 0,
    started_ms: toWallTime(started_ms),
    raw: {
      _resourceType: hint ? resourceTypeOf(hint.preload) : "other",
      _protocol: logged.protocol,
      timings: timingsOf(logged),
      ...(hint ? { _initiator: { type: hintInitiator, url: hint.document } } : {}),
    },
    request: { headers: linesOf(requestHeaders ?? []) },
    response: {
      headers: linesOf(responseHeaders ?? []),
      redirectURL: responseHeaders?.find(([name]) => name === "location")?.[1] ?? "",
    },
    content,
  };
}

const isRedirect = ({ status }: LoggedRequest): boolean => status !== null && status >= 300 && status < 400;

/** A body that is not what its content-encoding says, which is to fail in a replay too. */
const cannotBeDecoded = (entry: HarEntry | null): boolean =>
  entry?.response._error === "net::ERR_CONTENT_DECODING_FAILED";

/**
 * A script's fetch whose body was not read to its end: the page gave it up, or never read on, and then the browser stops taking it in.
 * What came is what a replay can give.
 */
function isReadPartly(logged: LoggedRequest, { _resourceType, response, request, _trilane }: HarEntry): boolean {
  const isOpen = _trilane.end_ns === null && _resourceType === "fetch";
  const isGivenUp = _trilane.canceled && (_resourceType === "fetch" || _resourceType === "xhr");
  const hasBody = request.method !== "HEAD" && response.status === 200 && logged.status === 200;
  return (isOpen || isGivenUp) && hasBody && !logged.ended;
}

/** Redirects' bodies are not read by the browser, and a question to a cache got the cache's response. */
function bodySeen(logged: LoggedRequest, entry: HarEntry | null): WireFacts["body"] {
  const { status } = entry?.response ?? { status: 0 };
  const isTheEntrys = status === 0 || status === logged.status;
  const isWhole = logged.ended || entry?._trilane.complete === true || cannotBeDecoded(entry);
  const isPart = entry !== null && isReadPartly(logged, entry);
  return isTheEntrys && (isWhole || isPart) && !isRedirect(logged) ? (logged.body.bytes ?? logged.body) : null;
}

/** Of a certificate it is reported with some of a connection's responses only. */
function securityDetailsOf(known: readonly Known[]): (url: string) => SecurityDetails | null {
  const ofOrigin = new Map<string, SecurityDetails>();
  for (const { request } of known) {
    const { origin } = new URL(request.sent.request.url);
    const details = request.response?.securityDetails;
    if (details && !ofOrigin.has(origin)) ofOrigin.set(origin, details);
  }
  return (url) => ofOrigin.get(new URL(url).origin) ?? null;
}

/** In the order of the load's entries. */
function wireFactsOf(
  known: readonly Known[],
  unattended: readonly LoggedRequest[],
  { connections }: NetLog,
): WireFacts[] {
  const certificates = new Certificates(connections);
  const detailsOf = securityDetailsOf(known);
  const facts = (
    url: string,
    logged: LoggedRequest | null,
    entry: HarEntry | null,
    request: CapturedRequest | null,
  ): WireFacts => {
    const details = request?.response?.securityDetails ?? detailsOf(url);
    const address = request ? addressOf(request) : "";
    return {
      body: logged ? bodySeen(logged, entry) : null,
      ...(logged && entry && isReadPartly(logged, entry) ? { isReadPartly: true } : {}),
      trailers: logged?.trailers ?? [],
      hints: (logged?.hints ?? []).map(({ time_ms, headers }) => ({
        headers,
        before_ms: logged && logged.answered_ms !== null ? logged.answered_ms - time_ms : null,
      })),
      certificate: details ? certificates.of(details, address) : null,
      tlsVersion: details?.protocol ?? null,
      connect_ms: connectTimeTo(address, connections),
      recordWait_ms: request ? recordWaitOf(request, connections) : 0,
    };
  };
  return [
    ...known.map(({ entry, request, logged }) => facts(request.sent.request.url, logged, entry, request)),
    ...unattended.map((logged) => facts(logged.url, logged, null, null)),
  ];
}

/** `browser`: name and version. */
export function composeRecorded(
  capture: Capture,
  bodies: BodyTexts,
  net: NetLog,
  browser: { readonly name: string; readonly version: string },
): Recorded {
  const first = navigationRequest(capture) ?? capture.requests[0];
  const navigationStart_s = first?.sent.timestamp ?? 0;
  const toWallTime: ToWallTime = (monotonic_ms) =>
    Math.trunc((first?.sent.wallTime ?? 0) * 1000 + monotonic_ms - navigationStart_s * 1000);
  const entries = entriesOf(capture, { pageref: "page_1", navigationStart_s });
  const keyOf = (requestId: string, start_ns: number): string => `${requestId} ${start_ns}`;
  const requestOf = new Map(
    capture.requests.map((request) => [keyOf(request.requestId, Math.round(request.sent.timestamp * 1e9)), request]),
  );
  const { ofEntries, left } = pair(entries, net.requests);
  const captured = entries.flatMap((entry, index): Known[] => {
    const request = requestOf.get(keyOf(entry._trilane.requestId, entry._trilane.start_ns));
    return request ? [{ entry, request, logged: ofEntries[index] ?? null }] : [];
  });
  // What was still on its way when the time was up has no body that could be replayed.
  const known = captured.filter(
    ({ entry, request, logged }) =>
      !isUnderWay(request) || (logged !== null && (logged.ended || isReadPartly(logged, entry))),
  );
  // What the browser asks for itself is keyed by another site, or by none.
  const sites = new Set(known.flatMap(({ logged }) => (logged?.isolation ? [logged.isolation] : [])));
  const unattended = left.filter(({ isolation, ended }) => ended && sites.has(isolation));
  const facts = wireFactsOf(known, unattended, net);
  const answered = known.filter(
    ({ entry, logged }) => logged !== null || (entry.response.status > 0 && entry._fromCache === undefined),
  );
  const hinted = hintedBy(net.requests);
  const all = [
    ...known.map((each) => entryOf(each, bodies, toWallTime, hinted)),
    ...unattended.map((logged) => unattendedEntry(logged, toWallTime, hinted)),
  ];
  const onLoad_ms = capture.loadEvent_s === null ? 0 : (capture.loadEvent_s - navigationStart_s) * 1000;
  const title = first?.sent.request.url ?? "";
  return {
    load: {
      producer: `${browser.name} ${browser.version}`,
      pages: [
        {
          id: "page_1",
          url: /^https?:/i.test(title) ? new URL(title) : null,
          started_ms: toWallTime(navigationStart_s * 1000),
          load_event_ms: onLoad_ms > 0 ? onLoad_ms : null,
          title,
        },
      ],
      entries: all.map((entry, index) => ({
        ...{ ...entry, ...asAnswered, index, pageref: null },
        wire: facts[index] ?? null,
      })),
      faulty: [],
    },
    counts: {
      answered: answered.length + unattended.length,
      seen: answered.filter(({ logged }) => logged !== null).length + unattended.length,
      unattended: unattended.length,
      under_way: captured.length - known.length,
    },
  };
}
