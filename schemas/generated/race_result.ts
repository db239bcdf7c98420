// Generated from ../race-result.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";
import type { PageLoad, Resolution, Stall } from "./page_load.ts";

export type TimeMs = number | null;
export type Percent = number | null;
/**
 * What `trilane export --format race` writes, and trilane-host answers race.result with: one page on one link over its lanes, with all that a page needs to show it.
 */
export interface RaceResult {
  schema: "trilane/race-result/1";
  /**
   * The recording's name.
   */
  page: string;
  /**
   * Of the page's own request, as the loads made it; null: none of them made one.
   */
  url: string | null;
  link: RacedLink;
  /**
   * Valid loads asked of each lane.
   */
  runs: number;
  /**
   * The race's number among the sweeps.
   */
  sweep: number;
  /**
   * @minItems 1
   */
  lanes: [RaceLane, ...RaceLane[]];
  comparisons: RaceComparison[];
  verdict: RaceVerdict;
  /**
   * What was left out of the medians, by the first reason of each load; the commonest first.
   */
  excluded: ExcludedLoads[];
  busy_machine?: BusyMachine;
  /**
   * Absolute, of the report's HTML file; null: there is none (`trilane report` writes it).
   */
  report_path: string | null;
  /**
   * When the race ended; where it did not, when it began.
   */
  made: string;
}
export interface RacedLink {
  /**
   * The canonical short form.
   */
  form: string;
  /**
   * Its name where it has one, and rates, round trip, loss and queue in words.
   */
  label: string;
}
export interface RaceLane {
  lane: Lane;
  /**
   * Valid ones.
   */
  loads: number;
  /**
   * Attempts that were left out: invalid or failed, but for those that timed out.
   */
  invalid: number;
  /**
   * Attempts that timed out: in the median as slower than all others. Absent from documents of before they were counted there.
   */
  timed_out?: number;
  /**
   * Of PLT; null: no load that is valid or timed out.
   */
  median_ms: number | null;
  /**
   * Whether so many loads timed out that the median is only known to be longer. Absent from documents of before it was told.
   */
  at_least?: boolean;
  /**
   * 95 % interval of the median; null: fewer than five valid loads.
   */
  low_ms: number | null;
  high_ms: TimeMs;
  /**
   * Of the valid loads, in the order in which they ended.
   */
  plts_ms: number[];
  /**
   * The valid load nearest the median; null: none.
   */
  load: PageLoad | null;
  /**
   * Of one further load that is in no average; null: none was asked for, or it was not valid.
   */
  filmstrip: FilmFrame[] | null;
  /**
   * That load's own PLT: filming it takes time.
   */
  filmed_plt_ms: number | null;
}
/**
 * What a viewer had of one source of one element until it was read. Times are since navigationStart. A value that is missing is null, and `unavailable` says why.
 */
export interface Video {
  frame: "main" | "child";
  frame_url: string;
  /**
   * URL; blob: is that of Media Source Extensions. Empty: none, or another one by now.
   */
  source: string;
  /**
   * Its duration has no end.
   */
  live: boolean;
  /**
   * Its element was in no document any more.
   */
  removed: boolean;
  /**
   * When it was read. loaded: not played. starting: it is to play and has not begun. replaced: its element went on to another source.
   */
  state: "not-loaded" | "loaded" | "starting" | "playing" | "stalled" | "paused" | "ended" | "failed" | "replaced";
  /**
   * null: none.
   */
  error: string | null;
  duration_s: number | null;
  /**
   * The picture's, in pixels, at the end.
   */
  width: number | null;
  height: number | null;
  /**
   * When the browser began to load it.
   */
  load_ms: number | null;
  /**
   * From the call to play, or with autoplay from load_ms, until it played.
   */
  startup_ms: number | null;
  /**
   * Waiting for data after it had begun to play; waiting after a seek is none.
   */
  stalls: Stall[] | null;
  /**
   * Of all stalls.
   */
  stalled_ms: number | null;
  /**
   * On the viewer's clock.
   */
  played_ms: number | null;
  /**
   * stalled_ms / (stalled_ms + played_ms)
   */
  stall_ratio: number | null;
  /**
   * Of the picture, made or dropped (VideoPlaybackQuality).
   */
  frames: number | null;
  frames_dropped: number | null;
  /**
   * From the first on, each time that it changed: switches of the rendition, as far as they change the picture's size.
   */
  resolutions: Resolution[] | null;
  /**
   * Why a value is null, by its name.
   */
  unavailable: {
    [k: string]: string;
  };
}
/**
 * What the page showed from time_ms on.
 */
export interface FilmFrame {
  /**
   * Since navigationStart.
   */
  time_ms: number;
  /**
   * Base64.
   */
  jpeg: string;
}
/**
 * (against - lane) / against * 100 of the median PLTs: positive where `lane` is faster.
 */
export interface RaceComparison {
  lane: Lane;
  against: Lane;
  /**
   * null: they cannot be compared, as where one has no valid load.
   */
  improvement_percent: number | null;
  /**
   * 95 % interval, percent; null: too few loads; one end alone: so many timed out that nothing limits it.
   */
  low: number | null;
  high: Percent;
  /**
   * One of the two is shown to be faster; where loads stopped once it was decided (`--decide`), that is the decision, whose figure and interval these are.
   */
  decided: boolean;
  /**
   * Where loads stopped once it was decided: of `lane`. equivalent: within the plan's margin. Absent: their number was fixed before, or an earlier version wrote it.
   */
  decision?: "faster" | "slower" | "equivalent" | "undecided";
  /**
   * So many loads of the slower lane timed out that the two are at least so far apart, or of the faster one that they are at most. null: neither. Absent, as the next one, from documents of before it was told.
   */
  limit?: "at least" | "at most" | null;
  /**
   * Why the improvement or its interval is null; null: neither is.
   */
  reason?: string | null;
}
export interface RaceVerdict {
  /**
   * The answer: which lane, by how much, why, how sure. Then further pairs, lanes without a valid load last.
   */
  sentences: string[];
}
export interface ExcludedLoads {
  reason: string;
  count: number;
}
/**
 * What other programs added to the loads, as far as it is known (cli/results/verdict/busy_machine.ts). Absent: the machine was calm, or an earlier version wrote this.
 */
export interface BusyMachine {
  /**
   * Of those that count: disturbed by more than is tolerated.
   */
  loads: number;
  of: number;
  /**
   * Of `loads`: those of which it is not known for how long.
   */
  unknown: number;
  /**
   * About how long each of `loads` waited, their median. null: of none it is known.
   */
  estimate_ms: number | null;
  /**
   * How much a load was longer for each ms of its estimate, and its 95 % interval. null: the loads do not show it.
   */
  slope: DisturbanceSlope | null;
  /**
   * How far lanes' medians may be off on either side; intervals are longer by that.
   */
  off_ms: number;
}
export interface DisturbanceSlope {
  estimate: number;
  low: number;
  high: number;
}
