// A request and its response as a recorder of the wire kept them: what Mahimahi's folders and Web Page Replay's archives
// hold. Bodies stay in their files.
import type { Header, JsonObject } from "../archive/archive.ts";
import { asAnswered, type HarEntry, type NameValue } from "./har.ts";
import type { Body } from "./http_message.ts";

// What whoever watched the network knows of an exchange beyond a HAR: the recorder of live pages does. Types only.

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

export interface WireExchange {
  /** How messages call it: a file's name, or a URL. */
  readonly name: string;
  readonly method: string;
  readonly url: URL;
  readonly requestHeaders: readonly NameValue[];
  readonly requestBody: Body;
  readonly status: number;
  readonly responseHeaders: readonly NameValue[];
  readonly responseBody: Body;
  /** Of the server; null: not recorded. */
  readonly address: string | null;
  /** "http/1.1", "h2"; null: not recorded. */
  readonly protocol: string | null;
  /** What the recorder knew beyond that, for `recorded`. */
  readonly facts: JsonObject;
}

export interface WireRecording {
  /** "mahimahi", "wpr". */
  readonly source: string;
  /** Those of one URL in recorded order. */
  readonly exchanges: readonly WireExchange[];
  /** Requests without a response. */
  readonly failedUrls: readonly string[];
  /** How many of what the recorder wrote are no exchanges of HTTP, by what they are. */
  readonly left: Readonly<Record<string, number>>;
}

/** As much of it as a HAR's entry as has host and address. */
export function asEntry({ url, method, status, address }: WireExchange): HarEntry {
  const nothing = { pageref: null, started_ms: null, request: {}, response: {}, content: {}, wire: null };
  return { index: 0, url, method, status, raw: { serverIPAddress: address }, ...asAnswered, ...nothing };
}
