// What is asked of one load: cli/load takes it as it is. Measures nothing.
import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { factorsOf, type Lane, laneOf } from "../../../base/lanes.ts";
import type { CrossTraffic } from "../../../load/cross_traffic.ts";
import type { Tolerance } from "../../../load/disturbance.ts";
import { type LiveFar, type LoadServer, serverOf } from "../../../load/servers/servers.ts";
import { laneServing } from "../../../load/serving/lane_serving.ts";
import type { Serving } from "../../../load/serving/serving.ts";
import type { Cell } from "../../../results/store/results.ts";
import { loadTraffic } from "../../../sweep/plan/cross_traffic.ts";
import { linkSeed } from "../../../sweep/plan/load_order.ts";
import { browserOf, roundOf, sharedPlace } from "../../../sweep/plan/neighbours.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

export interface LoadRequest {
  readonly home: string;
  readonly recording: {
    readonly name: string;
    readonly digest: string;
    readonly url: string;
    readonly failedUrls: readonly string[];
    /** Length of the video that it plays; absent: it plays none. */
    readonly video_s?: number;
  };
  readonly lane: Lane;
  readonly link: LinkProfile;
  /** The browser's program; absent: the one that all commands use. */
  readonly browser?: string;
  readonly timeout_ms: number;
  readonly settle_ms: number;
  readonly keepCache: boolean;
  /** Whether the recording must have an answer to each request before the load event. */
  readonly strict: boolean;
  /** To which moment the page's clock is set; null: it is not. */
  readonly pinned_ms: number | null;
  readonly serving: Serving;
  /** What serves in front of trilane-replay, or in its place. */
  readonly server?: LoadServer;
  /** Whether it is watched how much a server sends on a connection at first. */
  readonly watchesFlights?: boolean;
  /** How long the machine may hold up the link. Default: usualTolerance. */
  readonly tolerance?: Tolerance;
  /** Flows that share the link with it. */
  readonly crossTraffic?: CrossTraffic;
  /** The only ones that the lab may run on. */
  readonly cpus?: readonly number[];
  /** A folder for what the load leaves behind. */
  readonly evidence?: string;
  readonly signal: AbortSignal;
}

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
  /** Of pages that Trilane made: their recordings have all that is asked for. */
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
