// Generated from ../recorded.schema.json by `npm run generate`: change the schema instead.

/**
 * What is known of a recorded exchange beyond what is replayed byte for byte: the archive's column `recorded` (archive.sql). All members are optional, because sources know different things; null and a missing member both mean: not known.
 */
export interface Recorded {
  /**
   * Place in the source, from 0.
   */
  entry?: number;
  /**
   * As ALPN has it: http/1.0, http/1.1, h2, h3.
   */
  protocol?: string | null;
  /**
   * As DevTools names it, in lower case: document, stylesheet, ...
   */
  resource_type?: string | null;
  mime_type?: string | null;
  /**
   * As recorded: a 304 may be replayed as 200.
   */
  status?: number;
  /**
   * Bytes of the body on the wire.
   */
  transfer_size?: number | null;
  /**
   * Which field of the source told it; wire: the bytes were seen.
   */
  transfer_size_from?: string;
  decoded_size?: number | null;
  /**
   * -1: the source says that it does not know.
   */
  request_headers_size?: number | null;
  response_headers_size?: number | null;
  /**
   * Chromium's name, or an RFC 9218 field as u=1, i.
   */
  priority?: string | null;
  /**
   * Of several visits that were recorded, how many asked for it; missing: all of them, or there was one.
   */
  visits?: number;
  /**
   * The source's name of the connection.
   */
  connection?: string | number | null;
  /**
   * HAR's phases in ms; -1: does not apply.
   */
  timings?: RecordedTimings | null;
  /**
   * The server's own time: first byte of the response - request sent - round trip; 0 below 4 ms.
   */
  server_time_ms?: number | null;
  /**
   * Round trip to the server: the shortest connect to its address while the page was recorded.
   */
  rtt_ms?: number | null;
  /**
   * When it was sent, from the beginning of the page load.
   */
  start_offset_ms?: number | null;
  /**
   * Response headers as recorded that no lane sends: those of one connection (RFC 9110 7.6.1), which HTTP/2 and HTTP/3 forbid, Alt-Svc, and those that are illegal in all of HTTP.
   */
  unsent_headers?: [string, string][];
  /**
   * What kind of body was made up.
   */
  filled_with?: string | null;
  /**
   * Whether the source had only the body's beginning.
   */
  cut_off?: boolean;
  initiator?: RecordedInitiator;
  /**
   * Of the frame that asked.
   */
  document_url?: string;
  tls?: RecordedTls;
  /**
   * Names in lower case; missing: none were seen.
   */
  trailers?: [string, string][];
  /**
   * The server's address, where the one to replay from had to be another.
   */
  address_recorded?: string;
}
export interface RecordedTimings {
  blocked?: number;
  dns?: number;
  connect?: number;
  ssl?: number;
  send?: number;
  wait?: number;
  receive?: number;
}
/**
 * What asked for it; missing: not known.
 */
export interface RecordedInitiator {
  /**
   * As DevTools has it: parser, script, preload, ...
   */
  type: string | null;
  /**
   * The document, stylesheet or scripts that asked, the innermost of a call stack first.
   */
  urls: string[];
  /**
   * Of the first URL, from 0.
   */
  line: number | null;
}
/**
 * Missing for http:.
 */
export interface RecordedTls {
  /**
   * As TLS 1.3, also over QUIC.
   */
  version: string | null;
  /**
   * The leaf certificate's dNSNames; empty: not known.
   */
  names: string[];
  issuer: string | null;
  /**
   * All certificates that were sent, in DER.
   */
  chain_bytes: number | null;
  /**
   * The largest plaintext of the TLS records that the server began a connection over TCP with; missing: not known.
   */
  record_bytes?: number;
  /**
   * The key exchange's group, as X25519MLKEM768; missing: not known.
   */
  group?: string;
}
