// Is this load what was planned? Joins the page's requests with the replay's record of them, counts, and gives the
// reasons why a load may not be averaged. Pure: data in, verdict out.
//
// What happens after the load event cannot change PLT, so a request that began then is counted but spoils nothing.
import type {
  BackgroundRequest,
  HarEntry,
  LoadCounts,
  LoadCoverage,
  LoadFacts,
  LoadFallback,
} from "../../schemas/generated/page_load.ts";
import { type Lane, laneFacts } from "../base/lanes.ts";
import { lookedUpFor } from "../browser/stand_ins.ts";
import type { LinkProfile } from "../link/link.ts";
import type { RecordedRequests } from "../recording/archive/recorded_requests.ts";
import { hintedPreloadsOf } from "./hinted_preloads.ts";
import { blockedReason, fallbackOf, fallbackProtocols, isOffLane, laneReasons } from "./lane_agreement.ts";
import { loadCoverage, whyUnrecorded } from "./load_coverage.ts";
import { coverageReasons, type FirstBeyond, isEssential } from "./metrics/coverage.ts";
import type { ReplayedRequest, ReplayReport, ShaperReport } from "./reports.ts";
import {
  isFailed,
  isFromCache,
  isHttp,
  isIcon,
  isOnWire,
  type Joined,
  joinServed,
  type ToWireUrl,
  toWireUrl,
  unusedConnections,
  usedConnections,
} from "./served_requests.ts";
import { neverWhole } from "./time_out.ts";
import { lastVisit, repeatReasons } from "./visits.ts";

/**
 * How a connection ends for the browser when the other end, or the network, does not know it any more; SOCKET_NOT_CONNECTED is for
 * requests that were yet to be sent on it.
 */
const lostConnection =
  /^(net::ERR_(CONNECTION_\w+|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|HTTP2_\w+|QUIC_\w+|TIMED_OUT|NETWORK_CHANGED)|NS_ERROR_(NET_\w+|CONNECTION_REFUSED))$/;

/** Those that failed so after the first move; none where the link did not move. */
export function lostToMoves(entries: readonly HarEntry[], shaper: ShaperReport | null): HarEntry[] {
  const first_ns = shaper?.moves?.list[0]?.at_ns;
  if (first_ns === undefined) return [];
  return entries.filter(
    (entry) =>
      isFailed(entry) &&
      isHttp(entry) &&
      lostConnection.test(entry.response._error ?? "") &&
      (entry._trilane.end_ns ?? 0) >= first_ns,
  );
}

export type Status = LoadFacts["status"];

export interface Evidence {
  readonly lane: Lane;
  readonly entries: readonly HarEntry[];
  /** What failed when the page was recorded, and so is not held against a load. */
  readonly failedUrls: readonly string[];
  /** What the recording has; null: not known, and a load is judged as strictly as can be. */
  readonly recorded: RecordedRequests | null;
  /** How long it was given, in the lab's time. */
  readonly timeout_ms: number;
  /** Whether the recording must have an answer to each request before the load event. */
  readonly strict: boolean;
  /** Whether no request may be answered with the response to another one, as a video's segments may not. */
  readonly exact?: boolean;
  /** Whether what was recorded over http:// was served as https://. */
  readonly upgraded: boolean;
  /** Documents that the main frame came to show. */
  readonly documents: readonly string[];
  /** End of the load event on the reports' clock; null: it never came. */
  readonly loadEnd_ns: number | null;
  readonly replay: ReplayReport | null;
  readonly shaper: ShaperReport | null;
  /** Absent: one that treats UDP as anything else. */
  readonly link?: LinkProfile;
  /** What its server did that it should not (server_run.ts); empty: nothing. */
  readonly server?: readonly string[];
  /** Its server does not say what a request came over: the browser's word is all. */
  readonly isUnlogged?: boolean;
  /** Its servers are live: there is no report of theirs, and the browser's word is all. */
  readonly isLive?: boolean;
  /** Why what accompanied it was not as planned (step.ts): flows beside it, the machine; empty: it was. */
  readonly spoilt?: readonly string[];
  /** Why the load did not end (a crash, a time-out), if it did not. */
  readonly failure: string | null;
}

