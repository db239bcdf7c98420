// Generated from ../trace-written.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane trace synth` and `trilane trace convert` print with --json: the files they wrote.
 */
export interface TraceWritten {
  schema: "trilane/trace-written/1";
  /**
   * The format that was read, or the model that was drawn from.
   */
  from: string;
  /**
   * null: nothing was drawn.
   */
  seed: number | null;
  /**
   * @minItems 1
   */
  files: [WrittenTrace, ...WrittenTrace[]];
}
export interface WrittenTrace {
  /**
   * Absolute.
   */
  path: string;
  /**
   * Lines of a Mahimahi trace; of a table, those that it was made from.
   */
  opportunities: number;
  length_ms: number;
  mean_bps: number;
}
