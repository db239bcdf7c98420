// Generated from ../recording-shown.schema.json by `npm run generate`: change the schema instead.
import type { RequestHeaders, ResponseHeaders } from "./message.ts";

/**
 * What `trilane recording show` prints with --json.
 */
export interface RecordingShown {
  schema: "trilane/recording-shown/1";
  recording: ListedRecording;
  /**
   * The exchanges in groups: by host, media type, body size, protocol when recorded, and status.
   */
  by: {
    host: ExchangeGroup[];
    type: ExchangeGroup[];
    size: ExchangeGroup[];
    protocol: ExchangeGroup[];
    status: ExchangeGroup[];
  };
  exchanges: ListedExchange[];
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
export interface ExchangeGroup {
  name: string;
  exchanges: number;
  body_bytes: number;
  filled: number;
}
export interface ListedExchange {
  seq: number;
  method: string;
  scheme: "http" | "https";
  host: string;
  port: number;
  path: string;
  request_headers: RequestHeaders;
  request_body_sha256: string | null;
  address: string;
  status: number;
  response_headers: ResponseHeaders;
  body_sha256: string | null;
  body_size: number;
  body_origin: "recorded" | "recompressed" | "filled" | "empty";
  recorded: {};
}