export interface Verdict {
  readonly status: Status;
  readonly reasons: string[];
  readonly counts: LoadCounts;
  readonly coverage: LoadCoverage | null;
  /** null: the lane or the link leaves no room for it. */
  readonly fallback: LoadFallback | null;
  /** Requests on the wire by protocol. */
  readonly protocols: Record<string, number>;
  /** The entries with what the replay made of them. */
  readonly entries: HarEntry[];
  readonly background: BackgroundRequest[];
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^\[|\]$/g, "").toLowerCase();
  } catch {
    return "";
  }
}

/** What is none of the page's entries: requests that they have no part in, WebSockets too, and names that no entry's host is. */
function backgroundOf(
  wireUrl: ToWireUrl,
  entries: readonly HarEntry[],
  left: readonly ReplayedRequest[],
  replay: ReplayReport | null,
) {
  const hosts = new Set(entries.flatMap(({ request: { url } }) => [hostOf(url), hostOf(wireUrl(url))]));
  const names = (replay?.dns ?? []).filter(
    ({ name }) => !hosts.has(lookedUpFor(name.replace(/\.$/, "").toLowerCase())),
  );
  return [
    ...left.map(({ url, outcome, websocket }) => ({ url: websocket ? url.replace(/^http/, "ws") : url, outcome })),
    ...[...new Map(names.map(({ name, answer }) => [name, answer]))].map(([name, answer]) => ({
      url: `dns:${name}`,
      outcome: answer,
    })),
  ];
}

function countsOf(entries: readonly HarEntry[], offLane: number, replay: ReplayReport | null): LoadCounts {
  const onWire = entries.filter(isOnWire);
  const matching = (match: string) => onWire.filter((entry) => entry._trilane.match === match).length;
  return {
    requests: onWire.length,
    bytes: onWire.reduce((sum, entry) => sum + entry.response._transferSize, 0),
    connections: usedConnections(onWire),
    unused_connections: unusedConnections(replay),
    matched: matching("exact"),
    fuzzy: matching("fuzzy"),
    missed: matching("missed"),
    failed: onWire.filter(isFailed).length,
    off_lane: offLane,
  };
}

function protocolsOf(entries: readonly HarEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { _protocol } of entries.filter(isOnWire)) if (_protocol) counts[_protocol] = (counts[_protocol] ?? 0) + 1;
  return counts;
}

/** Whatever the lane: `h1-clear` takes https:// for http://, the browser's HSTS list the other way. */
const withoutScheme = (url: string): string => url.replace(/^https?:/i, "");

/** The shown document was not the one that was requested; the one that came last can be raced itself, unless it reloads for ever. */
function replacementReasons(documents: readonly string[]): string[] {
  const last = documents.at(-1);
  if (last === undefined || documents.length < 2) return [];
  const isReload = documents.slice(0, -1).some((url) => withoutScheme(url) === withoutScheme(last));
  return [`${replaced} ${last}: its load has no one beginning${isReload ? "" : ": record and race that URL instead"}`];
}

/** "3 of 21 requests ...: the first URL"; nothing where there are none. */
function reasonFor(found: readonly HarEntry[], total: number, what: string): string[] {
  const [first] = found;
  if (!first) return [];
  const detail = first.response._error ?? first._protocol;
  return [`${found.length} of ${total} requests ${what}: ${first.request.url}${detail ? ` (${detail})` : ""}`];
}

/**
 * Why no load of this sweep can be what was planned any more: the replay served another recording of that name. Null where
 * it served the one with the planned digest, or left no report.
 */
export function replacedRecording(
  planned: { readonly name: string; readonly digest: string },
  replay: Pick<ReplayReport, "recording"> | null,
): string | null {
  if (!replay || replay.recording.digest === planned.digest) return null;
  const digests = `${planned.digest.slice(0, 12)}, now ${replay.recording.digest.slice(0, 12)}`;
  return (
    `recording ${planned.name} was replaced while it was measured (${digests}): ` +
    "bring the earlier one back and run the same command again, or begin again with --new"
  );
}

const replaced = "the page replaced itself by";

export const isReplaced = (reason: string): boolean => reason.startsWith(`${replaced} `);

