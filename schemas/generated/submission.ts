// Generated from ../submission.schema.json by `npm run generate`: change the schema instead.

/**
 * SHA-256.
 */
export type Digest = string;
/**
 * SHARDS/submission.json, which `trilane submit` writes: what every machine is held to.
 */
export interface Submission {
  schema: "trilane/submission/1";
  /**
   * Of this folder of shards, and of what is sent to hosts for it.
   */
  id: string;
  /**
   * The plan's.
   */
  name: string;
  plan_digest: Digest;
  /**
   * Of the plan of the reference cells; null: there are none.
   */
  reference_digest: Digest | null;
  /**
   * Version that submitted.
   */
  trilane: string;
  /**
   * Digest of each page's recording, and of the reference cells', by name.
   */
  recordings: {
    [k: string]: Digest;
  };
}
