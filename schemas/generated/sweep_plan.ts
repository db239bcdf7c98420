// Generated from ../sweep-plan.schema.json by `npm run generate`: change the schema instead.

export type PlanPage = string | SynthPage;
export type PlanLink = string | LinkGrid;

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
  lanes: ["h1" | "h2" | "h3", ...("h1" | "h2" | "h3")[]];
  /**
   * @minItems 1
   */
  links: [PlanLink, ...PlanLink[]];
  /**
   * Valid loads asked of each cell.
   */
  repetitions: number;
  /**
   * Decides the order of loads and the losses on the links.
   */
  seed?: number;
  /**
   * How often a load that was invalid or failed is tried again.
   */
  retries?: number;
  /**
   * A load that takes longer has failed.
   */
  timeout_s?: number;
  /**
   * How long a load is watched after its load event, for late requests and the largest paint.
   */
  settle_ms?: number;
}
export interface SynthPage {
  /**
   * A page that `trilane synth` can make.
   */
  synth: string;
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
