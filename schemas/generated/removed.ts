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
   * Paths in the data folder of what is not Trilane's, and stays.
   */
  left: string[];
  /**
   * What Trilane keeps and could not remove, or is behind a symlink; the exit status is 1 then.
   */
  remains: {
    path: string;
    why: string;
  }[];
}
