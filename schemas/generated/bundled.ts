// Generated from ../bundled.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane bundle --json` prints.
 */
export interface Bundled {
  schema: "trilane/bundled/1";
  /**
   * Absolute.
   */
  path: string;
  /**
   * Of the file: what a paper cites.
   */
  sha256: string;
  /**
   * Of the file.
   */
  bytes: number;
  /**
   * Of its members together.
   */
  unpacked_bytes: number;
  sweep: number;
  loads: number;
  /**
   * How many are in it.
   */
  recordings: number;
  /**
   * Files of figures: SVG and CSV.
   */
  figures: number;
  credentials: "masked" | "kept";
}
