// What Firefox reports of a load's requests, and what the page's frames say of them (Resource Timing) -> HAR entries. Pure.
//
// webRequest has every request, its headers, protocol and size; Resource Timing has its phases, unless its site hides them. A request that only
// webRequest knows has no times of name lookup, connection and TLS: they are part of `blocked`. Firefox names no connection, priority
// or initiator; a style sheet's requests name it as their referrer.

import type { HarEntry, HarHeader } from "../../schemas/generated/page_load.ts";
import type { BodyText } from "../capture/bodies.ts";
import { cookiesOf, harRequest, headerValue, isBlockedError, withStyleSheets } from "../capture/messages.ts";
import { urlWithoutCredentials, withoutFragment } from "../capture/url_without_credentials.ts";
import type { HeldBodies } from "./held_bodies.ts";
import { type ObservedResource, observedEntry } from "./observed_entry.ts";
import type { SecurityInfo, WebHeader, WebRequest } from "./web_requests.ts";

export interface ObservedFrame {
  readonly frameId: number;
  readonly url: string;
  readonly timeOrigin_ms: number;
  readonly resources: readonly ObservedResource[];
}

interface Timed {
  readonly frame: ObservedFrame;
  readonly resource: ObservedResource;
}

export interface WatchedEntries {
  readonly entries: HarEntry[];
  readonly bodies: HeldBodies;
  /** Requests whose protocol both sources name, and of these where they name different ones. */
  readonly compared: number;
  readonly differing: number;
  /** Those without times of their phases, because their site hides them. */
  readonly hidden: number;
}

const types: Readonly<Record<string, string>> = {
  main_frame: "document",
  sub_frame: "document",
  stylesheet: "stylesheet",
  script: "script",
  image: "image",
  imageset: "image",
  font: "font",
  media: "media",
  xmlhttprequest: "xhr",
  beacon: "ping",
  ping: "ping",
  web_manifest: "manifest",
  csp_report: "cspviolationreport",
};

/** "HTTP/2 200 OK" -> h2; empty: none came. */
export function protocolOf(statusLine: string): string {
  const version = /^HTTP\/(\d)(?:\.(\d))?\b/i.exec(statusLine);
  if (!version) return "";
  const [, major = "", minor = "0"] = version;
  return major === "1" ? `http/1.${minor}` : `h${major}`;
}

const isDocument = ({ type }: WebRequest): boolean => type === "main_frame" || type === "sub_frame";

/** The resource that a frame's timeline has of a request: of the same URL, and nearest to its start. Each is taken once. */
function timelines(frames: readonly ObservedFrame[]): (first: WebRequest, last: WebRequest) => Timed | null {
  const taken = new Set<ObservedResource>();
  return (first, last) => {
    const frame = frames.find(({ frameId }) => frameId === last.frameId);
    if (!frame) return null;
    const wanted = isDocument(last) ? "navigation" : "resource";
    const url = withoutFragment(isDocument(last) ? last.url : first.url);
    const distance = ({ startTime }: ObservedResource): number =>
      Math.abs(frame.timeOrigin_ms + startTime - first.start_ms);
    const [nearest] = frame.resources
      .filter((each) => each.entryType === wanted && withoutFragment(each.name) === url && !taken.has(each))
      .sort((a, b) => distance(a) - distance(b));
    if (!nearest) return null;
    taken.add(nearest);
    return { frame, resource: nearest };
  };
}

const headersOf = (headers: readonly WebHeader[]): HarHeader[] =>
  headers.map(({ name, value = "" }) => ({ name, value }));

/** All that is known of a request's phases without its page's word. */
function phasesWithout({ start_ms, sent_ms, response_ms }: WebRequest, end_ms: number): HarEntry["timings"] {
  const sent = sent_ms ?? response_ms ?? end_ms;
  const response = response_ms ?? end_ms;
  const unknown = -1;
  return {
    blocked: Math.max(0, sent - start_ms),
    dns: unknown,
    connect: unknown,
    ssl: unknown,
    send: 0,
    wait: Math.max(0, response - sent),
    receive: Math.max(0, end_ms - response),
    _blocked_queueing: unknown,
  };
}

