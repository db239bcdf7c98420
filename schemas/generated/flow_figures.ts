// Generated from ../flow-figures.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane reproduce STUDY --json` prints last of a study of flows or of fetches: each published figure beside ours.
 */
export interface FlowFigures {
  schema: "trilane/flow-figures/1";
  study: string;
  /**
   * Whose runs ours are of.
   */
  sweep: number;
  figures: FlowFigureCompared[];
  /**
   * In a sentence; null: nothing of what was published was run.
   */
  agreement: string | null;
}
export interface FlowFigureCompared {
  what: string;
  /**
   * Of flows. Absent: of fetches, where `what` names the lanes.
   */
  mix?: string;
  link: string;
  /**
   * As the study says it.
   */
  published: string;
  /**
   * The study's number lies above (1) or below (-1) `beside`, or is it (0).
   */
  sign: -1 | 0 | 1;
  beside: number;
  /**
   * With sign 0: ours agrees within so much of `beside`, as a share of it; else null.
   */
  within: number | null;
  /**
   * Ours; null: see reason.
   */
  value: number | null;
  /**
   * 95 % interval; null: see reason.
   */
  low: number | null;
  high: number | null;
  /**
   * Valid runs that have the number.
   */
  runs: number;
  /**
   * Why value or interval is null.
   */
  reason: string | null;
  agreement: "agrees" | "differs" | "undecided" | "not loaded";
}
