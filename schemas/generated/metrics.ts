// Generated from ../metrics.schema.json by `npm run generate`: change the schema instead.

/**
 * What a page load is judged by. Absent: of a load or profile from before the metric was there. `metric` says what each is called: the database's columns, exports, report and extension follow from it. The required ones are columns of the table load, all others of load_metric.
 */
export interface Metrics {
  /**
   * loadEventEnd - navigationStart.
   */
  plt_ms: number | null;
  /**
   * responseStart.
   */
  ttfb_ms: number | null;
  /**
   * domContentLoadedEventEnd.
   */
  dcl_ms: number | null;
  /**
   * First contentful paint: when its frame was on the screen, rounded up to 4 ms by the browser.
   */
  fcp_ms: number | null;
  /**
   * Largest contentful paint, as fcp_ms; null where the browser took blanks between images for it.
   */
  lcp_ms: number | null;
  /**
   * Cumulative layout shift, as web-vitals has it; here and below: absent from loads of before it was told.
   */
  cls?: number | null;
  /**
   * Total blocking time: what long tasks took beyond 50 ms, each counted from the first contentful paint on, until the page was quiet (Lighthouse's ends at the time to interactive).
   */
  tbt_ms?: number | null;
  /**
   * Speed Index, of a load that was filmed because loads are compared by it (--metric si); absent from all others.
   */
  speed_index_ms?: number | null;
  /**
   * Why a metric is null.
   */
  unavailable: {
    [k: string]: string;
  };
}
