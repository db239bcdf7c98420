// Generated from ../bundled-recording.schema.json by `npm run generate`: change the schema instead.
import type { RequestHeaders, ResponseHeaders } from "./message.ts";

/**
 * recordings/NAME.json of a bundle: a recording as the archive has it. Bodies are members bodies/AA/SHA256, AA being the first two digits.
 */
export interface BundledRecording {
  schema: "trilane/bundled-recording/1";
  name: string;
  /**
   * The page's start URL.
   */
  url: string;
  /**
   * Where it came from.
   */
  source: string;
  /**
   * When the page load began that was recorded; null: unknown.
   */
  recorded_at: string | null;
  /**
   * SHA-256 over all exchanges, as the archive computes it.
   */
  digest: string;
  notes: {};
  /**
   * @minItems 1
   */
  exchanges: [ListedExchange, ...ListedExchange[]];
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