export function verify(evidence: Evidence): Verdict {
  const { lane, link, shaper, failure, loadEnd_ns, recorded } = evidence;
  const held = { lane, fallback: link && fallbackProtocols(lane, link, shaper) };
  const replay = evidence.replay && (laneFacts[lane].repeat ? lastVisit(evidence.replay) : evidence.replay);
  const wireUrl = toWireUrl(lane, evidence.upgraded);
  const recordedFailures = new Set(evidence.failedUrls.map(wireUrl));
  const join = (entries: readonly HarEntry[]): Joined => {
    const found = joinServed({ wireUrl, entries, replay, connections: evidence.replay?.connections });
    return evidence.isUnlogged ? { ...found, connections: null } : found;
  };
  const captured = join(evidence.entries);
  const preloads = hintedPreloadsOf(captured, wireUrl);
  const joined =
    preloads.length === 0
      ? captured
      : join([...evidence.entries, ...preloads].toSorted((a, b) => a._trilane.start_ns - b._trilane.start_ns));
  const { true: icons = [], false: ofPage = [] } = Object.groupBy(joined.served, ({ entry }) => `${isIcon(entry)}`);
  const entries = ofPage.map(({ entry }) => {
    const unrecorded = isOnWire(entry) ? whyUnrecorded(entry, recordedFailures.has(wireUrl(entry.request.url))) : null;
    return unrecorded === null ? entry : { ...entry, _trilane: { ...entry._trilane, unrecorded } };
  });
  const onWire = entries.filter(isOnWire);
  const isBeforeLoad = (time_ns: number): boolean => loadEnd_ns === null || time_ns <= loadEnd_ns;
  const beforeLoad = onWire.filter((entry) => isBeforeLoad(entry._trilane.start_ns));
  const facts = {
    counts: countsOf(entries, ofPage.filter((each) => isOffLane(held, joined.connections, each)).length, replay),
    protocols: protocolsOf(entries),
    background: backgroundOf(
      wireUrl,
      entries,
      [...icons.flatMap(({ request }) => request ?? []), ...joined.left],
      replay,
    ),
    entries,
    fallback: link ? fallbackOf({ lane, link, shaper, protocols: beforeLoad.map(({ _protocol }) => _protocol) }) : null,
  };
  const blocked = failure !== null && link ? blockedReason(lane, link, shaper) : null;
  if (blocked !== null) return { status: "invalid", reasons: [blocked], coverage: null, ...facts };
  const broken = evidence.server ?? [];
  if (failure !== null)
    return {
      // Of a page whose server ended no time says how long it takes.
      status: broken.length > 0 ? "invalid" : "failed",
      reasons: [...broken, lostDocument(failure, onWire, evidence) ?? failure, ...(evidence.spoilt ?? [])],
      coverage: null,
      ...facts,
    };

  const coverage =
    recorded && evidence.replay && replay
      ? loadCoverage({ recorded, entries, beforeLoad, replayed: replay.requests, visited: evidence.replay.requests })
      : null;
  const judged = beforeLoad.filter(({ request }) => !recordedFailures.has(wireUrl(request.url)));
  const missing = [
    ...(evidence.strict || (coverage === null && !evidence.isLive) ? strictReasons(judged) : failureReasons(judged)),
    ...(evidence.isLive ? refusedDocument(entries) : []),
    ...(coverage === null ? [] : coverageReasons(coverage, firstBeyond(beforeLoad), evidence.strict)),
    ...(evidence.exact ? reasonFor(judged.filter(isFuzzy), judged.length, "were answered as another one") : []),
  ];
  const lost = lostToMoves(judged, shaper);
  const hasLost = lost.length > 0;
  const reasons = [
    ...(loadEnd_ns === null ? ["the load event did not end"] : []),
    ...replacementReasons(evidence.documents),
    // A kept cache may have it all.
    ...(onWire.length === 0 && !(laneFacts[lane].repeat && entries.some(isFromCache)) ? ["no request was seen"] : []),
    ...laneReasons({ ...held, joined, isBeforeLoad, counts: replay?.counts ?? null }),
    ...(hasLost ? [] : missing),
    ...(laneFacts[lane].quic === "alt-svc" ? unlearntReasons(onWire) : []),
    ...(replay && laneFacts[lane].repeat ? repeatReasons(replay) : []),
    ...(replay || evidence.isLive ? [] : ["trilane-replay left no report"]),
    ...(shaper ? [] : ["trilane-shaper left no report"]),
    ...broken,
    ...(evidence.spoilt ?? []),
  ];
  if (hasLost && reasons.length === 0)
    return {
      status: "failed",
      reasons: [neverWholeFor(lost, judged.length, evidence.timeout_ms)],
      coverage: null,
      ...facts,
    };
  return {
    status: reasons.length === 0 ? "valid" : "invalid",
    reasons: hasLost ? [...reasons, ...missing] : reasons,
    coverage,
    ...facts,
  };
}

