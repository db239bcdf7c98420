// Generated from ../message.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";

/**
 * A message to trilane-host: over native messaging (a 4-byte length in the machine's byte order, then JSON) from the extension or the command line. A browser sends at most 64 MiB; of them the host takes 8 MiB a message and refuses more as too-large: what is larger goes in pieces. Each gets one answer ($defs/answer, at most 1 MiB), before it any number of events ($defs/event) with its id. All but doctor, links, race.follow, race.result and lab.steer are answered in order. A document (doctor, links, profile.get, race.result, lab.steer) comes as `result`, or where it is too large for one message as events "part" whose joined text is its JSON, and then an answer with `parts`. Recordings become visible by archive.begin, any number of archive.exchange (and archive.body), archive.commit; profiles by profile.begin, profile.data, profile.commit.
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
  | ArchiveRemove
  | Doctor
  | Links
  | ProfileBegin
  | ProfileData
  | ProfileCommit
  | ProfileAbort
  | ProfileList
  | ProfileGet
  | ProfileRemove
  | RaceStart
  | RaceFollow
  | RaceUnfollow
  | RaceList
  | RaceCancel
  | RaceResult
  | RaceRemove
  | LabStart
  | LabSteer
  | LabStop
  | LabList;
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
 * What people call it; never a path.
 */
export type Label = string;
/**
 * Made by the host: the time in seconds and a random part.
 */
export type MadeId = string;
/**
 * Starts `trilane race` of a saved profile or a recording as a job of its own: it goes on when this host ends. One race at a time, or measured times would not be true: another is refused as busy. Answer: race.
 */
export type RaceStart = {
  id: Id;
  type: "race.start";
  profile?: MadeId;
  recording?: Name;
  /**
   * @minItems 1
   */
  lanes: [Lane, ...Lane[]];
  link: Link;
  runs: number;
  options?: RaceOptions;
} & RaceStart1;
/**
 * A link's short form, as 3g,loss=1%. One that names a file is refused: a message leads to no file but the data folder's.
 */
export type Link = string;
export type RaceStart1 =
  | {
      profile: unknown;
    }
  | {
      recording: unknown;
    };
/**
 * Answer: version (of the program), schema (of these messages), features.
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
 * Answer: recording (listed_recording), digest_matches (null where `from` is not 0), checked (how many exchanges), problems (body_problem), and next: the `from` of the next page, or null.
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
  /**
   * When the page load began that was recorded. Without it: unknown.
   */
  recorded_at?: string;
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
/**
 * Answer: result, the JSON of `trilane doctor --json`.
 */
export interface Doctor {
  id: Id;
  type: "doctor";
}
/**
 * Answer: result, the JSON of `trilane links --json`.
 */
export interface Links {
  id: Id;
  type: "links";
}
/**
 * Starts to save a HAR file aside. Answer: upload. `bytes`: how large it will be, where that is known.
 */
export interface ProfileBegin {
  id: Id;
  type: "profile.begin";
  name: Label;
  bytes?: Number;
}
/**
 * Appends to it. A piece of up to 1048576 characters always fits a message, however it is escaped. A piece may end anywhere but between the two halves of a surrogate pair.
 */
export interface ProfileData {
  id: Id;
  type: "profile.data";
  upload: Number;
  text: string;
}
/**
 * Makes the profile visible. The upload is over, in failure too. Answer: profile.
 */
export interface ProfileCommit {
  id: Id;
  type: "profile.commit";
  upload: Number;
}
/**
 * Drops an upload.
 */
export interface ProfileAbort {
  id: Id;
  type: "profile.abort";
  upload: Number;
}
/**
 * Answer: profiles (listed_profile), the newest first, at most 400, and more: whether others follow. `after`: the last profile of the answer before.
 */
export interface ProfileList {
  id: Id;
  type: "profile.list";
  after?: MadeId;
}
/**
 * Answer: result, the HAR file's document.
 */
export interface ProfileGet {
  id: Id;
  type: "profile.get";
  profile: MadeId;
}
/**
 * Removes the file; recordings made of it stay.
 */
export interface ProfileRemove {
  id: Id;
  type: "profile.remove";
  profile: MadeId;
}
/**
 * As the options of `trilane race`.
 */
export interface RaceOptions {
  filmstrip?: boolean;
  new?: boolean;
  keep_credentials?: boolean;
  pin_time?: boolean;
  warm_cache?: boolean;
  extra_rtt?: boolean;
  /**
   * Remove the profile once its race has been started; the recording that is made of it stays.
   */
  forget_profile?: boolean;
  transport?: "stock" | "tuned";
  seed?: Number;
  retries?: Number;
  settle_ms?: Number;
  timeout_s?: number;
}
/**
 * Events "line" from line `from` (0 if not said) on, those that were there and those that come, until the race has ended or race.unfollow. Answer: state, exit, error, sweep.
 */
export interface RaceFollow {
  id: Id;
  type: "race.follow";
  race: MadeId;
  from?: Number;
}
/**
 * Ends this conversation's race.follow of the race, which are answered with the state as it is.
 */
export interface RaceUnfollow {
  id: Id;
  type: "race.unfollow";
  race: MadeId;
}
/**
 * Answer: races (listed_job), the newest first.
 */
export interface RaceList {
  id: Id;
  type: "race.list";
}
/**
 * Asks the race to stop, and ends it by force where it has not after 10 s. Answered at once; race.follow tells when it has ended. Nothing happens where it had ended.
 */
export interface RaceCancel {
  id: Id;
  type: "race.cancel";
  race: MadeId;
}
/**
 * Answer: result, as race-result.schema.json.
 */
export interface RaceResult {
  id: Id;
  type: "race.result";
  race: MadeId;
}
/**
 * Forgets an ended race; its loads stay in the results.
 */
export interface RaceRemove {
  id: Id;
  type: "race.remove";
  race: MadeId;
}
/**
 * Starts `trilane open` of a recording as a job of its own. Answer: lab.
 */
export interface LabStart {
  id: Id;
  type: "lab.start";
  link: Link;
  lane: Lane;
  recording: Name;
}
/**
 * Changes a lab's link, as `trilane steer`. Answer: result, its JSON.
 */
export interface LabSteer {
  id: Id;
  type: "lab.steer";
  lab: MadeId;
  change: Link;
}
/**
 * As race.cancel.
 */
export interface LabStop {
  id: Id;
  type: "lab.stop";
  lab: MadeId;
}
/**
 * Answer: labs (listed_job), the newest first.
 */
export interface LabList {
  id: Id;
  type: "lab.list";
}
