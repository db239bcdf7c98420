// Generated from ../message.schema.json by `npm run generate`: change the schema instead.

/**
 * A message to trilane-host: over native messaging (a 4-byte length in the machine's byte order, then JSON, at most 64 MiB) from the extension or the command line. Each gets one answer ($defs/answer, at most 1 MiB), in order. Recordings become visible by archive.begin, any number of archive.exchange (and archive.body), archive.commit.
 */
export type Message =
  | Hello
  | ArchiveList
  | ArchiveShow
  | ArchiveVerify
  | ArchiveRead
  | ArchiveBegin
  | ArchiveBody
  | ArchiveExchange
  | ArchiveCommit
  | ArchiveAbort
  | ArchiveRemove;
/**
 * Comes back in the answer.
 */
export type Id = number;
/**
 * A name to look for; one that no recording can have is simply not found.
 */
export type AnyName = string;
export type Number = number;
export type Sha256 = string;
/**
 * What commands call a recording.
 */
export type Name = string;
export type Base64 = string;
/**
 * Adds the next exchange in order. Answer: seq.
 */
export type ArchiveExchange = {
  id: Id;
  type: "archive.exchange";
  transaction: Number;
  exchange: Exchange;
  /**
   * Response body as on the wire.
   */
  body?: string;
  body_upload?: Number;
  /**
   * A body that is in the archive already.
   */
  body_sha256?: string;
  request_body?: Base64;
  request_body_upload?: Number;
  request_body_sha256?: Sha256;
};
export type RequestHeaders = [string, string][];
/**
 * Without those that frame one connection's message: each lane writes its own.
 */
export type ResponseHeaders = [string, string][];

/**
 * Answer: version, features.
 */
export interface Hello {
  id: Id;
  type: "hello";
}
/**
 * Answer: recordings (listed_recording) by name, and next: the `after` of the next page, or null.
 */
export interface ArchiveList {
  id: Id;
  type: "archive.list";
  after?: string;
}
/**
 * Answer: recording (listed_recording), exchanges (listed_exchange), and next: the `from` of the next page, or null.
 */
export interface ArchiveShow {
  id: Id;
  type: "archive.show";
  name: AnyName;
  from?: Number;
}
/**
 * Answer: digest_matches (null where `from` is not 0), checked (how many exchanges), problems (body_problem), and next: the `from` of the next page, or null.
 */
export interface ArchiveVerify {
  id: Id;
  type: "archive.verify";
  name: AnyName;
  from?: Number;
}
/**
 * A body, a piece at a time. Answer: data (base64), size (of the whole body), and next: the `from` of the next piece, or null.
 */
export interface ArchiveRead {
  id: Id;
  type: "archive.read";
  sha256: Sha256;
  /**
   * The byte to begin with.
   */
  from?: number;
}
/**
 * Starts a recording aside. Answer: transaction.
 */
export interface ArchiveBegin {
  id: Id;
  type: "archive.begin";
  name: Name;
  /**
   * The page's start URL.
   */
  url: string;
  source: string;
  notes: {};
  /**
   * Take the place of a recording of that name.
   */
  replace?: boolean;
}
/**
 * Appends to a body that is too large for one message. `upload` is the sender's number, used once in a transaction.
 */
export interface ArchiveBody {
  id: Id;
  type: "archive.body";
  transaction: Number;
  upload: Number;
  data: Base64;
}
/**
 * One request and its response without their bodies, as the table exchange of archive.sql has it.
 */
export interface Exchange {
  method: string;
  scheme: "http" | "https";
  /**
   * Lower case, without port; an IPv6 address without brackets.
   */
  host: string;
  port: number;
  /**
   * With query, as on the wire.
   */
  path: string;
  request_headers: RequestHeaders;
  /**
   * The server address to replay from.
   */
  address: {
    [k: string]: unknown;
  } & string;
  status: number;
  response_headers: ResponseHeaders;
  body_origin: "recorded" | "recompressed" | "filled" | "empty";
  /**
   * What the source knew beyond that.
   */
  recorded: {};
}
/**
 * Makes the recording visible. The transaction is over, in failure too. Answer: recording (listed_recording).
 */
export interface ArchiveCommit {
  id: Id;
  type: "archive.commit";
  transaction: Number;
  /**
   * Instead of those given at the start.
   */
  notes?: {};
}
/**
 * Drops the transaction.
 */
export interface ArchiveAbort {
  id: Id;
  type: "archive.abort";
  transaction: Number;
}
/**
 * Removes a recording and the bodies that only it names.
 */
export interface ArchiveRemove {
  id: Id;
  type: "archive.remove";
  name: AnyName;
}
