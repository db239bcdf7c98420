// Generated from ../man-written.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane man --json` prints.
 */
export interface ManWritten {
  schema: "trilane/man-written/1";
  /**
   * Absolute.
   */
  folder: string;
  /**
   * Names of the files in it.
   */
  pages: string[];
}
