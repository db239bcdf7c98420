// What is wanted of one load: cli/load/load.ts measures it. Measures nothing.
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { factorsOf, laneOf } from "../../../base/lanes.ts";
import type { LoadRequest } from "../../../load/load_request.ts";
import { type LiveFar, serverOf } from "../../../load/servers/servers.ts";
import { laneServing } from "../../../load/serving/serving.ts";
import type { Cell } from "../../../results/store/results.ts";
import { loadTraffic } from "../../../sweep/plan/cross_traffic.ts";
import { linkSeed } from "../../../sweep/plan/load_order.ts";
import { browserOf, roundOf, sharedPlace } from "../../../sweep/plan/neighbours.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

export type { LoadRequest };

/** Resolves also for a load that failed; throws for what would fail every load. */
export type Measure = (request: LoadRequest) => Promise<PageLoad>;

/** What the loads of a sweep have in common. */
export interface Requesting {
  readonly home: string;
  readonly plan: Plan;
  /** Start URL of each page's recording. */
  readonly urlOf: (page: string) => string;
  /** What failed when the page was recorded, so that its failing again is no fault of a load. */
  readonly failedUrlsOf?: (page: string) => readonly string[];
  /** Length of the video that a page plays; null: it plays none. */
  readonly videoOf?: (page: string) => number | null;
  /** Of pages that Trilane made: their recordings have all that is requested. */
  readonly isComplete?: (page: string) => boolean;
  /** What leads to the plan's live servers; absent: it has none. */
  readonly live?: LiveFar;
  /** To which moment a page's clock is set; null: to none. */
  readonly pinnedOf?: (page: string) => number | null;
  /** Aborted: the load under way is dropped. */
  readonly signal: AbortSignal;
}

/** `block` decides the link's luck (linkSeed). */
export function loadRequest(
  { home, plan, urlOf, failedUrlsOf, videoOf, isComplete, live, pinnedOf, signal }: Requesting,
  cell: Cell,
  block: number,
): LoadRequest {
  const name = cell.page;
  const video_s = videoOf?.(name) ?? null;
  const browser = browserOf(plan, cell.lane, block);
  const crossTraffic = loadTraffic(plan);
  const named = serverOf(plan, cell.lane);
  const server = named?.definition.live && live ? { ...named, live } : named;
  const luck = linkSeed(plan.seed, { ...cell, ...sharedPlace(plan, cell) }, roundOf(plan, block));
  return {
    home,
    recording: {
      ...{ name, digest: cell.recording_digest, url: urlOf(name), failedUrls: failedUrlsOf?.(name) ?? [] },
      ...(video_s === null ? {} : { video_s }),
    },
    lane: laneOf(cell.lane),
    link: { ...cell.link_profile, seed: luck },
    ...(browser === null ? {} : { browser }),
    timeout_ms: plan.timeout_s * 1000,
    settle_ms: plan.settle_ms,
    keepCache: plan.warm_cache ?? false,
    strict: (plan.strict ?? false) || (isComplete?.(name) ?? false),
    // Live servers know today's date only.
    pinned_ms: server?.definition.live ? null : (pinnedOf?.(name) ?? null),
    serving: laneServing(plan, cell.lane),
    ...(server ? { server } : {}),
    ...(factorsOf(cell.lane).server === undefined ? {} : { watchesFlights: true }),
    ...(plan.tolerance ? { tolerance: plan.tolerance } : {}),
    ...(crossTraffic ? { crossTraffic } : {}),
    signal,
  };
}
