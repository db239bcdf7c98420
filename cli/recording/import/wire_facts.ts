// What whoever watched the network knows of an exchange beyond a HAR: the recorder of live pages does. Types only.
import type { Header } from "../archive/archive.ts";

/** What the server's certificate says, as far as it decides how connections are shared and how large a handshake is. */
export interface Certificate {
  /** The leaf's dNSNames. */
  readonly names: readonly string[];
  readonly issuer: string;
  /** All certificates that were sent, in DER; null: not known. */
  readonly chain_bytes: number | null;
  /** The largest of its TLS records' plaintexts while a connection was young; missing: not known. */
  readonly record_bytes?: number | null;
  /** The key exchange's group, as X25519; missing: not known. */
  readonly group?: string | null;
}

/** A body that is not in memory. */
export interface LargeBody {
  /** In bytes. */
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

/** A 103 response that came before the final one. */
export interface EarlyHint {
  readonly headers: readonly Header[];
  /** How long before the final response's head; null: not known. */
  readonly before_ms: number | null;
}

export interface WireFacts {
  /** The body as received, before content-decoding; null: not seen. */
  readonly body: Buffer | LargeBody | null;
  /** The body is as far as it came: its reader gave it up, or never read on. */
  readonly isReadPartly?: boolean;
  readonly trailers: readonly Header[];
  /** Missing: none were seen. */
  readonly hints?: readonly EarlyHint[];
  /** Null for http:, and where it was not reported. */
  readonly certificate: Certificate | null;
  /** As "TLS 1.3"; null for http:. */
  readonly tlsVersion: string | null;
  /** How long TCP's connect to the address took; null: not known. */
  readonly connect_ms: number | null;
  /** How long the TLS record with the response's first byte was on its way; missing: not known, or no time. */
  readonly recordWait_ms?: number;
  /** How long the server took for it by all visits; missing: there was one only. */
  readonly served_ms?: number;
}
