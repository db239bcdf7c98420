// Joins a page's entries with the replay's record of its requests: which of the requests that the server saw answers which entry.
// Counts the connections that its requests used, and those that carried none. Pure; judges nothing.
//
// Both sides know a request by method and URL only, and a page may ask for one URL several times, over connections that overtake
// one another. Of these a request goes first to an entry that was answered on the protocol of the request's connection, and was
// under way when the request came: so the two sides disagree only where they would in any order.
import { withoutFragment } from "../../extension/capture/url_without_credentials.ts";
import type { HarEntry, ServedOn, UnusedConnections } from "../../schemas/generated/page_load.ts";
import { type Lane, laneFacts } from "../base/lanes.ts";
import { clearUrl } from "../browser/clear.ts";
import { urlOnLane } from "./lane_origins.ts";
import type { ReplayConnection, ReplayedRequest, ReplayReport } from "./reports.ts";

// Which of a page's entries went to the network, and which of these are the page's own. Pure; judges nothing.

/** What a service worker answers it had, or requested by a request of its own, which is another entry. */
export const isFromCache = ({ _fromCache, response }: HarEntry): boolean =>
  _fromCache !== undefined || response._fetchedViaServiceWorker === true;

/** What a network could serve at all: a redirect may lead to an extension of the browser that recorded. */
export const isHttp = ({ request }: HarEntry): boolean => /^https?:/i.test(request.url);

/**
 * A redirect that the browser made up, as a host's HSTS policy or HTTPS record wants it (Chromium's URLRequestRedirectJob). It
 * bears the header on no connection; a recorded one comes over some.
 */
function isInternalRedirect({ _connectionId, response: { headers } }: HarEntry): boolean {
  return _connectionId === undefined && headers.some(({ name }) => name.toLowerCase() === "non-authoritative-reason");
}

/** Requests that were meant for the network. */
export function isOnWire(entry: HarEntry): boolean {
  return !isFromCache(entry) && entry._trilane.blocked === null && !isInternalRedirect(entry);
}

export function isFailed(entry: HarEntry): boolean {
  return entry.response._error !== null && !entry._trilane.canceled && entry._trilane.blocked === null;
}

