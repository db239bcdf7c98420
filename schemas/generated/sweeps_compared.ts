// Generated from ../sweeps-compared.schema.json by `npm run generate`: change the schema instead.

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
export interface ComparedCell {
  page: string;
  link: string;
  lane: "h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt";
  /**
   * slower and faster: shown, and by more than the threshold; same: no change larger than it; unclear: neither; unknown: too few valid loads, or another recording.
   */
  judgement: "slower" | "faster" | "same" | "unclear" | "unknown";
  /**
   * Valid ones.
   */
  loads_a: number;
  loads_b: number;
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
   * Of the rank-sum test, by Holm over all cells.
   */
  probability: number;
  other_recording: boolean;
}
