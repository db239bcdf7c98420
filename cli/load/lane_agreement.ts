// Was each request answered on the lane's protocol? By the connection that it came over in the replay's report, and by what the
// browser says of its answer: the two have to agree. Pure: data in, reasons out.
//
// The browser sometimes does not say what an answer came on. The server's word is enough for a few of those: as many as may have no
// recorded answer.
//
// A request that no entry requested (a report, another try) is judged by the server's word. Not judged are WebSockets, which are
// HTTP/1.1 on every lane (RFC 6455), and what never left the browser (served_requests.ts).
import type { HarEntry, LoadFallback } from "../../schemas/generated/page_load.ts";
import { choosesQuic, isOverTcp, type Lane, laneFacts } from "../base/lanes.ts";
import type { LinkProfile } from "../link/link.ts";
import { coverageBounds } from "./metrics/coverage.ts";
import type { ReplayedRequest, ReplayReport, ShaperReport } from "./reports.ts";
import { type Connections, isOnWire, type Joined, type ServedEntry, servedProtocol } from "./served_requests.ts";

// What a link that refuses, limits or delays UDP does to a load: on lanes on which the browser chooses between QUIC and TCP, whether it
// went back to TCP and after which time, which is a result; on lanes that are forced onto QUIC, why nothing could be loaded. Pure.

/** Protocols beside the lane's own on which requests may be answered: those of TCP, where the browser tried QUIC on such a link. */
export function fallbackProtocols(lane: Lane, link: LinkProfile, shaper: ShaperReport | null): readonly string[] {
  const hasTried = typeof shaper?.udp?.quic_ns === "number";
  return link.udp && hasTried && choosesQuic(lane) ? ["h2"] : [];
}

interface FallbackEvidence {
  readonly lane: Lane;
  readonly link: LinkProfile;
  readonly shaper: ShaperReport | null;
  /** Of the requests before the load event that went over the link, ALPN's names; undefined: not answered. */
  readonly protocols: readonly (string | undefined)[];
}

/**
 * Null where nothing of the kind can happen. A load fell back if the browser tried QUIC, and then a request of a lane that is to be on
 * HTTP/3 throughout was answered over TCP; where HTTP/2 comes first (h3-altsvc), if none was answered over HTTP/3.
 */
export function fallbackOf({ lane, link, shaper, protocols }: FallbackEvidence): LoadFallback | null {
  if (!link.udp || !choosesQuic(lane)) return null;
  const { quic_ns = null, tcp_ns = null } = shaper?.udp ?? {};
  const overTcp = protocols.filter((protocol) => protocol !== undefined && protocol !== "h3").length;
  const overQuic = protocols.filter((protocol) => protocol === "h3").length;
  const fell_back = quic_ns !== null && overTcp > 0 && (overQuic === 0 || !isOverTcp(lane));
  return {
    fell_back,
    time_ms: fell_back && quic_ns !== null && tcp_ns !== null ? (tcp_ns - quic_ns) / 1e6 : null,
    requests_over_tcp: overTcp,
    requests: protocols.length,
  };
}

const blocked = "UDP is blocked on this link, and nothing but HTTP/3 is allowed on lane ";

/** Why a load that did not end could not: the lane is forced onto QUIC, and the link dropped all of it. Null: it is something else. */
export function blockedReason(lane: Lane, link: LinkProfile, shaper: ShaperReport | null): string | null {
  const isBlocked = link.udp !== undefined && "blocked" in link.udp;
  return laneFacts[lane].quic === "forced" && isBlocked && (shaper?.up.drops.udp ?? 0) > 0 ? `${blocked}${lane}` : null;
}

/** That another try comes to the same. */
export const isBlockedReason = (reason: string): boolean => reason.startsWith(blocked);

/** What one side says a request was answered on: ALPN's name, or in words why it has none. */
interface Word {
  readonly protocol: string | null;
  readonly isSecure: boolean;
  readonly text: string;
}

const noWord = (text: string): Word => ({ protocol: null, isSecure: false, text });

function word(lane: Lane, protocol: string, isSecure: boolean): Word {
  return { protocol, isSecure, text: laneFacts[lane].clear && isSecure ? `${protocol} over TLS` : protocol };
}

/**
 * Whether the browser has to know the protocol: not before the answer, nor of what failed or was given up. And of a service worker's
 * script Chromium reports the end, but no answer.
 */
const isAnswered = ({ response: { status }, _trilane: { complete } }: HarEntry): boolean => complete && status > 0;

function browserWord(lane: Lane, entry: HarEntry | null): Word {
  if (!entry) return noWord("no such request");
  if (entry._protocol !== undefined) return word(lane, entry._protocol, entry.response._securityDetails !== undefined);
  return noWord(isAnswered(entry) ? "unknown protocol" : "no answer");
}

