// Generated from ../bundle.schema.json by `npm run generate`: change the schema instead.
import type { LaneLabel } from "./lane_label.ts";
import type { LinkProfile } from "./link_profile.ts";

export type Sha256 = string;
/**
 * manifest.json of a bundle (`trilane bundle`): what is in it, and what the sweep ran with. A bundle is a tar (ustar, regular files only) compressed with zstd: README.md, manifest.json, then `members` in their order.
 */
export interface Bundle {
  schema: "trilane/bundle/1";
  /**
   * The version that made the bundle.
   */
  trilane: string;
  /**
   * Of results.db: its PRAGMA user_version.
   */
  results_format: number;
  sweep: BundledSweep;
  /**
   * @minItems 1
   */
  lanes: [LaneLabel, ...LaneLabel[]];
  /**
   * @minItems 1
   */
  links: [BundledLink, ...BundledLink[]];
  /**
   * What links name: traces, and numbers for jitter and loss.
   */
  files: BundledFile[];
  /**
   * @minItems 1
   */
  recordings: [BundledRecordingFacts, ...BundledRecordingFacts[]];
  /**
   * Where the sweep began: versions, machine.
   */
  environment: {
    [k: string]: string | number | boolean | null;
  };
  /**
   * What its loads ran on, each once.
   */
  ran_on: RanOn[];
  browsers: BundledBrowser[];
  /**
   * Trilane's own when the sweep began: `trilane` stands for the sources that Node runs. Empty: an earlier Trilane, which did not note them.
   */
  programs: ProgramDigest[];
  /**
   * Masked: cookies, authorization and what is secret by its name are as many x.
   */
  credentials: "masked" | "kept";
  /**
   * All but README.md and manifest.json, by name.
   *
   * @minItems 1
   */
  members: [BundleMember, ...BundleMember[]];
}
export interface BundledSweep {
  /**
   * In results.db.
   */
  id: number;
  name: string;
  plan_digest: Sha256;
  /**
   * Of the order of loads and of intervals.
   */
  seed: number;
  command: string[];
  created_at: string;
  /**
   * Null: it is not finished.
   */
  finished_at: string | null;
  /**
   * Attempts.
   */
  loads: number;
  /**
   * Of them.
   */
  valid: number;
}
export interface BundledLink {
  /**
   * As the report calls it.
   */
  link: string;
  profile: LinkProfile;
}
export interface BundledFile {
  /**
   * In plan and profiles. The member is files/SHA256.
   */
  path: string;
  sha256: Sha256;
}
export interface BundledRecordingFacts {
  /**
   * The page in results.db.
   */
  name: string;
  /**
   * Of the exchanges in recordings/NAME.json and their bodies, as the archive has it.
   */
  digest: string;
  /**
   * Of the recording that was loaded; another one where credentials in it were masked.
   */
  loaded_digest: string;
  /**
   * False: only the results of its loads are in the bundle.
   */
  included: boolean;
}
export interface RanOn {
  loads: number;
  versions: {
    [k: string]: string;
  };
  kernel: string;
  architecture: string;
  cpu: string;
  cpus: number;
  memory_bytes: number;
}
export interface BundledBrowser {
  version: string;
  /**
   * Of its program; null: not known.
   */
  sha256: Sha256 | null;
  loads: number;
}
export interface ProgramDigest {
  name: string;
  sha256: Sha256;
}
export interface BundleMember {
  name: string;
  bytes: number;
  sha256: Sha256;
}
