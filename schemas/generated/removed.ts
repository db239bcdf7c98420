// Generated from ../removed.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane remove --json` prints.
 */
export interface Removed {
  schema: "trilane/removed/1";
  /**
   * Their names.
   */
  recordings: string[];
  /**
   * Their numbers.
   */
  sweeps: number[];
}
