// What was captured, what bodies were told and what was logged -> a HAR to import, with what went over the wire beside
// it. Pure: attaches to nothing, reads no file.
//
// DevTools tells what the page did; the net log what the network did. The page's requests are the former's, with the
// latter's headers (in order) and bytes. What the log alone knows, from workers that no session could be attached
// to, is taken from there.

import type { Protocol } from "devtools-protocol";
import type { BodyTexts } from "../../extension/capture/bodies.ts";
import { entriesOf, navigationRequest } from "../../extension/capture/entries.ts";
import type { Capture, CapturedRequest } from "../../extension/capture/requests.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Header } from "../archive/archive.ts";
import type { WireFacts } from "../import/wire_facts.ts";
import { Certificates } from "./certificates.ts";
import type { LoggedConnection, LoggedRequest, NetLog } from "./net_log.ts";
import { pair } from "./pair.ts";

export interface Recorded {
  /** HAR 1.2. */
  readonly har: unknown;
  /** For the entry at this place of log.entries. */
  readonly wireOf: (index: number) => WireFacts | null;
  readonly counts: {
    /** Requests that had a response from the network. */
    readonly answered: number;
    /** Of these, those whose bytes on the wire were seen. */
    readonly seen: number;
    /** Requests that only the log knew. */
    readonly unattended: number;
  };
}

type SecurityDetails = Protocol.Network.SecurityDetails;

interface HarLine {
  readonly name: string;
  readonly value: string;
}

/** Pseudo-headers are no headers, and HAR has their content elsewhere. */
const linesOf = (headers: readonly Header[]): HarLine[] =>
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

type ToWallTime = (monotonic_ms: number) => string;

function harEntry({ entry, request, logged }: Known, bodies: BodyTexts, toWallTime: ToWallTime): object {
  const body = bodies.ofResponses.get(request);
  const sentBody = requestBody(request, bodies);
  const { response } = entry;
  const isPreflight = request.sent.initiator.type === "preflight";
  return {
    ...entry,
    // Told late, but sent before the request that it was made for.
    ...(logged && isPreflight ? { startedDateTime: toWallTime(logged.started_ms) } : {}),
    request: {
      ...entry.request,
      headers: logged?.requestHeaders ? linesOf(logged.requestHeaders) : entry.request.headers,
      ...(sentBody ? { postData: { mimeType: entry.request.postData?.mimeType ?? "", ...sentBody } } : {}),
    },
    response: {
      ...response,
      headers: logged?.responseHeaders ? linesOf(logged.responseHeaders) : response.headers,
      content: body ? { ...response.content, ...body } : response.content,
    },
    ...(response._fetchedViaServiceWorker ? { _fetchedViaServiceWorker: true } : {}),
  };
}

/** An answered request of the page that no session told of. */
function unattendedEntry(logged: LoggedRequest, toWallTime: ToWallTime): object {
  const { method, url, status, started_ms, requestHeaders, responseHeaders, body } = logged;
  const size = body.reduce((sum, { length }) => sum + length, 0);
  const type = responseHeaders?.find(([name]) => name === "content-type")?.[1];
  return {
    pageref: "page_1",
    startedDateTime: toWallTime(started_ms),
    time: 0,
    request: { method, url, headers: linesOf(requestHeaders ?? []) },
    response: {
      status,
      headers: linesOf(responseHeaders ?? []),
      content: { size, mimeType: type ?? "" },
      redirectURL: responseHeaders?.find(([name]) => name === "location")?.[1] ?? "",
    },
    _resourceType: "other",
  };
}

/** Bodies of redirects are not read by the browser, nor are those of requests without a response. */
const bodyIsSeen = (entry: HarEntry): boolean =>
  entry._trilane.complete && !(entry.response.status >= 300 && entry.response.status < 400);

/** What was told of a server's certificate: of later responses over a connection it is not always. */
function securityDetailsOf(known: readonly Known[]): (request: CapturedRequest) => SecurityDetails | null {
  const ofOrigin = new Map<string, SecurityDetails>();
  const originOf = (request: CapturedRequest): string => new URL(request.sent.request.url).origin;
  for (const { request } of known) {
    const details = request.response?.securityDetails;
    if (details && !ofOrigin.has(originOf(request))) ofOrigin.set(originOf(request), details);
  }
  return (request) => request.response?.securityDetails ?? ofOrigin.get(originOf(request)) ?? null;
}

function wireFactsOf(known: readonly Known[], { connections }: NetLog): WireFacts[] {
  const certificates = new Certificates(connections);
  const detailsOf = securityDetailsOf(known);
  return known.map(({ entry, request, logged }) => {
    const details = detailsOf(request);
    const address = addressOf(request);
    const isWhole = logged !== null && logged.status === entry.response.status && bodyIsSeen(entry);
    return {
      body: isWhole ? Buffer.concat(logged.body) : null,
      trailers: logged?.trailers ?? [],
      certificate: details ? certificates.of(details, address) : null,
      tlsVersion: details?.protocol ?? null,
      connect_ms: connectTimeTo(address, connections),
    };
  });
}

function unattendedFacts({ body, trailers, status }: LoggedRequest): WireFacts {
  const isRedirect = status !== null && status >= 300 && status < 400;
  return {
    body: isRedirect ? null : Buffer.concat(body),
    trailers,
    certificate: null,
    tlsVersion: null,
    connect_ms: null,
  };
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
    new Date((first?.sent.wallTime ?? 0) * 1000 + monotonic_ms - navigationStart_s * 1000).toISOString();
  const entries = entriesOf(capture, { pageref: "page_1", navigationStart_s });
  const keyOf = (requestId: string, start_ns: number): string => `${requestId} ${start_ns}`;
  const requestOf = new Map(
    capture.requests.map((request) => [keyOf(request.requestId, Math.round(request.sent.timestamp * 1e9)), request]),
  );
  const { ofEntries, left } = pair(entries, net.requests);
  const known = entries.flatMap((entry, index): Known[] => {
    const request = requestOf.get(keyOf(entry._trilane.requestId, entry._trilane.start_ns));
    return request ? [{ entry, request, logged: ofEntries[index] ?? null }] : [];
  });
  // What the browser asks for itself is keyed by another site, or by none.
  const sites = new Set(known.flatMap(({ logged }) => (logged?.isolation ? [logged.isolation] : [])));
  const unattended = left.filter(({ isolation }) => sites.has(isolation));
  const facts = [...wireFactsOf(known, net), ...unattended.map(unattendedFacts)];
  const answered = known.filter(({ entry }) => entry.response.status > 0 && entry._fromCache === undefined);
  return {
    har: {
      log: {
        version: "1.2",
        creator: { name: "trilane", version: "" },
        browser,
        pages: [
          {
            id: "page_1",
            startedDateTime: toWallTime(navigationStart_s * 1000),
            title: first?.sent.request.url ?? "",
            pageTimings: {},
          },
        ],
        entries: [
          ...known.map((each) => harEntry(each, bodies, toWallTime)),
          ...unattended.map((logged) => unattendedEntry(logged, toWallTime)),
        ],
      },
    },
    wireOf: (index) => facts[index] ?? null,
    counts: {
      answered: answered.length + unattended.length,
      seen: answered.filter(({ logged }) => logged !== null).length + unattended.length,
      unattended: unattended.length,
    },
  };
}
