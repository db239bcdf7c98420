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
   * The plan's.
   */
  name: string;
  plan_digest: Digest;
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
