// Generated from ../sweeps-compared.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";

/**
 * What `trilane compare --json` prints.
 */
export interface SweepsCompared {
  schema: "trilane/sweeps-compared/1";
  /**
   * Changes of up to so much do not matter.
   */
  threshold_percent: number;
  a: ComparedSweep;
  b: ComparedSweep;
  /**
   * Cells of the first sweep only.
   */
  only_a: number;
  only_b: number;
  /**
   * So many probabilities are corrected together (Holm).
   */
  tests: number;
  /**
   * In what a change of any size could be shown by so many loads: in single cells, only in several together, or in nothing.
   */
  can_show: "cells" | "together" | "nothing";
  /**
   * Valid loads of each sweep from which on a cell can be shown to have changed by itself; null: no cell is the same in both sweeps.
   */
  loads_needed: number | null;
  /**
   * All cells, and those of each lane, in one stratified rank-sum test each, where there are several with loads in both sweeps.
   */
  together: ComparedTogether[];
  cells: ComparedCell[];
}
export interface ComparedSweep {
  sweep: number;
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
  lane: Lane | null;
  cells: number;
  judgement: "slower" | "faster" | "same" | "unclear";
  /**
   * Of PLT; positive: slower. The median of the differences within cells, each cell weighing alike.
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
  lane: Lane;
  /**
   * slower and faster: shown, and by more than the threshold; same: no change larger than it; unclear: neither; failing: more loads of the second sweep fail, or several were tried there and none is valid any more; unknown: too few valid loads, or another recording or link.
   */
  judgement: "slower" | "faster" | "same" | "unclear" | "failing" | "unknown";
  /**
   * Valid ones, and those that timed out, which count as slower than all others.
   */
  loads_a: number;
  loads_b: number;
  /**
   * Loads that are neither valid nor timed out, without those that a busy machine or a link out of tolerance spoiled; absent, as the next two, from documents of before it was told.
   */
  failed_a?: number;
  failed_b?: number;
  /**
   * Of Fisher's exact test that the second sweep's loads fail more often, by Holm over all tests; 1 where there is none.
   */
  failing_probability?: number;
  median_a_ms: number | null;
  median_b_ms: number | null;
  /**
   * Of PLT; positive: slower. Hodges and Lehmann's estimate.
   */
  change_percent: number | null;
  /**
   * 95 %.
   */
  low_percent: number | null;
  high_percent: number | null;
  /**
   * Of the rank-sum test, by Holm over all tests; 1 where there is none.
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
