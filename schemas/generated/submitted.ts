// Generated from ../submitted.schema.json by `npm run generate`: change the schema instead.

/**
 * Of a page on a link in the plan.
 */
export type Number = number;
/**
 * What `trilane submit --json` prints: with Slurm when cells are handed in, over ssh when they have run.
 */
export interface Submitted {
  schema: "trilane/submitted/1";
  /**
   * The plan's.
   */
  name: string;
  /**
   * The folder of the cells' results.
   */
  shards: string;
  system: "slurm" | "ssh";
  /**
   * Cells of the plan: pages on links.
   */
  of: number;
  /**
   * Numbers of those handed in.
   */
  cells: Number[];
  /**
   * Numbers of those that Slurm's queue has from an earlier time.
   */
  waiting: Number[];
  /**
   * Slurm's numbers of the jobs.
   */
  jobs: string[];
}
