// Generated from ../recording-exported.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane export --recording NAME --out` prints with --json.
 */
export interface RecordingExported {
  schema: "trilane/recording-exported/1";
  recording: string;
  format: "har" | "mahimahi" | "wpr";
  exchanges: number;
  /**
   * Absolute: a file, or Mahimahi's folder.
   */
  path: string;
  /**
   * What the format cannot hold, a line each.
   */
  left_out: string[];
}
