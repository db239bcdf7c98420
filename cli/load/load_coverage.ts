// A load's requests as coverage.ts counts them: which recorded answers it was given, what its cache had, and which of its
// requests the recording has no answer to. Pure.
import type { HarEntry, LoadCoverage } from "../../schemas/generated/page_load.ts";
import { type RecordedRequests, requestKey } from "../recording/archive/recorded_requests.ts";
import { type BeyondKind, coverageOf } from "./metrics/coverage.ts";
import type { ReplayedRequest } from "./reports.ts";
import { isFromCache, isHttp } from "./served_requests.ts";

type Unrecorded = NonNullable<HarEntry["_trilane"]["unrecorded"]>;

/** What no one waits for: as the browser calls it, and by its body's type. */
const reportTypes = ["ping", "cspviolationreport", "beacon"];
const isReport = ({ _resourceType, request: { headers } }: HarEntry): boolean =>
  reportTypes.includes(_resourceType.toLowerCase()) ||
  headers.some(
    ({ name, value }) =>
      name.toLowerCase() === "content-type" && /^application\/(csp-report|reports\+json)\b/.test(value),
  );

/** Requested beside the page, which is loaded without a service worker all the same. */
const isServiceWorkersScript = ({ request: { headers } }: HarEntry): boolean =>
  headers.some(({ name, value }) => name.toLowerCase() === "service-worker" && value.toLowerCase() === "script");

/** By the browser, which sends no further one of so many at once; nothing was sent. */
const refused = "net::ERR_INSUFFICIENT_RESOURCES";

/** Why a request on the wire has no recorded answer; null: it has one, or was given up before there could be any. */
export function whyUnrecorded(entry: HarEntry, failedWhenRecorded: boolean): Unrecorded | null {
  const { match, unrecorded, canceled } = entry._trilane;
  const { _error: error } = entry.response;
  const isUnanswered = match === undefined && error !== null && error !== refused && !canceled && isHttp(entry);
  if (match !== "missed" && !isUnanswered) return null;
  // No page waits for it.
  if (entry._resourceType === "manifest" || isServiceWorkersScript(entry)) return "report";
  if (unrecorded !== undefined) return unrecorded;
  if (failedWhenRecorded) return "failed";
  return isReport(entry) ? "report" : "other";
}

const kinds: Readonly<Record<Unrecorded, BeyondKind>> = { report: "reports", failed: "failed", other: "other" };

export interface CoveredLoad {
  readonly recorded: RecordedRequests;
  /** The page's, with what the replay made of them. */
  readonly entries: readonly HarEntry[];
  /** Of these, what was sent before the load event. */
  readonly beforeLoad: readonly HarEntry[];
  /** What the servers got in this visit, and in all of them. */
  readonly replayed: readonly ReplayedRequest[];
  readonly visited: readonly ReplayedRequest[];
}

export function loadCoverage({ recorded, entries, beforeLoad, replayed, visited }: CoveredLoad): LoadCoverage {
  const seqsOf = (requests: readonly ReplayedRequest[]) => requests.flatMap(({ seq }) => (seq === null ? [] : [seq]));
  const cached = entries.filter(isFromCache).map(({ request: { method, url } }) => ({ method, url }));
  // What a cache answers was requested by its URL, which the recording may have another one for.
  const cachedKeys = new Set(cached.map(({ method, url }) => requestKey(method, url)));
  const filled = visited.filter(({ method, url }) => cachedKeys.has(requestKey(method, url)));
  const sent = beforeLoad.filter(isHttp);
  return coverageOf(recorded, {
    seqs: [...seqsOf(replayed), ...seqsOf(filled)],
    cached,
    beyond: sent.flatMap(({ _trilane: { unrecorded } }) => (unrecorded === undefined ? [] : [kinds[unrecorded]])),
    requests: sent.length,
  });
}
