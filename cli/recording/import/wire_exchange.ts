// A request and its response as a recorder of the wire kept them: what Mahimahi's folders and Web Page Replay's archives
// hold. Bodies stay in their files.
import type { JsonObject } from "../archive/archive.ts";
import { asAnswered, type HarEntry, type NameValue } from "./har.ts";
import type { Body } from "./http_message.ts";

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
