// Generated from ../sweep-event.schema.json by `npm run generate`: change the schema instead.
import type { FetchHttpsService, FetchIp, FetchLane, FetchRecord, FetchTls } from "./fetch_record.ts";
import type { Lane } from "./lane.ts";
import type { LaneLabel } from "./lane_label.ts";

/**
 * One line of what `trilane race`, `sweep`, `start` and `flows` print with --json.
 */
export type SweepEvent =
  | SweepPlanned
  | PageReady
  | PageTried
  | LinkTested
  | SweepStarted
  | LoadStarted
  | LoadFinished
  | AnswerSoFar
  | FilmStarted
  | FilmFinished
  | SweepPaused
  | BrowserChanged
  | SweepStopped
  | SweepFinished
  | CellFinished
  | FlowRunStarted
  | FlowRunFinished
  | FlowsFinished
  | FlowCellFinished
  | FetchStarted
  | FetchFinished
  | FetchesFinished;
/**
 * From 0.
 */
export type Index = number;
/**
 * null: the network as it is.
 */
export type FetchLink = string | null;
/**
 * The one line of `trilane plan` and of --dry-run.
 */
export interface SweepPlanned {
  event: "sweep-planned";
  name: string;
  cells: number;
  loads: number;
  /**
   * Loads of an unfinished sweep of the plan that count already.
   */
  done: number;
  expected_s: number;
  /**
   * What the results will take on the disk; recordings apart.
   */
  expected_bytes: number;
  pages: string[];
  lanes: LaneLabel[];
  links: string[];
  detection?: Detection;
}
/**
 * Which effects the plan's runs can show, by simulated sweeps through the verdict's own function (cli/results/verdict/detectable_effect.ts). Absent: one lane, or loads until it is enough.
 */
export interface Detection {
  /**
   * Who says how loads vary. `lane` over `over` is the pair whose loads vary most.
   */
  basis: "sweep" | "given" | "assumed";
  sweep: number | null;
  lane: LaneLabel;
  over: LaneLabel;
  /**
   * Standard deviation of a lane's loads on a page on a link: of log(PLT), in per cent; the median over them.
   */
  spread_percent: number;
  /**
   * With an allowance for what few runs may have hidden (load_noise.ts).
   */
  planned_with_percent: number;
  /**
   * The fewest runs that say it; null: none.
   */
  pilot_runs: number | null;
  /**
   * A lane whose loads were of two kinds, some much slower than the others. How near these are to half of them decides how many runs it takes, and few loads do not tell: `needed` is the least. Absent: not seen.
   */
  two_kinds?: {
    lane: LaneLabel;
    slower: number;
    loads: number;
  };
  /**
   * The plan's.
   */
  runs: number;
  /**
   * What these runs can show.
   */
  shown: EffectsShown[];
  /**
   * The effect that was asked for; null: none.
   */
  detect_percent: number | null;
  needed: RunsNeeded[];
}
export interface EffectsShown {
  scope: "cell" | "pooled";
  /**
   * Improvements that 80 and 95 % of sweeps show; null: so few runs have no interval.
   */
  percents: (number | null)[];
}
/**
 * How many runs show the effect that was asked for in a share `power` of sweeps.
 */
export interface RunsNeeded {
  /**
   * On the typical page on a link; on that whose loads vary most; over all pages and links together.
   */
  scope: "cell" | "noisiest" | "pooled";
  power: number;
  /**
   * null: more than are simulated.
   */
  runs: number | null;
  expected_s: number | null;
  /**
   * Share of simulated sweeps with these runs and this effect whose verdict shows it; null: not tried.
   */
  shown: number | null;
}
/**
 * A page's recording is there.
 */
export interface PageReady {
  event: "page-ready";
  page: string;
  recording_digest: string;
  exchanges: number;
  body_bytes: number;
}
/**
 * A recording was loaded without a link before its first race, to see how much of it a load asks for.
 */