const headerOf = ({ request: { headers } }: HarEntry, wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value.toLowerCase() ?? "";

/** Where a page's icon is if the page names none. */
function isUsualIcon({ request: { url }, _trilane: { documentUrl } }: HarEntry): boolean {
  return URL.parse("/favicon.ico", documentUrl)?.href === url;
}

/**
 * The page's icon, which the browser fetches for its own tab when the page is loaded: nothing in the page began it, no element
 * waits for it, and it asks for an image.
 */
export function isIcon(entry: HarEntry): boolean {
  if (entry._resourceType !== "other" || entry._initiator.type !== "other" || entry._trilane.frame !== "main")
    return false;
  return (
    headerOf(entry, "sec-fetch-dest") === "image" ||
    headerOf(entry, "accept").startsWith("image/") ||
    isUsualIcon(entry)
  );
}

export interface ServedEntry {
  /** With what the replay made of its request. */
  readonly entry: HarEntry;
  /** null: it was not meant for the network, or the server has no record of it. */
  readonly request: ReplayedRequest | null;
}

/** By a connection's id. */
export type Connections = ReadonlyMap<number | null, ReplayConnection>;

export interface Joined {
  /** In the order of the entries. */
  readonly served: readonly ServedEntry[];
  /** What no entry requested, WebSockets too, which the browser does not tell among requests. */
  readonly left: readonly ReplayedRequest[];
  /** null: there is no report. */
  readonly connections: Connections | null;
}

interface JoinOptions {
  readonly wireUrl: ToWireUrl;
  readonly entries: readonly HarEntry[];
  readonly replay: Pick<ReplayReport, "requests"> | null;
  /** Of all visits: one may go on over connections of the one before. */
  readonly connections: readonly ReplayConnection[] | undefined;
}

export type ToWireUrl = (url: string) => string;

/** By what the origins know a request: in clear it left the browser for another place than the page named. */
export function toWireUrl(lane: Lane, upgraded: boolean): ToWireUrl {
  return (url) => {
    const onLane = withoutFragment(urlOnLane(url, lane, upgraded));
    return laneFacts[lane].clear ? clearUrl(onLane) : onLane;
  };
}

/** What a connection's requests are answered on, as ALPN has it; of HTTP/1 both versions. */
const protocolsOn = ({ lane }: ReplayConnection): readonly string[] => laneFacts[lane].protocols;

const named = { h1: "http/1.1", h2: "h2", h3: "h3" } as const;

/** What it came over; null: the report does not know the connection. */
export function servedProtocol({ connection }: ReplayedRequest, connections: Connections): ServedOn["protocol"] | null {
  const found = connections.get(connection);
  return found ? named[found.lane] : null;
}

type Fits = (entry: HarEntry, request: ReplayedRequest) => boolean;

function isInTime({ _trilane: { start_ns, end_ns } }: HarEntry, { request_ns }: ReplayedRequest): boolean {
  return request_ns >= start_ns && (end_ns === null || request_ns <= end_ns);
}

/** The requests of one method and URL, to the entries that requested it, both in order. */
function assign(
  entries: readonly HarEntry[],
  requests: readonly ReplayedRequest[],
  connections: Connections,
): Map<HarEntry, ReplayedRequest> {
  const waiting = [...requests];
  const found = new Map<HarEntry, ReplayedRequest>();
  const agrees: Fits = ({ _protocol }, request) => {
    const connection = connections.get(request.connection);
    return _protocol !== undefined && connection !== undefined && protocolsOn(connection).includes(_protocol);
  };
  const inTurn: Fits[] = [(...pair) => agrees(...pair) && isInTime(...pair), agrees, isInTime, () => true];
  for (const fits of inTurn) {
    for (const entry of entries) {
      const place = found.has(entry) ? -1 : waiting.findIndex((request) => fits(entry, request));
      const [request] = place < 0 ? [] : waiting.splice(place, 1);
      if (request) found.set(entry, request);
    }
  }
  return found;
}

function withServed(entry: HarEntry, request: ReplayedRequest | undefined, connections: Connections): HarEntry {
  if (!request) return entry;
  const { connection, outcome, instead, unrecorded } = request;
  const protocol = servedProtocol(request, connections);
  return {
    ...entry,
    _trilane: {
      ...entry._trilane,
      match: outcome,
      ...(connection !== null && protocol ? { served: { connection, protocol } } : {}),
      ...(unrecorded ? { unrecorded } : {}),
      ...(instead ? { instead } : {}),
    },
  };
}

export function joinServed({ wireUrl, entries, replay, connections }: JoinOptions): Joined {
  const byId: Connections = new Map(connections?.map((connection) => [connection.id, connection]));
  const replayed = (replay?.requests ?? []).toSorted((a, b) => a.request_ns - b.request_ns);
  const sought = Map.groupBy(entries.filter(isOnWire), ({ request }) => `${request.method} ${wireUrl(request.url)}`);
  const came = Map.groupBy(
    replayed.filter(({ websocket }) => !websocket),
    ({ method, url }) => `${method} ${withoutFragment(url)}`,
  );
  const found = new Map([...sought].flatMap(([key, of]) => [...assign(of, came.get(key) ?? [], byId)]));
  const taken = new Set(found.values());
  return {
    served: entries.map((entry) => {
      const request = found.get(entry);
      return { entry: withServed(entry, request, byId), request: request ?? null };
    }),
    left: replayed.filter((request) => !taken.has(request)),
    connections: replay && byId,
  };
}

/** Of entries that went to the network: by the browser's word, or, where it says nothing of any (Firefox), by the server's. */
export function usedConnections(entries: readonly HarEntry[]): number {
  const named = new Set(entries.flatMap(({ _connectionId }) => _connectionId ?? []));
  return named.size > 0
    ? named.size
    : new Set(entries.flatMap(({ _trilane: { served } }) => served?.connection ?? [])).size;
}

/** By protocol; null: there is no report. `replay`: of the visit that counts. */
export function unusedConnections(
  replay: Pick<ReplayReport, "connections" | "requests"> | null,
): UnusedConnections | null {
  if (!replay) return null;
  const used = new Set(replay.requests.map(({ connection }) => connection));
  const counts: UnusedConnections = {};
  for (const { id, lane } of replay.connections) if (!used.has(id)) counts[lane] = (counts[lane] ?? 0) + 1;
  return counts;
}
