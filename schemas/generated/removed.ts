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
  everything?: RemovedEverything;
}
/**
 * Of --everything, which names no recordings and sweeps one by one.
 */
export interface RemovedEverything {
  /**
   * The data folder.
   */
  home: string;
  /**
   * Of the files that are gone.
   */
  bytes: number;
  /**
   * Of the native messaging host, that are gone.
   */
  manifests: string[];
  /**
   * Names in the data folder that are not Trilane's; it is gone where there are none.
   */
  left: string[];
}
