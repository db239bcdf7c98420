// Generated from ../merged.schema.json by `npm run generate`: change the schema instead.

/**
 * Of a page on a link in the plan; of flows: of a link.
 */
export type Number = number;
/**
 * What `trilane merge --json` prints.
 */
export interface Merged {
  schema: "trilane/merged/1";
  /**
   * What the plan is of.
   */
  kind: "pages" | "flows";
  /**
   * The file of results that was written.
   */
  path: string;
  /**
   * The plan's.
   */
  name: string;
  plan_digest: string;
  /**
   * Of the plan: pages on links; of flows: links.
   */
  cells: number;
  /**
   * Numbers of the cells without a load.
   */
  missing: Number[];
  /**
   * Numbers of those that have some of their loads only.
   */
  unfinished: Number[];
  /**
   * Attempts at loads or at runs of flows, without those of reference cells.
   */
  loads: number;
  /**
   * Differences of reference cells up to so much do not matter.
   */
  tolerance_percent: number;
  hosts: MergedHost[];
  left_out: ShardLeftOut[];
}
export interface MergedHost {
  name: string;
  /**
   * Numbers of those it ran.
   */
  cells: Number[];
  loads: number;
  reference_loads: number;
  /**
   * In what it is unlike the other hosts; empty: in nothing.
   */
  flags: string[];
}
export interface ShardLeftOut {
  path: string;
  reason: string;
}