export interface PageTried {
  event: "page-tried";
  page: string;
  /**
   * Shares of the recorded requests and bytes that it asked for; null: it did not load.
   */
  coverage: CoverageShares | null;
  /**
   * Without the clock set; null: it was not.
   */
  unpinned: CoverageShares | null;
  /**
   * To which moment the clock of the page's loads is set, because that raises coverage. null: it is left as it is.
   */
  pinned_to: string | null;
  /**
   * Why such a load does not count; null: it does.
   */
  reason: string | null;
}
export interface CoverageShares {
  requests: number;
  bytes: number;
}
/**
 * A link was measured on this machine before the loads over it.
 */
export interface LinkTested {
  event: "link-tested";
  link: string;
  outcome: "within" | "out";
  /**
   * Why loads over it do not count; null: they do.
   */
  reason: string | null;
  /**
   * So often, with pauses, before it counted as out.
   */
  measurements: number;
  /**
   * It is out, and is measured again later: its loads wait until then.
   */
  puts_off: boolean;
  /**
   * Links, this one counted.
   */
  tested: number;
  /**
   * To be measured by this run.
   */
  links: number;
  left_s: number;
}
export interface SweepStarted {
  event: "sweep-started";
  /**
   * Absent: of page loads.
   */
  kind?: "pages" | "flows" | "fetches";
  sweep: number;
  name: string;
  cells: number;
  /**
   * Planned loads, flow runs or fetches.
   */
  loads: number;
  /**
   * Of them those of an earlier run.
   */
  done: number;
  resumed: boolean;
  /**
   * What the rest is expected to take.
   */
  expected_s: number;
  /**
   * Of page loads.
   */
  lanes?: LaneLabel[];
  /**
   * Of each lane of a page on a link; with a rule for when they are enough, at most.
   */
  runs?: number;
  /**
   * Valid loads of a resumed race, which has one page and one link.
   */
  before?: {
    page: string;
    link: string;
    lane: LaneLabel;
    plt_ms: number | null;
  }[];
}
export interface LoadStarted {
  event: "load-started";
  position: Index;
  page: string;
  lane: LaneLabel;
  link: string;
  block: Index;
  attempt: Index;
}
/**
 * An attempt at a load has ended and is stored.
 */
export interface LoadFinished {
  event: "load-finished";
  position: Index;
  page: string;
  lane: LaneLabel;
  link: string;
  block: Index;
  attempt: Index;
  /**
   * Its number in the results.
   */
  load: number;
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  plt_ms: number | null;
  wall_ms: number;
  /**
   * Planned loads that will not be tried again.
   */
  done: number;
  loads: number;
  /**
   * What the rest is expected to take.
   */
  left_s: number;
}
/**
 * What the loads say so far: once the first page on a link has three runs of each lane, and when more change the sentence. The answer at the end is the one to quote.
 */
export interface AnswerSoFar {
  event: "answer-so-far";
  sweep: number;
  sentence: string;
  /**
   * false: too few runs for one.
   */
  has_interval: boolean;
}
/**
 * A further load begins that is filmed, and is in no average (--films).
 */
export interface FilmStarted {
  event: "film-started";
  page: string;
  lane: LaneLabel;
  link: string;
  attempt: Index;
}
export interface FilmFinished {
  event: "film-finished";
  page: string;
  lane: LaneLabel;
  link: string;
  attempt: Index;
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  plt_ms: number | null;
  /**
   * 0 where the load was not valid.
   */
  frames: number;
  /**
   * null: the load was not valid, or changed nothing that was shown.
   */
  speed_index_ms?: number | null;
  wall_ms: number;
  /**
   * Films of this run that are done.
   */
  filmed: number;
  /**
   * Films that this run takes.
   */
  films: number;
  left_s: number;
}
/**
 * It waits, and goes on by itself: the disk is full or another process holds the results (the load that it has is kept), the machine too busy for a further load.
 */
export interface SweepPaused {
  event: "sweep-paused";
  /**
   * null: it has not begun.
   */
  sweep: number | null;
  reason: string;
}
/**
 * The browser was updated since the load before: loads of two are in one sweep. Each is a version, with the binary where both have one version.
 */
