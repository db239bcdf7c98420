// Is this load what was asked? Joins the page's requests with the replay's record of them, counts, and gives the
// reasons why a load may not be averaged. Pure: data in, verdict out.
//
// What happens after the load event cannot change PLT, so a request that began then is counted but spoils nothing.
import type {
  BackgroundRequest,
  HarEntry,
  LoadCounts,
  LoadCoverage,
  LoadFacts,
} from "../../schemas/generated/page_load.ts";
import { type Lane, laneFacts } from "../base/lanes.ts";
import { clearUrl } from "../browser/clear.ts";
import type { RecordedRequests } from "../recording/archive/recorded_requests.ts";
import { urlOnLane } from "./clear_origins.ts";
import { isFromCache, isHttp, loadCoverage, whyUnrecorded } from "./load_coverage.ts";
import { coverageReasons, type FirstBeyond, isEssential } from "./metrics/coverage.ts";
import type { ReplayedRequest, ReplayReport, ShaperReport } from "./reports.ts";
import { lastVisit, repeatReasons } from "./visits.ts";

export type Status = LoadFacts["status"];

export interface Evidence {
  readonly lane: Lane;
  readonly entries: readonly HarEntry[];
  /** What failed when the page was recorded, and so is not held against a load. */
  readonly failedUrls: readonly string[];
  /** What the recording has; null: not known, and a load is judged as strictly as can be. */
  readonly recorded: RecordedRequests | null;
  /** Whether the recording must have an answer to each request before the load event. */
  readonly strict: boolean;
  /** Whether what was recorded over http:// was served as https://. */
  readonly upgraded: boolean;
  /** Documents that the main frame came to show. */
  readonly documents: readonly string[];
  /** End of the load event on the reports' clock; null: it never came. */
  readonly loadEnd_ns: number | null;
  readonly replay: ReplayReport | null;
  readonly shaper: ShaperReport | null;
  /** Why the machine disturbed it too much (disturbance.ts); empty: it did not. */
  readonly disturbed?: readonly string[];
  /** Why the load did not end (a crash, a time-out), if it did not. */
  readonly failure: string | null;
}

export interface Verdict {
  readonly status: Status;
  readonly reasons: string[];
  readonly counts: LoadCounts;
  readonly coverage: LoadCoverage | null;
  /** Requests on the wire by protocol. */
  readonly protocols: Record<string, number>;
  /** The entries with what the replay made of them. */
  readonly entries: HarEntry[];
  readonly background: BackgroundRequest[];
}

function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}

type ToWireUrl = (url: string) => string;

/** By what the origins know a request: in clear it left the browser for another place than the page asked. */
function toWireUrl({ lane, upgraded }: Pick<Evidence, "lane" | "upgraded">): ToWireUrl {
  return (url) => {
    const asked = withoutFragment(urlOnLane(url, lane, upgraded));
    return laneFacts[lane].clear ? clearUrl(asked) : asked;
  };
}

/**
 * The page's icon, which the browser fetches for its own tab when the page is loaded. It is told among the page's
 * requests, as the only ones that nothing in the page began.
 */
function isIcon(entry: HarEntry): boolean {
  return entry._resourceType === "other" && entry._initiator.type === "other" && entry._trilane.frame === "main";
}

/** Requests that were meant for the network. */
function isOnWire(entry: HarEntry): boolean {
  return !isFromCache(entry) && entry._trilane.blocked === null;
}

function isFailed(entry: HarEntry): boolean {
  return entry.response._error !== null && !entry._trilane.canceled && entry._trilane.blocked === null;
}

