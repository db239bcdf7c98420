// Generated from ../export.schema.json by `npm run generate`: change the schema instead.
import type { LaneLabel } from "./lane_label.ts";
import type { LinkProfile } from "./link_profile.ts";
import type { SelftestRow } from "./selftest.ts";
import type { SweepPlan } from "./sweep_plan.ts";

export type Percent = number | null;
export type TimeMs = number | null;
/**
 * What `trilane export --format json` writes: a sweep, its cells, every attempt at a load, and what they say. Units stand in names; null means unavailable.
 */
export interface Export {
  schema: "trilane/export/1";
  sweep: ExportedSweep;
  cells: ExportedCell[];
  /**
   * The self-tests of the cells' links; empty where there were none. Absent: written before this was told.
   */
  link_tests?: ExportedLinkTest[];
  loads: ExportedLoad[];
  /**
   * Further loads that were filmed: they are in no average. Absent: written before this was told.
   */
  filmed_loads?: ExportedFilm[];
  /**
   * Per page and link, one for each pair of lanes.
   */
  improvements: ExportedImprovement[];
  verdict: ExportedVerdict;
  beyond_median?: ExportedBeyondMedian;
}
export interface ExportedSweep {
  id: number;
  name: string;
  plan: SweepPlan;
  plan_digest: string;
  created_at: string;
  finished_at: string | null;
  seed: number;
  command: string[];
  /**
   * What it began on.
   */
  environment: {
    [k: string]: unknown;
  };
}
export interface ExportedCell {
  id: number;
  /**
   * The recording's name.
   */
  page: string;
  lane: LaneLabel;
  /**
   * Short form.
   */
  link: string;
  link_profile: LinkProfile;
  recording_digest: string;
  host?: ExportedHost;
}
/**
 * The machine that ran the cell's loads. Absent: not noted.
 */