export interface BrowserChanged {
  event: "browser-changed";
  before: string;
  now: string;
  /**
   * The first one of the new browser.
   */
  load: number;
}
/**
 * Ended early; what is stored is kept, and the same command goes on. At a signal the loads in flight were dropped.
 */
export interface SweepStopped {
  event: "sweep-stopped";
  sweep: number;
  done: number;
  loads: number;
  signal: "SIGINT" | "SIGTERM" | "SIGHUP" | null;
  /**
   * Why it was to end, without a signal: a stop file, the run's time.
   */
  asked: string | null;
}
export interface SweepFinished {
  event: "sweep-finished";
  sweep: number;
  loads: number;
  /**
   * Attempts by status, over all runs of the sweep.
   */
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Planned loads without a valid attempt.
   */
  given_up: number;
  /**
   * Of this run's loads.
   */
  wall_s: number;
  /**
   * The report's path.
   */
  report: string;
  verdict: string[];
  cells: CellResult[];
}
export interface CellResult {
  page: string;
  link: string;
  lane: LaneLabel;
  /**
   * Median PLT; null: no valid load.
   */
  median_ms: number | null;
  /**
   * 95 % interval of the median; null: fewer than five valid loads.
   */
  low_ms: number | null;
  high_ms: number | null;
  /**
   * Whether so many loads timed out that the median is only known to be longer. Absent, as timed_out, from events of before it was told.
   */
  at_least?: boolean;
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Of the failed ones: in the median as slower than all others.
   */
  timed_out?: number;
}
/**
 * In place of sweep-finished where a machine runs a part of a plan (`trilane cell`).
 */
export interface CellFinished {
  event: "cell-finished";
  /**
   * Number of the page on its link in the plan; null: the reference cells, which every machine runs.
   */
  cell: number | null;
  host: string;
  /**
   * Path of the file of results.
   */
  shard: string;
  loads: number;
  /**
   * Attempts by status, over all runs.
   */
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Planned loads without a valid attempt.
   */
  given_up: number;
  /**
   * Of this run's loads.
   */
  wall_s: number;
  cells: CellResult[];
}
export interface FlowRunStarted {
  event: "flow-run-started";
  position: Index;
  /**
   * The name of the flows that run together.
   */
  mix: string;
  link: string;
  /**
   * Of the page that is loaded amid the flows; null: there is none.
   */
  lane: Lane | null;
  block: Index;
  attempt: Index;
}
/**
 * An attempt at a flow run has ended and is stored.
 */
export interface FlowRunFinished {
  event: "flow-run-finished";
  position: Index;
  mix: string;
  link: string;
  lane: Lane | null;
  block: Index;
  attempt: Index;
  /**
   * Its number in the results.
   */
  run: number;
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  wall_ms: number;
  /**
   * Planned runs that will not be tried again.
   */
  done: number;
  runs: number;
  /**
   * What the rest is expected to take.
   */
  left_s: number;
}
/**
 * All runs of a plan of flows are done.
 */
export interface FlowsFinished {
  event: "flows-finished";
  sweep: number;
  /**
   * Planned runs.
   */
  runs: number;
  /**
   * Attempts by status, over all runs of the plan.
   */
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Planned runs without a valid attempt.
   */
  given_up: number;
  /**
   * Of this run's attempts.
   */
  wall_s: number;
  /**
   * The report's path.
   */
  report: string;
  cells: FlowCellResult[];
}
/**
 * Medians over the valid runs of a mix on a link.
 */
export interface FlowCellResult {
  mix: string;
  link: string;
  lane: Lane | null;
  valid: number;
  invalid: number;
  failed: number;
  plt?: FlowPageResult;
  /**
   * One for each `--flow` of the mix.
   */
  groups: FlowGroupResult[];
}
/**
 * Page load time of the page that was loaded amid the flows. Absent: there was none.
 */