/** Gives each entry the replay's outcome of its request, in the order of sending; returns what is left over as well. */
function join(wireUrl: ToWireUrl, entries: readonly HarEntry[], replayed: readonly ReplayedRequest[]) {
  const waiting = new Map<string, ReplayedRequest[]>();
  for (const request of replayed.toSorted((a, b) => a.request_ns - b.request_ns)) {
    const key = `${request.method} ${withoutFragment(request.url)}`;
    const list = waiting.get(key);
    if (list) list.push(request);
    else waiting.set(key, [request]);
  }
  const joined = entries.map((entry): HarEntry => {
    if (!isOnWire(entry)) return entry;
    const found = waiting.get(`${entry.request.method} ${wireUrl(entry.request.url)}`)?.shift();
    if (!found) return entry;
    const instead = found.instead ? { instead: found.instead } : {};
    const unrecorded = found.unrecorded ? { unrecorded: found.unrecorded } : {};
    return { ...entry, _trilane: { ...entry._trilane, match: found.outcome, ...unrecorded, ...instead } };
  });
  return { joined, left: [...waiting.values()].flat() };
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^\[|\]$/g, "").toLowerCase();
  } catch {
    return "";
  }
}

/** What the browser asked for itself: requests that no entry has, and names that no entry's host is. */
function backgroundOf(
  wireUrl: ToWireUrl,
  entries: readonly HarEntry[],
  left: readonly ReplayedRequest[],
  replay: ReplayReport | null,
) {
  const hosts = new Set(entries.flatMap(({ request: { url } }) => [hostOf(url), hostOf(wireUrl(url))]));
  const names = (replay?.dns ?? []).filter(({ name }) => !hosts.has(name.replace(/\.$/, "").toLowerCase()));
  return [
    ...left.map((request) => ({ url: request.url, outcome: request.outcome })),
    ...[...new Map(names.map(({ name, answer }) => [name, answer]))].map(([name, answer]) => ({
      url: `dns:${name}`,
      outcome: answer,
    })),
  ];
}