/** Of many responses Firefox says 0; then by the timeline, else what the body was announced to have. */
function receivedBytes(
  { received_bytes, status }: WebRequest,
  seen: HarEntry | null,
  headers: readonly HarHeader[],
): number {
  if (status === 0) return 0;
  return received_bytes || seen?.response._transferSize || Number(headerValue(headers, "content-length") ?? 0) || 0;
}

type SecurityDetails = NonNullable<HarEntry["response"]["_securityDetails"]>;

const commonName = (name: string): string => /(?:^|,)CN=([^,]+)/.exec(name)?.[1] ?? name;

function securityOf(info: SecurityInfo | null): { _securityDetails: SecurityDetails } | null {
  if (info?.protocolVersion === undefined) return null;
  const [certificate] = info.certificates ?? [];
  return {
    _securityDetails: {
      protocol: info.protocolVersion.replace(/^TLSv/, "TLS "),
      cipher: info.cipherSuite ?? "",
      keyExchangeGroup: info.keaGroupName ?? "",
      subjectName: commonName(certificate?.subject ?? ""),
      issuer: commonName(certificate?.issuer ?? ""),
    },
  };
}

const toNs = (time_ms: number): number => Math.round(time_ms * 1e6);

function entryOf(request: WebRequest, timed: Timed | null, place: number, origin_ms: number): HarEntry {
  const offset = (time_ms: number | null): number | null =>
    time_ms === null ? null : Math.max(0, time_ms - origin_ms);
  const end_ms = request.end_ms ?? request.response_ms ?? request.sent_ms ?? request.start_ms;
  const since_ms = offset(request.start_ms) ?? 0;
  const seen = timed && observedEntry(timed.resource, place, timed.frame.timeOrigin_ms, timed.frame.url);
  const hasPhases = seen !== null && timed !== null && timed.resource.requestStart > 0 && request.redirectUrl === "";
  const shift_ms = timed ? timed.frame.timeOrigin_ms - origin_ms : 0;
  const requestHeaders = headersOf(request.requestHeaders);
  const responseHeaders = headersOf(request.responseHeaders);
  const cached = request.fromCache;
  const protocol = cached ? "" : seen?._protocol || protocolOf(request.statusLine);
  const url = urlWithoutCredentials(request.url);
  const mimeType = headerValue(responseHeaders, "content-type") ?? "x-unknown";
  const port = URL.parse(url)?.port ?? "";
  const when = hasPhases
    ? {
        startedDateTime: seen.startedDateTime,
        time: seen.time,
        timings: seen.timings,
        start_ms: Math.max(0, seen._trilane.startOffset_ms + shift_ms),
        response_ms: Math.max(0, timed.resource.responseStart + shift_ms),
        end_ms: Math.max(0, timed.resource.responseEnd + shift_ms),
      }
    : {
        startedDateTime: new Date(request.start_ms).toISOString(),
        time: Math.max(0, end_ms - request.start_ms),
        timings: phasesWithout(request, end_ms),
        start_ms: since_ms,
        response_ms: offset(request.response_ms),
        end_ms: offset(request.end_ms),
      };
  const error = request.error;
  return {
    pageref: "page_1",
    startedDateTime: when.startedDateTime,
    time: when.time,
    request: harRequest(request.method, url, protocol, requestHeaders),
    response: {
      status: request.status,
      statusText: request.statusLine.split(" ").slice(2).join(" "),
      httpVersion: protocol,
      cookies: cookiesOf(responseHeaders, "set-cookie"),
      headers: responseHeaders,
      content: { size: seen?.response.content.size ?? 0, mimeType },
      redirectURL: request.redirectUrl,
      headersSize: -1,
      bodySize: seen?.response.bodySize ?? -1,
      _transferSize: cached ? 0 : receivedBytes(request, seen, responseHeaders),
      _error: error,
      ...(seen?.response._fetchedViaServiceWorker ? { _fetchedViaServiceWorker: true } : {}),
      ...(cached ? {} : securityOf(request.security)),
    },
    cache: {},
    timings: when.timings,
    ...(request.ip === null || cached ? {} : { serverIPAddress: request.ip }),
    ...(protocol === "" ? {} : { _protocol: protocol }),
    _resourceType: types[request.type] ?? "other",
    _initiator: { type: "other" },
    ...(cached ? { _fromCache: "cache" as const } : {}),
    _trilane: {
      requestId: `${request.requestId}.${place}`,
      frame: request.frameId === 0 ? "main" : "child",
      documentUrl: urlWithoutCredentials(request.documentUrl || request.url),
      start_ns: toNs(when.start_ms),
      startOffset_ms: when.start_ms,
      response_ns: when.response_ms === null ? null : toNs(when.response_ms),
      end_ns: when.end_ms === null ? null : toNs(when.end_ms),
      complete: request.end_ms !== null && error === null,
      canceled: error === "NS_BINDING_ABORTED",
      blocked: isBlockedError(error) ? error : null,
      connectionReused: hasPhases && when.timings.connect > 0 ? false : null,
      serverPort: port === "" ? null : Number(port),
    },
  };
}