export interface FlowPageResult {
  /**
   * Over the valid runs; null: there is none.
   */
  median_ms: number | null;
  /**
   * 95 % interval of the median; null: too few valid runs.
   */
  low_ms: number | null;
  high_ms: number | null;
}
export interface FlowGroupResult {
  /**
   * Its words, as `--flow` takes them.
   */
  flow: string;
  /**
   * Median over runs of its flows' goodput together; null: there is none.
   */
  goodput_bps: number | null;
  /**
   * 95 % interval of the median; null: fewer than five valid runs.
   */
  low_bps: number | null;
  high_bps: number | null;
  /**
   * Median of its share of what all flows of its direction got while all of them ran; null: they never did.
   */
  share: number | null;
}
/**
 * In place of flows-finished where a machine runs a part of a plan of flows (`trilane cell`).
 */
export interface FlowCellFinished {
  event: "flow-cell-finished";
  /**
   * Number of the link in the plan.
   */
  cell: number;
  host: string;
  /**
   * Path of the file of results.
   */
  shard: string;
  /**
   * Planned runs.
   */
  runs: number;
  /**
   * Attempts by status, over all runs of the cell.
   */
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Planned runs without a valid attempt.
   */
  given_up: number;
  /**
   * Of this run's attempts.
   */
  wall_s: number;
  cells: FlowCellResult[];
}
export interface FetchStarted {
  event: "fetch-started";
  position: Index;
  /**
   * Its URL.
   */
  object: string;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  link: FetchLink;
  block: Index;
  attempt: Index;
}
/**
 * An attempt at a fetch has ended and is stored.
 */
export interface FetchFinished {
  event: "fetch-finished";
  position: Index;
  /**
   * Its URL.
   */
  object: string;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  link: FetchLink;
  block: Index;
  attempt: Index;
  /**
   * Its number in the results.
   */
  fetch: number;
  /**
   * failed: the object did not come, which is a result; invalid: the machine disturbed it.
   */
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  wall_ms: number;
  /**
   * null: the client left none.
   */
  record: FetchRecord | null;
  /**
   * Planned fetches that will not be tried again.
   */
  done: number;
  fetches: number;
  /**
   * What the rest is expected to take.
   */
  left_s: number;
}
/**
 * The host's HTTPS records (RFC 9460), looked up once for each host; more than 32 of them, or than 4096 bytes, are a failure.
 */
export interface FetchHttpsRecord {
  /**
   * failed: nothing is known, and `reason` says why; not-asked: by --no-https-record, or for an address.
   */
  state: "present" | "absent" | "failed" | "not-asked";
  reason: string | null;
  lookup_ms: number | null;
  records: FetchHttpsService[];
}
/**
 * All fetches of a plan are done.
 */
export interface FetchesFinished {
  event: "fetches-finished";
  sweep: number;
  /**
   * Planned fetches.
   */
  fetches: number;
  /**
   * Attempts by status, over all of the plan.
   */
  valid: number;
  invalid: number;
  failed: number;
  /**
   * Of this run's attempts.
   */
  wall_s: number;
  /**
   * The report's path; null: none is written.
   */
  report: string | null;
  /**
   * Which lane connects and answers faster, in sentences.
   */
  verdict: string[];
  /**
   * What failed, what did not count, and what hosts say of HTTP/3, in sentences.
   */
  notes: string[];
  cells: FetchSummary[];
}
/**
 * All objects over a lane, a version of TLS and of IP, on one link or on the network as it is.
 */
export interface FetchSummary {
  link: FetchLink;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  /**
   * Those that came at least once.
   */
  objects: number;
  valid: number;
  failed: number;
  invalid: number;
  /**
   * By the metric's name.
   */
  metrics: {
    [k: string]: FetchMetricSummary;
  };
}
export interface FetchMetricSummary {
  /**
   * Of how many values.
   */
  n: number;
  /**
   * What a value is of: five objects or more count with their medians, fewer with each fetch.
   */
  unit: "objects" | "fetches";
  median: number | null;
  /**
   * 95 % interval of the median; null: too few.
   */
  low: number | null;
  high: number | null;
  /**
   * Why there is no median.
   */
  reason: string | null;
}
