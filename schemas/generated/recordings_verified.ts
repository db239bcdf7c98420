// Generated from ../recordings-verified.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane recording verify` prints with --json.
 */
export interface RecordingsVerified {
  schema: "trilane/recordings-verified/1";
  /**
   * @minItems 1
   */
  recordings: [VerifiedRecording, ...VerifiedRecording[]];
}
export interface VerifiedRecording {
  recording: ListedRecording;
  /**
   * Whether the exchanges still give the recording's digest.
   */
  digest_matches: boolean;
  /**
   * Bodies that are not in the archive as they were written.
   */
  damaged: DamagedBody[];
  /**
   * Not in the content-encoding that their header names.
   */
  misencoded: NamedExchange[];
  /**
   * Made up, because the source did not have them.
   */
  filled: NamedExchange[];
  /**
   * The source had only their beginning.
   */
  cut_off: NamedExchange[];
  /**
   * How many response headers are kept that no lane sends.
   */
  unsent_headers: number;
  /**
   * Statuses of the start URL's responses, in order.
   */
  documents: number[];
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
export interface DamagedBody {
  seq: number;
  part: "request" | "response";
  sha256: string | null;
  problem: "missing" | "size" | "content";
  url: string;
}
export interface NamedExchange {
  seq: number;
  url: string;
}