/** Text where that is the same as its bytes in every encoding, else base64. */
export function bodyTextOf(chunks: readonly Uint8Array[]): BodyText {
  let bytes = "";
  // fromCharCode takes some ten thousand arguments.
  for (const chunk of chunks)
    for (let place = 0; place < chunk.length; place += 8192)
      bytes += String.fromCharCode(...chunk.subarray(place, place + 8192));
  return /^\p{ASCII}*$/u.test(bytes) ? { text: bytes } : { text: btoa(bytes), encoding: "base64" };
}

/** `origin_ms`: when the navigation began, since the epoch. */
export function watchedEntries(
  requests: readonly WebRequest[],
  frames: readonly ObservedFrame[],
  origin_ms: number,
): WatchedEntries {
  const find = timelines(frames);
  const chains = Map.groupBy(requests, ({ requestId }) => requestId);
  let compared = 0;
  let differing = 0;
  let hidden = 0;
  const found = [...chains.values()].flatMap((hops) =>
    hops.map((request, hop) => {
      const first = hops[0] ?? request;
      // Of a chain the timeline has one resource, with the last answer's facts.
      const timed = hop === hops.length - 1 ? find(first, request) : null;
      const said = timed?.resource.nextHopProtocol.toLowerCase() ?? "";
      const inStatus = protocolOf(request.statusLine);
      if (said !== "" && inStatus !== "" && !request.fromCache) {
        compared++;
        if (said !== inStatus) differing++;
      }
      if (request.status > 0 && !request.fromCache && !(timed && timed.resource.requestStart > 0)) hidden++;
      return {
        request,
        entry: entryOf(
          request,
          hops.length > 1 && timed ? { ...timed, resource: { ...timed.resource, requestStart: 0 } } : timed,
          hop,
          origin_ms,
        ),
      };
    }),
  );
  found.sort((a, b) => a.entry._trilane.start_ns - b.entry._trilane.start_ns);
  const ofResponses = new Map<number, BodyText>();
  const ofRequests = new Map<number, string>();
  for (const [place, { request }] of found.entries()) {
    if (request.body !== null && request.error === null) ofResponses.set(place, bodyTextOf(request.body));
    if (request.sentText !== null) ofRequests.set(place, request.sentText);
  }
  return {
    entries: withStyleSheets(found.map(({ entry }) => entry)),
    bodies: { ofResponses, ofRequests },
    compared,
    differing,
    hidden,
  };
}
