// Generated from ../calibration.schema.json by `npm run generate`: change the schema instead.

/**
 * How many labs a machine bears side by side: HOME/calibration.json, and what `trilane calibrate --json` prints.
 */
export interface Calibration {
  schema: "trilane/calibration/1";
  /**
   * CPU, their number, kernel: on another machine it says nothing.
   */
  machine: string;
  made_at: string;
  page: string;
  /**
   * Short form.
   */
  link: string;
  /**
   * Links up to this rate may have loads side by side.
   */
  rate_bps: number;
  /**
   * A page load time that is this close is the same.
   */
  margin_percent: number;
  /**
   * The largest number at which page load times in each lab, and their mean in each round, are equivalent to those of one lab alone.
   */
  labs: number;
  steps: CalibrationStep[];
}
export interface CalibrationStep {
  labs: number;
  /**
   * Each one load alone and `labs` loads side by side.
   */
  rounds: number;
  /**
   * Loads that did not count.
   */
  invalid: number;
  /**
   * How much longer loads side by side took than alone, in the lab (or the labs' mean) that is the least like it: Hodges and Lehmann's estimate.
   */
  percent: number | null;
  /**
   * 90 %: two one-sided tests at 5 %.
   */
  low_percent: number | null;
  high_percent: number | null;
  /**
   * Of each lab and of the labs' mean both one-sided tests say so.
   */
  equivalent: boolean;
}
