// How much of its recording a load requested, what it requested beyond, and whether that is enough for it to count as a load
// of that page. The one owner of these bounds. Pure.
import type { LoadCoverage } from "../../../schemas/generated/page_load.ts";
import { count, formatSize } from "../../base/numbers.ts";
import { type RecordedRequests, requestKey } from "../../recording/archive/recorded_requests.ts";

export const coverageBounds = {
  /** Least shares of the recorded requests, and of their bytes, that a valid load requested. */
  requests: 0.95,
  bytes: 0.98,
  /**
   * Largest share of a valid load's requests before its load event that the recording has no answer to. A page of fewer than 20
   * requests may ask for one all the same, unless others may follow from it or the page looks otherwise without it: a document,
   * a script or a stylesheet.
   */
  unanswered: 0.05,
  /** Lanes whose median shares differ by more are not compared. */
  betweenLanes: 0.02,
} as const;

/** Why a request had no recorded answer: a report no one waits for, one that failed as it did when recorded, or any other. */
export type BeyondKind = keyof LoadCoverage["beyond"];

interface VisitRequests {
  /** The recorded exchanges that were given as answers. */
  readonly seqs: Iterable<number>;
  /** Requests that a cache answered. */
  readonly cached: Iterable<{ readonly method: string; readonly url: string }>;
  /** Requests that the recording could not answer, before the load event. */
  readonly beyond: readonly BeyondKind[];
  /** All requests before the load event, those of `beyond` among them. */
  readonly requests: number;
}

const shareOf = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/** Places in `recorded.requests` that were requested. */
function requestedPlaces(
  recorded: RecordedRequests,
  { seqs, cached }: Pick<VisitRequests, "seqs" | "cached">,
): ReadonlySet<number> {
  const places = new Set<number>();
  const add = (place: number | undefined): void => {
    if (place !== undefined) places.add(place);
  };
  for (const seq of seqs) add(recorded.placeOf.get(seq));
  for (const { method, url } of cached) add(recorded.placeOfKey.get(requestKey(method, url)));
  return places;
}

export function coverageOf(recorded: RecordedRequests, visit: VisitRequests): LoadCoverage {
  const places = requestedPlaces(recorded, visit);
  const all = { requests: 0, bytes: 0 };
  const found = { requests: 0, bytes: 0 };
  recorded.requests.forEach(({ bytes, notExpected }, place) => {
    if (notExpected !== null) return;
    for (const sum of places.has(place) ? [all, found] : [all]) {
      sum.requests++;
      sum.bytes += bytes;
    }
  });
  const beyond = { reports: 0, other: 0, failed: 0 };
  for (const kind of visit.beyond) beyond[kind]++;
  const countedRequests = visit.requests - beyond.reports - beyond.failed;
  return {
    recorded: all,
    asked: found,
    requests: shareOf(found.requests, all.requests),
    bytes: shareOf(found.bytes, all.bytes),
    beyond,
    unanswered: countedRequests <= 0 ? 0 : beyond.other / countedRequests,
  };
}

/** Rounded down, so that a share below a bound is never reported as the bound. */
export const percentDown = (share: number): string => `${Math.floor(share * 1000) / 10} %`;
const percentUp = (share: number): string => `${Math.ceil(share * 1000) / 10} %`;
const bound = (share: number): string => `${Math.round(share * 100)} %`;

/** The bound on what a recording has no answer to, for a reader. */
export const unansweredWords = `at most ${bound(coverageBounds.unanswered)} unanswered, or one that is no document, script or stylesheet`;

const tooLittle = "covers too little of the recording";
const tooMuch = "asks for too much that is not in the recording";

/** Whether a load is invalid for what it requested: a property of the page and its recording, not of the moment. */
export const isCoverageReason = (reason: string): boolean =>
  reason.startsWith(`${tooLittle}: `) || reason.startsWith(`${tooMuch}: `);

/** Resource types, as the browser names them, of what a page is made of: none of these may be missing for being the only one. */
const essentialTypes: readonly string[] = ["document", "script", "stylesheet"];

export const isEssential = (resourceType: string): boolean => essentialTypes.includes(resourceType.toLowerCase());

/** The first request that the recording has no answer to, of those that are held against the load. */
export interface FirstBeyond {
  readonly url: string;
  readonly essential: boolean;
}

/** `strict`: each request that the recording has no answer to is held against the load by itself. */
export function coverageReasons(
  { recorded, asked, requests, bytes, beyond, unanswered }: LoadCoverage,
  first: FirstBeyond | null,
  strict: boolean,
): string[] {
  const parts = [
    ...(requests < coverageBounds.requests
      ? [
          `${asked.requests} of ${recorded.requests} requests (${percentDown(requests)}, bound ${bound(coverageBounds.requests)})`,
        ]
      : []),
    ...(bytes < coverageBounds.bytes
      ? [
          `${formatSize(asked.bytes)} of ${formatSize(recorded.bytes)} (${percentDown(bytes)}, bound ${bound(coverageBounds.bytes)})`,
        ]
      : []),
  ];
  const isOnlyOne = beyond.other === 1 && first !== null && !first.essential;
  const beyondIt =
    unanswered > coverageBounds.unanswered && !isOnlyOne && !strict
      ? [
          `${tooMuch}: ${count(beyond.other, "request")} (${percentUp(unanswered)}, bound ${bound(coverageBounds.unanswered)})${first === null ? "" : `, the first: ${first.url}`}`,
        ]
      : [];
  return [...(parts.length > 0 ? [`${tooLittle}: ${parts.join(", ")}`] : []), ...beyondIt];
}