export interface ExportedHost {
  name: string;
  cpu: string;
  cpus: number;
  kernel: string;
  /**
   * Versions of Chromium that it ran.
   */
  browser: string[];
}
export interface ExportedLinkTest {
  machine: string;
  measured_at: string;
  test: SelftestLink;
}
export interface SelftestLink {
  /**
   * Short form, canonical.
   */
  link: string;
  /**
   * out: at least one row is out of its tolerance.
   */
  outcome: "within" | "out";
  /**
   * How often it was measured; the rows are the last time's, which no row was out in, or it was the last.
   */
  measurements: number;
  /**
   * How the kernel ran the shaper; null: it left no report.
   */
  scheduling: ("fifo" | "short-slice" | "default") | null;
  wall_ms: number;
  rows: SelftestRow[];
}
export interface ExportedLoad {
  id: number;
  cell: number;
  /**
   * Repetition, from 0.
   */
  block: number;
  /**
   * From 0.
   */
  attempt: number;
  /**
   * Place in the planned order, from 0.
   */
  position: number;
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid.
   */
  reasons: string[];
  started_at: string;
  wall_ms: number;
  requests: number | null;
  bytes: number | null;
  connections: number | null;
  matched: number | null;
  fuzzy: number | null;
  missed: number | null;
  failed: number | null;
  off_lane: number | null;
  /**
   * Chromium's; null: it did not start, or the load is of before it was told.
   */
  browser_version?: string | null;
  /**
   * Of its program's file.
   */
  browser_sha256?: string | null;
  /**
   * Share of the recorded requests before the recorded load event that the load asked for; here and below null: it failed, or is of before it was told.
   */
  coverage_requests?: number | null;
  /**
   * The same of their bytes.
   */
  coverage_bytes?: number | null;
  /**
   * Requests that it was expected to ask for (cli/recording/archive/recorded_requests.ts).
   */
  recorded_requests?: number | null;
  /**
   * Of their response bodies.
   */
  recorded_bytes?: number | null;
  /**
   * Beacons, pings and reports that are not in the recording.
   */
  beyond_reports?: number | null;
  /**
   * Other requests that the recording has no answer to.
   */
  beyond_other?: number | null;
  /**
   * Requests that failed when recorded, and again.
   */
  beyond_failed?: number | null;
  /**
   * What the machine may have added to it, at most, beyond a calm machine's; it counts up to tolerated_ms. Here and below null: it did not end, or is of before it was told.
   */
  disturbance_ms?: number | null;
  /**
   * Of it, at the link.
   */
  disturbance_link_ms?: number | null;
  /**
   * Of it, without a CPU; null also where the system does not tell it.
   */
  disturbance_cpu_ms?: number | null;
  tolerated_ms?: number | null;
  /**
   * page load time: loadEventEnd - navigationStart; null: unavailable.
   */
  plt_ms: number | null;
  /**
   * time to first byte of the page: responseStart; null: unavailable.
   */
  ttfb_ms: number | null;
  /**
   * the document is parsed and its scripts ran: domContentLoadedEventEnd; null: unavailable.
   */
  dcl_ms: number | null;
  /**
   * first contentful paint; null: unavailable.
   */
  fcp_ms: number | null;
  /**
   * largest contentful paint; null: unavailable.
   */
  lcp_ms: number | null;
  /**
   * cumulative layout shift: how much the page moved, no unit; null: unavailable.
   */
  cls?: number | null;
  /**
   * total blocking time: of tasks after the first contentful paint, what took beyond 50 ms; null: unavailable.
   */
  tbt_ms?: number | null;
  /**
   * the mean time at which what is seen came, of loads that were filmed; null: unavailable.
   */
  speed_index_ms?: number | null;
  /**
   * of the page load time what the critical path spent on requests; null: unavailable.
   */
  network_ms?: number | null;
  /**
   * the rest of the page load time: no request on the critical path (parsing, scripts, layout, and waiting for timers); null: unavailable.
   */
  computation_ms?: number | null;
  /**
   * least page load time on this link: bytes over rate, and the round trips needed; null: unavailable.
   */
  optimal_ms?: number | null;
  /**
   * about how much of the page load time the page waited for CPUs that programs outside of the lab used, and for a link that was held up; null: unavailable.
   */
  disturbance_estimate_ms?: number | null;
  /**
   * of a load that fell back from QUIC to TCP: from the first QUIC packet until the next byte over TCP reached the same server; null: unavailable.
   */
  fallback_ms?: number | null;
  /**
   * mean time from a change of the client's address until a first byte came to the new one, on the same connection or another; null: unavailable.
   */
  moved_first_byte_ms?: number | null;
  /**
   * how often the client's address changed while the page loaded; null: unavailable.
   */
  path_moves?: number | null;
  /**
   * connections opened after the client's address changed first: all that TCP needs are opened anew, and those that the page would have needed anyhow; null: unavailable.
   */
  reconnections?: number | null;
  /**
   * CPU time of the browser, all its processes, from navigation to load event; null: unavailable.
   */
  browser_cpu_ms?: number | null;
  /**
   * the same of trilane-replay; null: unavailable.
   */
  server_cpu_ms?: number | null;
  /**
   * the same of trilane-shaper; null: unavailable.
   */
  shaper_cpu_ms?: number | null;
  /**
   * of a video: from the moment the player is told to play until it plays; null: unavailable.
   */
  startup_delay_ms?: number | null;
  /**
   * of a video: from the first frame to the end, the clip's length and its stalls; null: unavailable.
   */
  viewing_ms?: number | null;
  /**
   * of a video: how often it stood still after it began; null: unavailable.
   */
  stalls?: number | null;
  /**
   * of a video: how long it stood still in all; null: unavailable.
   */
  stall_ms?: number | null;
  /**
   * of a video: the share of the viewing time in which it stood still, 0 to 1; null: unavailable.
   */
  stall_ratio?: number | null;
  /**
   * of a video: from the first request for a segment until it plays; null: unavailable.
   */
  prebuffering_ms?: number | null;
  /**
   * of a video: time to connect to the server of its pictures; null: unavailable.
   */
  video_connect_ms?: number | null;
  /**
   * of a video: time to connect to the server of its sound; null: unavailable.
   */
  audio_connect_ms?: number | null;
  /**
   * of a video: bitrate of the pictures that were played, mean over their time, bit/s; null: unavailable.
   */
  rate_played_bps?: number | null;
  /**
   * of a video: how often the pictures changed to another representation; null: unavailable.
   */
  rate_switches?: number | null;
  /**
   * of a video: download rate of its pictures less that of its sound, bit/s; null: unavailable.
   */
  rate_difference_bps?: number | null;
  /**
   * of a video: frames that were decoded and not shown; null: unavailable.
   */
  dropped_frames?: number | null;
}
export interface ExportedFilm {
  cell: number;
  /**
   * Among the cell's filmed loads, from 0.
   */
  number: number;
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid.
   */
  reasons: string[];
  plt_ms: number | null;
  /**
   * of a filmed load: the mean time at which what is seen came; null: unavailable.
   */
  speed_index_ms: number | null;
  /**
   * of a filmed load: 85 % of what is seen had come; null: unavailable.
   */
  visually_complete_85_ms: number | null;
  /**
   * the same, 95 %; null: unavailable.
   */
  visually_complete_95_ms: number | null;
  /**
   * the same, all; null: unavailable.
   */
  visually_complete_100_ms: number | null;
}
/**
 * (over - lane) / over * 100 of the medians: positive where `lane` is faster; with its 95 % interval.
 */