function countsOf(entries: readonly HarEntry[], offLane: number): LoadCounts {
  const onWire = entries.filter(isOnWire);
  const matching = (match: string) => onWire.filter((entry) => entry._trilane.match === match).length;
  return {
    requests: onWire.length,
    bytes: onWire.reduce((sum, entry) => sum + entry.response._transferSize, 0),
    connections: new Set(onWire.flatMap((entry) => (entry._connectionId === undefined ? [] : [entry._connectionId])))
      .size,
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

/** Whether its answer came otherwise than the lane has it. */
function isOffLane(lane: Lane, { _protocol, response }: HarEntry): boolean {
  const { protocols, clear } = laneFacts[lane];
  return (
    (_protocol !== undefined && !protocols.includes(_protocol)) || (clear && response._securityDetails !== undefined)
  );
}

/** Whatever the lane: `h1-clear` takes https:// for http://, the browser's HSTS list the other way. */
const withoutScheme = (url: string): string => url.replace(/^https?:/i, "");

/** The shown document was not the one that was asked for; the one that came last can be raced itself, unless it reloads for ever. */
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
 * Why no load of this sweep can be what was asked any more: the replay served another recording of that name. Null where
 * it served the one with the digest asked, or left no report.
 */
export function replacedRecording(
  asked: { readonly name: string; readonly digest: string },
  replay: Pick<ReplayReport, "recording"> | null,
): string | null {
  if (!replay || replay.recording.digest === asked.digest) return null;
  const digests = `${asked.digest.slice(0, 12)}, now ${replay.recording.digest.slice(0, 12)}`;
  return (
    `recording ${asked.name} was replaced while it was measured (${digests}): ` +
    "bring the earlier one back and run the same command again, or begin again with --new"
  );
}

const replaced = "the page replaced itself by";

export const isReplaced = (reason: string): boolean => reason.startsWith(`${replaced} `);

export function verify(evidence: Evidence): Verdict {
  const { lane, shaper, failure, loadEnd_ns, recorded } = evidence;
  const replay = evidence.replay && (laneFacts[lane].repeat ? lastVisit(evidence.replay) : evidence.replay);
  const wireUrl = toWireUrl(evidence);
  const recordedFailures = new Set(evidence.failedUrls.map(wireUrl));
  const ofPage = evidence.entries.filter((entry) => !isIcon(entry));
  const { joined, left } = join(wireUrl, ofPage, replay?.requests ?? []);
  const entries = joined.map((entry) => {
    const unrecorded = isOnWire(entry) ? whyUnrecorded(entry, recordedFailures.has(wireUrl(entry.request.url))) : null;
    return unrecorded === null ? entry : { ...entry, _trilane: { ...entry._trilane, unrecorded } };
  });
  const onWire = entries.filter(isOnWire);
  const beforeLoad = onWire.filter((entry) => loadEnd_ns === null || entry._trilane.start_ns <= loadEnd_ns);
  const offLane = beforeLoad.filter((entry) => isOffLane(lane, entry));
  const facts = {
    counts: countsOf(entries, onWire.filter((entry) => isOffLane(lane, entry)).length),
    protocols: protocolsOf(entries),
    background: backgroundOf(wireUrl, entries, left, replay),
    entries,
  };
  if (failure !== null)
    return { status: "failed", reasons: [failure, ...(evidence.disturbed ?? [])], coverage: null, ...facts };

  const coverage =
    recorded && evidence.replay && replay
      ? loadCoverage({ recorded, entries, beforeLoad, replayed: replay.requests, visited: evidence.replay.requests })
      : null;
  const mayFail = (entry: HarEntry): boolean => recordedFailures.has(wireUrl(entry.request.url));
  const judged = beforeLoad.filter((entry) => !mayFail(entry));
  const reasons = [
    ...(loadEnd_ns === null ? ["the load event did not end"] : []),
    ...replacementReasons(evidence.documents),
    // A kept cache may have it all.
    ...(onWire.length === 0 && !(laneFacts[lane].repeat && entries.some(isFromCache)) ? ["no request was seen"] : []),
    ...reasonFor(offLane, beforeLoad.length, `not on ${lane}`),
    ...(coverage === null || evidence.strict ? strictReasons(judged) : failureReasons(judged)),
    ...(coverage === null ? [] : coverageReasons(coverage, firstBeyond(beforeLoad), evidence.strict)),
    ...(lane === "h3-altsvc" ? unlearntReasons(onWire) : []),
    ...(replay && laneFacts[lane].repeat ? repeatReasons(replay) : []),
    ...(replay ? [] : ["trilane-replay left no report"]),
    ...(shaper ? [] : ["trilane-shaper left no report"]),
    ...(evidence.disturbed ?? []),
  ];
  return { status: reasons.length === 0 ? "valid" : "invalid", reasons, coverage, ...facts };
}

function firstBeyond(beforeLoad: readonly HarEntry[]): FirstBeyond | null {
  const first = beforeLoad.find(({ _trilane: { unrecorded } }) => unrecorded === "other");
  return first ? { url: first.request.url, essential: isEssential(first._resourceType) } : null;
}

const notRecorded = "not in the recording";

/** One that --strict alone may make: a request without a recorded answer. */
export const isUnrecordedReason = (reason: string): boolean => reason.includes(` requests ${notRecorded}: `);

/** Each request has a recorded answer, and gets it. */
function strictReasons(judged: readonly HarEntry[]): string[] {
  const isMissed = (entry: HarEntry): boolean => entry._trilane.match === "missed";
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
  /^net::ERR_(FAILED|ABORTED|INSUFFICIENT_RESOURCES|BLOCKED_BY_\w+|UNSAFE_\w+|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)$/;

/** The page itself where it is not recorded, and what failed on its way though it was. */
function failureReasons(judged: readonly HarEntry[]): string[] {
  const [document] = judged;
  const failed = judged.filter(
    (entry) =>
      isFailed(entry) && entry._trilane.unrecorded === undefined && !keptFromPage.test(entry.response._error ?? ""),
  );
  return [
    // Whatever its share: without it there is no page.
    ...reasonFor(document?._trilane.match === "missed" ? [document] : [], judged.length, notRecorded),
    ...reasonFor(failed.filter(isHttp), judged.length, "failed"),
  ];
}

/** What is learnt from a response cannot have been known to the first request. */
function unlearntReasons([first]: readonly HarEntry[]): string[] {
  return first?._protocol === "h3"
    ? [`the first request was on h3 before any answer told of it: ${first.request.url}`]
    : [];
}