function serverWord(lane: Lane, request: ReplayedRequest | null, connections: Connections): Word {
  if (!request) return noWord("no such request");
  const protocol = servedProtocol(request, connections);
  if (protocol === null) return noWord("unknown connection");
  return word(lane, protocol, (connections.get(request.connection)?.tls_version ?? null) !== null);
}

/** HTTP/1.0 and 1.1 are one: a connection may have both. */
const family = (protocol: string): string => (protocol.startsWith("http/1.") ? "http/1" : protocol);

/** What the requests are held to. */
export interface Held {
  readonly lane: Lane;
  /** Further protocols that will do (fallbackProtocols). */
  readonly fallback?: readonly string[] | undefined;
}

/** unreported: the browser does not say what it was answered on. unseen: only the browser reports it. */
type Finding = "on lane" | "off lane" | "disagreement" | "unreported" | "unseen";

interface Judged {
  readonly finding: Finding;
  readonly url: string;
  /** What the two sides say, once where it is the same. */
  readonly words: string;
}

/** An entry is null where the browser reports no such request, a request where the server has no record of it. */
interface Seen {
  readonly entry: HarEntry | null;
  readonly request: ReplayedRequest | null;
}

function findingOf({ lane, fallback = [] }: Held, { entry, request }: Seen, browser: Word, server: Word): Finding {
  const { clear } = laneFacts[lane];
  const protocols = [...laneFacts[lane].protocols, ...fallback];
  const isOff = ({ protocol, isSecure }: Word): boolean =>
    protocol !== null && (!protocols.includes(protocol) || (clear && isSecure));
  if (isOff(browser) || isOff(server)) return "off lane";
  if (request && server.protocol === null) return "disagreement";
  if (browser.protocol === null) return entry && isAnswered(entry) ? "unreported" : "on lane";
  if (server.protocol === null) return "unseen";
  return family(browser.protocol) === family(server.protocol) ? "on lane" : "disagreement";
}

/** Where there is no report (`connections` is null) the browser's word is all. */
function judge(held: Held, connections: Connections | null, seen: Seen): Judged {
  const { lane } = held;
  const browser = browserWord(lane, seen.entry);
  const server = connections ? serverWord(lane, seen.request, connections) : browser;
  return {
    finding: findingOf(held, seen, browser, server),
    url: seen.entry?.request.url ?? seen.request?.url ?? "",
    words: browser.text === server.text ? browser.text : `browser: ${browser.text}; server: ${server.text}`,
  };
}

/** Whether either side says that it was answered otherwise than the lane has it. */
export const isOffLane = (held: Held, connections: Connections | null, served: ServedEntry): boolean =>
  isOnWire(served.entry) && judge(held, connections, served).finding === "off lane";

interface LaneEvidence extends Held {
  readonly joined: Joined;
  /** Of the moment that a request began; what began later is not judged. */
  readonly isBeforeLoad: (time_ns: number) => boolean;
  /** null: there is no report. */
  readonly counts: ReplayReport["counts"] | null;
}

/** One line each, with the first request's URL and words; empty: all were on the lane. */
export function laneReasons({ lane, fallback, joined, isBeforeLoad, counts }: LaneEvidence): string[] {
  const seen: Seen[] = [
    ...joined.served.filter(({ entry }) => isOnWire(entry) && isBeforeLoad(entry._trilane.start_ns)),
    ...joined.left
      .filter(({ websocket, request_ns }) => !websocket && isBeforeLoad(request_ns))
      .map((request) => ({ entry: null, request })),
  ];
  const judged = seen.map((each) => judge({ lane, fallback }, joined.connections, each));
  const of = (finding: Finding): Judged[] => judged.filter((each) => each.finding === finding);
  const reason = (found: readonly Judged[], what: string): string[] =>
    found[0] ? [`${found.length} of ${judged.length} requests ${what}: ${found[0].url} (${found[0].words})`] : [];
  const unreported = of("unreported");
  const isFew = unreported.length <= Math.max(1, coverageBounds.unanswered * judged.length);
  const unseen = of("unseen");
  // The report counts some that it does not list.
  const isSeen = counts !== null && unseen.length <= counts.unlisted + counts.lost_events;
  return [
    ...reason(of("off lane"), `not on ${lane}`),
    ...(isFew ? [] : reason(unreported, "of which the browser does not say the protocol")),
    ...reason(
      [...of("disagreement"), ...(isSeen ? [] : unseen)],
      "of which browser and server say different protocols",
    ),
  ];
}