export interface ExportedImprovement {
  page: string;
  link: string;
  lane: string;
  over: string;
  percent: Percent;
  low_percent: Percent;
  high_percent: Percent;
  /**
   * So many loads of the slower lane timed out that the two are at least so far apart, or of the faster one that they are at most. null: neither. Absent: written before this was told.
   */
  limit?: "at least" | "at most" | null;
  /**
   * Loads of `lane` that are valid or timed out.
   */
  loads_lane: number;
  /**
   * The same of `over`.
   */
  loads_over: number;
  /**
   * Why percent or the interval is null.
   */
  reason: string | null;
  decision?: ExportedDecision;
}
/**
 * Where loads stopped once it was decided (`until.decided_percent` of the plan): what was. All looks are counted, which the improvement's own interval does not. Absent: their number was fixed before.
 */
export interface ExportedDecision {
  /**
   * Of `lane`. equivalent: within the plan's margin.
   */
  decision: "faster" | "slower" | "equivalent" | "undecided";
  /**
   * Blocks with loads of both lanes that it took.
   */
  blocks: number;
  /**
   * Undecided, and more loads would hardly decide it.
   */
  given_up: boolean;
  /**
   * As an improvement, when the loads stopped; of lanes that are faster or slower it leans away from 0.
   */
  percent: number | null;
  low_percent: Percent;
  high_percent: Percent;
}
export interface ExportedVerdict {
  scope: string;
  sentences: string[];
  /**
   * What was left out; null: nothing.
   */
  excluded: string | null;
}
/**
 * What medians hide (cli/results/verdict/beyond_median.ts); lists are empty where loads are too few. Absent: written before this was told.
 */
export interface ExportedBeyondMedian {
  /**
   * Per pair of lanes and page, over all links: the most hurt first.
   */
  page_effects: ExportedPageEffect[];
  /**
   * Per pair of lanes and link, over all its pages.
   */
  tails: ExportedTail[];
  /**
   * Per pair of lanes: how far log(lane / over) varies, and from what to what.
   */
  variance_components: ExportedVarianceComponent[];
}
/**
 * As an improvement, of one page over all links.
 */
export interface ExportedPageEffect {
  page: string;
  lane: string;
  over: string;
  percent: number;
  low_percent: Percent;
  high_percent: Percent;
  /**
   * Two-sided, of medians being alike on each link.
   */
  probability: number;
  /**
   * Corrected for the pages.
   */
  holm: number;
  benjamini_hochberg: number;
  /**
   * By Benjamini and Hochberg at 5 %; null: no difference shown.
   */
  named: "helped" | "hurt" | null;
}
/**
 * A quantile of the page load times of all pages of a link, and its improvement with an interval of 95 % or more, for these pages.
 */
export interface ExportedTail {
  link: string;
  lane: string;
  over: string;
  quantile: 0.9 | 0.95;
  /**
   * Blocks with loads of both lanes.
   */
  loads: number;
  lane_ms: TimeMs;
  over_ms: TimeMs;
  percent: Percent;
  low_percent: Percent;
  high_percent: Percent;
  /**
   * Why there is no interval, as too few runs.
   */
  reason: string | null;
}
export interface ExportedVarianceComponent {
  lane: string;
  over: string;
  /**
   * occasion: a block, one pass over all pages and links; residual: between loads that share all of these.
   */
  component: "page" | "link" | "page on link" | "occasion" | "residual";
  /**
   * How many there are; of the residual its blocks.
   */
  levels: number;
  /**
   * Standard deviation of log(lane / over), in per cent; 0: no more than chance.
   */
  sd_percent: number;
  /**
   * Of the variance of the mean effect, for pages and links like these.
   */
  share: number;
}
