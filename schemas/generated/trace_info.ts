// Generated from ../trace-info.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane trace info --json` prints: what each trace offers, in packets of 1500 bytes.
 */
export interface TraceInfo {
  schema: "trilane/trace-info/1";
  /**
   * @minItems 1
   */
  traces: [TraceFactsOfFile, ...TraceFactsOfFile[]];
}
export interface TraceFactsOfFile {
  path: string;
  opportunities: number;
  /**
   * The last time; the trace begins again there.
   */
  length_ms: number;
  mean_bps: number;
  longest_gap_ms: number;
  /**
   * Over whole windows of the trace, one after another.
   */
  rate: {
    window_ms: number;
    windows: number;
    min_bps: number;
    p5_bps: number;
    p25_bps: number;
    median_bps: number;
    p75_bps: number;
    p95_bps: number;
    max_bps: number;
    /**
     * Standard deviation over mean.
     */
    variation: number;
  };
  /**
   * Times without an opportunity that last at least so long.
   */
  outages: {
    at_least_ms: number;
    count: number;
    total_ms: number;
    longest: TraceOutage | null;
    /**
     * The first hundred.
     *
     * @maxItems 100
     */
    first: TraceOutage[];
  };
}
export interface TraceOutage {
  start_ms: number;
  length_ms: number;
}
