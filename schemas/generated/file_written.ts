// Generated from ../file-written.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane report` and `trilane export --out` print with --json.
 */
export interface FileWritten {
  schema: "trilane/file-written/1";
  kind: "report" | "har" | "csv" | "json" | "race" | "p1203" | "series" | "flent";
  sweep: number;
  /**
   * How many loads, runs of flows or fetches are in it.
   */
  loads: number;
  /**
   * Absolute.
   */
  path: string;
}
