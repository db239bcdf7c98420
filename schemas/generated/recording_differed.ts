// Generated from ../recording-differed.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane recording diff` prints with --json.
 */
export interface RecordingDiffered {
  schema: "trilane/recording-differed/1";
  a: {
    name: string;
    digest: string;
  };
  b: {
    name: string;
    digest: string;
  };
  /**
   * How many exchanges differ in nothing.
   */
  same: number;
  /**
   * Whether those that both have are in the same order.
   */
  same_order: boolean;
  changes: DiffChange[];
}
export interface DiffChange {
  method: string;
  url: string;
  /**
   * null: only the other has it.
   */
  a: DiffSide | null;
  b: DiffSide | null;
  /**
   * What differs, where both have it.
   */
  aspects: ("status" | "address" | "headers" | "body" | "request body")[];
}
export interface DiffSide {
  seq: number;
  status: number;
  address: string;
  body_size: number;
}
