// Generated from ../sweeps-compared.schema.json by `npm run generate`: change the schema instead.
import type { LaneLabel } from "./lane_label.ts";

/**
 * By what loads were compared. Absent: by the page load time.
 */
export type MetricChoice = "plt" | "ttfb" | "fcp" | "lcp" | "si" | "startup" | "viewing";
/**
 * What `trilane compare --json` prints.
 */
export interface SweepsCompared {
  schema: "trilane/sweeps-compared/1";
  metric?: MetricChoice;
  /**
   * Changes of the median page load time of up to so much do not matter.
   */
  threshold_percent: number;
  /**
   * What a change is told apart from. interleaved: both sides ran alternately in one sweep; occasions: several sweeps of a side, between which changes are tested; one each: nothing, unless the next is a number.
   */
  design: "interleaved" | "occasions" | "one each";
  /**
   * How far two occasions of the same thing are known to differ (--occasion-spread): a change counts from the threshold and so much more on. null: not given.
   */
  occasion_spread_percent: number | null;
  a: ComparedSweep;
  b: ComparedSweep;
  /**
   * Cells of the first sweep only.
   */
  only_a: number;
  only_b: number;
  /**
   * So many probabilities of one direction are corrected together (Holm).
   */
  tests: number;
  /**
   * In what a change of any size could be shown by so many loads: in single cells, only in several together, or in nothing.
   */
  can_show: "cells" | "together" | "nothing";
  /**
   * Valid loads of each side from which on a cell can be shown to have changed by itself; null: no cell is the same in both sweeps.
   */
  loads_needed: number | null;
  /**
   * All cells, and those of each lane, in one test each, where there are several pages or links with loads in both.
   */
  together: ComparedTogether[];
  cells: ComparedCell[];
}
export interface ComparedSweep {
  /**
   * Number of the first one.
   */
  sweep: number;
  /**
   * Numbers of all its sweeps, which are as many occasions.
   *
   * @minItems 1
   */
  sweeps?: [number, ...number[]];
  /**
   * Of an interleaved sweep: which page, link or browser this side is.
   */
  version?: string;
  name: string;
  created_at: string;
  /**
   * Which browsers its loads ran with; absent from documents of before it was told.
   */
  browsers?: ComparedBrowser[];
  /**
   * What it began on.
   */
  environment: {
    [k: string]: unknown;
  };
}
export interface ComparedBrowser {
  version: string;
  /**
   * Of its program's file; null: not told.
   */
  sha256: string | null;
  loads: number;
}
export interface ComparedTogether {
  /**
   * null: of all lanes.
   */
  lane: LaneLabel | null;
  cells: number;
  judgement: "slower" | "faster" | "same" | "unclear";
  /**
   * Of the median PLT; positive: slower. The geometric mean over pages on links.
   */
  change_percent: number;
  /**
   * 95 %.
   */
  low_percent: number | null;
  high_percent: number | null;
  /**
   * By Holm over all tests.
   */
  probability: number;
}
export interface ComparedCell {
  page: string;
  link: string;
  lane: LaneLabel;
  /**
   * slower and faster: by more than the threshold, shown at 5 %; same: by no more than it, shown at 5 %; unclear: neither; failing: more loads of the second side fail, or none of them ends any more, shown at 5 %; unknown: too few valid loads, or another recording or link.
   */
  judgement: "slower" | "faster" | "same" | "unclear" | "failing" | "unknown";
  /**
   * Valid ones, and those that timed out, which count as slower than all others.
   */
  loads_a: number;
  loads_b: number;
  /**
   * Of these loads. If they are half or more, the median is a lower bound: at least so long. Absent, as the next one, from documents of before it was told.
   */
  timed_out_a?: number;
  timed_out_b?: number;
  /**
   * Loads that are neither valid nor timed out, without those that a busy machine or a link out of tolerance spoiled; absent, as the next two, from documents of before it was told.
   */
  failed_a?: number;
  failed_b?: number;
  /**
   * Of Fisher's exact tests that the second sweep's loads fail more often, or that none ends any more, the lesser one by Holm over all tests; 1 where there is none.
   */
  failing_probability?: number;
  median_a_ms: number | null;
  median_b_ms: number | null;
  /**
   * Of the median PLT; positive: slower.
   */
  change_percent: number | null;
  /**
   * 95 %.
   */
  low_percent: number | null;
  high_percent: number | null;
  /**
   * That loads lie so if the change is within the threshold, by Holm over all tests of its direction; 1 where there is none.
   */
  probability: number;
  /**
   * The page is another one of the same name.
   */
  other_recording: boolean;
  /**
   * So is the link.
   */
  other_link: boolean;
  /**
   * The loads of one sweep asked for more of the page: their median coverage differs by more than 2 percentage points.
   */
  other_coverage: boolean;
}
