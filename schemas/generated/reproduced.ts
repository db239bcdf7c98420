// Generated from ../reproduced.schema.json by `npm run generate`: change the schema instead.

export type Names = string[];
/**
 * In the bundle, and not made again.
 */
export type Names1 = string[];
/**
 * What `trilane reproduce FILE --json` prints of a bundle.
 */
export interface Reproduced {
  schema: "trilane/reproduced/1";
  /**
   * The file, absolute.
   */
  bundle: string;
  /**
   * Of the file.
   */
  sha256: string;
  /**
   * Where it was reproduced, absolute.
   */
  folder: string;
  /**
   * Absolute.
   */
  report: string;
  /**
   * The version of Trilane that made the bundle.
   */
  made_by: string;
  /**
   * How many were made again: the report, the loads' CSV, each figure's SVG and CSV.
   */
  files: number;
  /**
   * Of them, equal to the bundle's byte for byte.
   */
  same: number;
  different: Names;
  missing: Names1;
}
