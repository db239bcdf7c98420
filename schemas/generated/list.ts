// Generated from ../list.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane list --json` prints: all recordings by name, all sweeps, the newest first.
 */
export interface List {
  schema: "trilane/list/1";
  /**
   * The data folder, absolute.
   */
  home: string;
  recordings: ListedRecording[];
  sweeps: ListedSweep[];
}
export interface ListedRecording {
  /**
   * Another one once the recording is replaced.
   */
  id: number;
  /**
   * What commands call a recording.
   */
  name: string;
  url: string;
  source: string;
  /**
   * When the page load began that was recorded; null: unknown.
   */
  recorded_at: string | null;
  created_at: string;
  /**
   * SHA-256 over the exchanges, see native-host/archive/recording_digest.h.
   */
  digest: string;
  notes: {};
  exchanges: number;
  /**
   * How many different ones.
   */
  hosts: number;
  /**
   * How many different ones.
   */
  addresses: number;
  /**
   * Response bodies as on the wire.
   */
  body_bytes: number;
  /**
   * How many bodies are filled in.
   */
  filled: number;
}
export interface ListedSweep {
  id: number;
  /**
   * Of page loads, of flows (`trilane flows`), or of fetches (`trilane fetch`).
   */
  kind: "pages" | "flows" | "fetches";
  name: string;
  created_at: string;
  /**
   * null: not finished.
   */
  finished_at: string | null;
  state: "finished" | "running" | "unfinished";
  /**
   * How many different ones.
   */
  pages: number;
  /**
   * Of flows: how many different mixes. Absent: a sweep of pages.
   */
  mixes?: number;
  /**
   * Of fetches: how many different objects. Absent: another kind of sweep.
   */
  objects?: number;
  /**
   * Empty: flows without a page.
   */
  lanes: string[];
  /**
   * How many different ones.
   */
  links: number;
  /**
   * Pages x lanes x links; of flows, mixes x lanes x links; of fetches, objects x lanes x versions of TLS and IP x links.
   */
  cells: number;
  /**
   * Loads, flow runs or fetches that the plan asks for: cells x repetitions.
   */
  planned: number;
  /**
   * Loads, flow runs or fetches so far, with those that were invalid or failed.
   */
  attempts: number;
  valid: number;
}
