// Generated from ../sweep-plan.schema.json by `npm run generate`: change the schema instead.
import type { LaneLabel } from "./lane_label.ts";
import type { QuicChoice, ServingChoice, TcpChoice } from "./serving.ts";

export type PlanPage = string | SynthPage;
export type PlanLink = string | LinkGrid | CellularLinks;
/**
 * When a page on a link needs no further loads: they go where they are needed, and looking several times is accounted for (cli/results/stats/sequential.ts, cli/results/verdict/stopping_decision.ts).
 */
export type PlanUntil = UntilDecided | UntilPrecise;
/**
 * Two versions of one thing, loaded alternately within each block, so that `trilane compare` can tell their difference from the occasion's.
 */
export type PlanInterleaved = InterleavedPages | InterleavedBrowsers;
/**
 * By what lanes are compared: verdicts, maps and `until`. si films every load. Default: plt.
 */
export type MetricChoice = "plt" | "ttfb" | "fcp" | "lcp" | "si" | "startup" | "viewing";
/**
 * What `trilane sweep` runs: pages x lanes x links, each so many times.
 */
export interface SweepPlan {
  $schema?: string;
  name: string;
  /**
   * What the sweep asks, for people.
   */
  description?: string;
  /**
   * The study it follows, for people.
   */
  reference?: string;
  /**
   * @minItems 1
   */
  pages: [PlanPage, ...PlanPage[]];
  /**
   * @minItems 1
   */
  lanes: [LaneLabel, ...LaneLabel[]];
  /**
   * Settings of transports by the names that `lanes` has after a colon: what such a lane has in place of `serving.transport`. A preset takes the place of all of it.
   */
  settings?: {
    [k: string]: TransportChoice;
  };
  /**
   * @minItems 1
   */
  links: [PlanLink, ...PlanLink[]];
  /**
   * Valid loads asked of each cell; with `until` the most of them.
   */
  repetitions: number;
  until?: PlanUntil;
  interleaved?: PlanInterleaved;
  metric?: MetricChoice;
  /**
   * Decides the order of loads and the losses on the links.
   */
  seed?: number;
  /**
   * How often a load that was invalid or failed is tried again. Loads whose link the machine held up are repeated for as long as retry_for_s allows, and one that timed out is not tried again: it counts as slower than all others.
   */
  retries?: number;
  tolerance?: DisturbanceTolerance;
  /**
   * How long loads whose link the machine held up are repeated, over all of a run's such loads and waits for a calm machine. Default: a quarter of what the run was to take, at least 15.
   */
  retry_for_s?: number;
  /**
   * A load that takes longer has failed. Of a video: that takes so much longer than its clip.
   */
  timeout_s?: number;
  /**
   * The sweep ends, with its report, when its loads have taken so long over all runs: further blocks and films are not begun. Loads side by side count once; what lies between loads does not count. Each `trilane cell` of a plan that is spread over machines has this time for itself.
   */
  time_limit_s?: number;
  /**
   * So many blocks of the first page on the first link run before all others, so that there is a first answer soon.
   */
  lead_blocks?: number;
  /**
   * Whether a repeat visit (h2-0rtt, h3-0rtt) finds the first one's cache, cookies and storage; else only its tickets.
   */
  warm_cache?: boolean;
  /**
   * Whether the recording must have an answer to each request before the load event, beacons and reports too; else a load may ask for a few others (cli/load/metrics/coverage.ts). Pages of `trilane synth` are always loaded so.
   */
  strict?: boolean;
  /**
   * recorded: pages load their recorded bodies; model: pages of the same shape take their place; auto: where a trial load would not count. Default: as `trilane import --as` said, else auto.
   */
  as?: "auto" | "recorded" | "model";
  /**
   * How long a load is watched after its load event, for late requests and the largest paint.
   */
  settle_ms?: number;
  /**
   * Of sweeps of earlier versions: how many times slower time passed for the network, its servers and the browser. Reported times are undilated. This version loads none above 1.
   */
  dilate?: number;
  /**
   * How many further loads of each cell are filmed, for what the page showed and how fast (Speed Index). Filming takes the browser's time: these are in no average.
   */
  films?: number;
  cross_traffic?: PlanCrossTraffic;
  serving?: ServingChoice;
}
export interface SynthPage {
  /**
   * A page that `trilane synth` can make; {a,b} in it for several of a family, as object-{10kB,1MB}.
   */
  synth: string;
}
/**
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^[a-z0-9][a-z0-9-]{0,11}$".
 */
export interface TransportChoice {
  /**
   * What the members left out are as. stock: the defaults of Linux and quiche, with CUBIC. tuned: TCP with what QUIC has, and both with a larger initial window. custom: as stock; what is stored is so called where it is neither of the two.
   */
  preset?: "stock" | "tuned" | "custom";
  tcp?: TcpChoice;
  quic?: QuicChoice;
}
export interface LinkGrid {
  grid: Grid;
}
/**
 * Every rate with every RTT with every loss.
 */
export interface Grid {
  /**
   * @minItems 1
   */
  rates_mbit: [number, ...number[]];
  /**
   * @minItems 1
   */
  rtts_ms: [number, ...number[]];
  /**
   * Shares from 0 to 1; without it no loss.
   *
   * @minItems 1
   */
  loss?: [number, ...number[]];
}
export interface CellularLinks {
  cellular: Cellular;
}
/**
 * Every network with every RTT, by traces: drawn into the data folder by the models of `trilane trace synth`, or measured ones (--trace).
 */
export interface Cellular {
  /**
   * Presets of `trilane trace synth`.
   *
   * @minItems 1
   */
  networks: [string, ...string[]];
  /**
   * @minItems 1
   */
  rtts_ms: [number, ...number[]];
  /**
   * Drop-tail, of so long at the mean rate; without it one bandwidth-delay product.
   */
  queue_ms?: number;
  /**
   * Of drawn traces: each has its network's mean rate over this time, and begins again at its end. Every load begins at its trace's beginning.
   */
  length_s: number;
  /**
   * Of drawn traces. Default: 1.
   */
  seed?: number;
}
export interface UntilDecided {
  /**
   * Each pair of lanes is decided: one is faster, or they are equivalent within so many per cent.
   */
  decided_percent: number;
}
export interface UntilPrecise {
  /**
   * The 95 % interval of each lane's median reaches so many per cent of it to each side, or less.
   */
  interval_percent: number;
}
/**
 * The plan's two pages, or its two links.
 */
export interface InterleavedPages {
  of: "pages" | "links";
}
export interface InterleavedBrowsers {
  of: "browsers";
  /**
   * Absolute paths of two programs. The first loads blocks 0, 2, 4 and so on, the second those in between; `repetitions` counts both.
   *
   * @minItems 2
   * @maxItems 2
   */
  browsers: [string, string];
}
/**
 * How long the machine may hold up the link of a load: the larger of a share of its page load time and a time. A load whose link was held up for longer is invalid. Of a run of flows: of its length. Default: 1 %, 5 ms.
 */
export interface DisturbanceTolerance {
  share: number;
  ms: number;
}
/**
 * Bulk flows that share the link with every load, from before its navigation to its end.
 */
export interface PlanCrossTraffic {
  /**
   * As `--flow` of `trilane flows` takes them: tcp:bbr, 4*quic:cubic@2s,up.
   *
   * @minItems 1
   * @maxItems 1000
   */
  flows: [string, ...string[]];
  /**
   * When the page's navigation begins, on the flows' clock. The browser needs a moment to start.
   */
  page_start_s?: number;
}