/** A navigation's failure names the error of its document's request: if the link's move lost that, nothing of the page comes. */
function lostDocument(failure: string, onWire: readonly HarEntry[], { shaper, timeout_ms }: Evidence): string | null {
  const lost = lostToMoves(onWire, shaper);
  const isItsError = lost.some(({ response: { _error } }) => typeof _error === "string" && failure.endsWith(_error));
  return isItsError ? neverWholeFor(lost, onWire.length, timeout_ms) : null;
}

/** A page that lacks what its link's move lost never will have it: it counts as one that took longer than it was given. */
function neverWholeFor(lost: readonly HarEntry[], total: number, timeout_ms: number): string {
  const [why = ""] = reasonFor(lost, total, "were lost when the link moved");
  return neverWhole(timeout_ms, why);
}

function firstBeyond(beforeLoad: readonly HarEntry[]): FirstBeyond | null {
  const first = beforeLoad.find(({ _trilane: { unrecorded } }) => unrecorded === "other");
  return first ? { url: first.request.url, essential: isEssential(first._resourceType) } : null;
}

const isFuzzy = ({ _trilane }: HarEntry): boolean => _trilane.match === "fuzzy";
const isMissed = ({ _trilane }: HarEntry): boolean => _trilane.match === "missed";
const notRecorded = "not in the recording";

/** One that --strict alone may make: a request without a recorded answer. */
export const isUnrecordedReason = (reason: string): boolean => reason.includes(` requests ${notRecorded}: `);

/** Each request has a recorded answer, and gets it. */
function strictReasons(judged: readonly HarEntry[]): string[] {
  return [
    ...reasonFor(judged.filter(isMissed), judged.length, notRecorded),
    ...reasonFor(
      judged.filter((entry) => isFailed(entry) && !isMissed(entry)),
      judged.length,
      "failed",
    ),
  ];
}

/** Answered, but kept from the page, which is the page's own doing on every lane: CORS, ORB, CSP, a redirect to an unknown scheme, thousands at once. */
const keptFromPage =
  /^(net::ERR_(FAILED|ABORTED|INSUFFICIENT_RESOURCES|BLOCKED_BY_\w+|UNSAFE_\w+|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)|NS_BINDING_ABORTED|NS_ERROR_(DOM_\w+|FAILURE|UNKNOWN_PROTOCOL|CONTENT_BLOCKED))$/;

/** The page itself where it is not recorded, and what failed on its way though it was. */
function failureReasons(judged: readonly HarEntry[]): string[] {
  const [document] = judged;
  const failed = judged.filter(
    (entry) =>
      isFailed(entry) && entry._trilane.unrecorded === undefined && !keptFromPage.test(entry.response._error ?? ""),
  );
  return [
    // Whatever its share: without it there is no page.
    ...reasonFor(document && isMissed(document) ? [document] : [], judged.length, notRecorded),
    ...reasonFor(failed.filter(isHttp), judged.length, "failed"),
  ];
}

/** Who is loaded often may answer with a page that says so. Of a recording no such page is made. */
function refusedDocument(entries: readonly HarEntry[]): string[] {
  const last = entries.findLast(
    ({ _resourceType, _trilane }) => _resourceType === "document" && _trilane.frame === "main",
  );
  const status = last?.response.status ?? 0;
  return status >= 400 ? [`the servers answered with an error page: status ${status}`] : [];
}

/** What is learnt from a response cannot have been known to the first request. */
function unlearntReasons([first]: readonly HarEntry[]): string[] {
  return first?._protocol === "h3"
    ? [`the first request was on h3 before any answer told of it: ${first.request.url}`]
    : [];
}
