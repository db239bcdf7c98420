// Generated from ../recording-checked.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";
import type { LoadCoverage } from "./page_load.ts";

/**
 * What `trilane recording check` prints with --json: a trial load of a recording without a link.
 */
export interface RecordingChecked {
  schema: "trilane/recording-checked/1";
  recording: {
    name: string;
    url: string;
    source: string;
    digest: string;
  };
  lane: Lane;
  /**
   * To which moment the page's clock was set, its random numbers seeded, because that raises coverage; the recording's loads will be the same. null: they are left as they are.
   */
  pinned_to: string | null;
  /**
   * Why the page did not load; null: it did.
   */
  failure: string | null;
  /**
   * Whether such a load is within the bounds of a valid one.
   */
  within: boolean;
  /**
   * Why not.
   */
  reasons: string[];
  coverage: LoadCoverage | null;
  /**
   * Of the load before the clock was set; null: it was not.
   */
  unpinned: LoadCoverage | null;
  /**
   * Recorded requests that the load did not ask for, the largest first.
   */
  not_asked: CheckedRequest[];
  /**
   * Requests that the recording has no answer to.
   */
  beyond: CheckedBeyond[];
  /**
   * Requests that were answered with another recorded response, the least similar first.
   */
  fuzzy: CheckedFuzzy[];
  /**
   * What to do, one line each.
   *
   * @minItems 1
   */
  advice: [string, ...string[]];
}
export interface CheckedRequest {
  method: string;
  url: string;
  /**
   * Of the response's body, as on the wire.
   */
  bytes: number;
}
export interface CheckedBeyond {
  method: string;
  url: string;
  kind: "report" | "other" | "failed";
}
export interface CheckedFuzzy {
  method: string;
  url: string;
  given: string | null;
  difference: "body" | "port" | "query" | "path";
  similarity: number;
}
