// Generated from ../imported.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane import` and `trilane synth` print with --json: the recordings that they wrote or found.
 */
export interface Imported {
  schema: "trilane/imported/1";
  /**
   * @minItems 1
   */
  recordings: [ListedRecording, ...ListedRecording[]];
  /**
   * Of several files those that no recording was made of; left out if there are none.
   *
   * @minItems 1
   */
  refused?: [
    {
      file: string;
      reason: string;
    },
    ...{
      file: string;
      reason: string;
    }[]
  ];
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
