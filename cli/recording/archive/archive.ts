// What the archive of recordings offers the command line: the types, no code. client.ts is the one implementation,
// over trilane-host; schemas/message.schema.json is the contract underneath.

import type { ListedRecording } from "../../../schemas/generated/list.ts";
import type { DamagedBody } from "../../../schemas/generated/recordings_verified.ts";

/** A header as on the wire, its name in lower case. */
export type Header = readonly [name: string, value: string];

/** Where a body's bytes come from: as recorded, decoded text compressed again, made up by the importer, or no bytes. */
export type BodyOrigin = "recorded" | "recompressed" | "filled" | "empty";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** One request and its response without their bodies. */
export interface Exchange {
  readonly method: string;
  readonly scheme: "http" | "https";
  /** Lower case, without port; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** With query, as on the wire. */
  readonly path: string;
  readonly request_headers: readonly Header[];
  /** The server address to replay from, IPv4 or IPv6 text. */
  readonly address: string;
  readonly status: number;
  /** Without hop-by-hop headers and, but of an answer to HEAD, content-length: each lane frames by itself. */
  readonly response_headers: readonly Header[];
  readonly body_origin: BodyOrigin;
  /** What the source knew beyond that: protocol, type, timings, ... */
  readonly recorded: JsonObject;
}

/** An exchange as the archive shows it. */
export interface ArchivedExchange extends Exchange {
  /** Recorded order, from 0. */
  readonly seq: number;
  readonly request_body_sha256: string | null;
  /** null: the response has no body. */
  readonly body_sha256: string | null;
  /** Bytes as on the wire (content-encoded). */
  readonly body_size: number;
}

/** A recording as `trilane list` shows it. */
export interface Recording extends Readonly<Omit<ListedRecording, "notes">> {
  readonly notes: JsonObject;
}

export interface RecordingDetail {
  readonly recording: Recording;
  readonly exchanges: readonly ArchivedExchange[];
}

export interface NewRecording {
  /** 1 to 100 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit. */
  readonly name: string;
  readonly url: string;
  /** Where it came from: "har: Chrome 131", "synth: carlucci-small". */
  readonly source: string;
  /** When the page load began that was recorded, ISO 8601, UTC; absent or null: unknown. */
  readonly recorded_at?: string | null;
  readonly notes: JsonObject;
  /** Takes the place of a recording of that name, which is otherwise a UserError. */
  readonly replace: boolean;
}

/** A body that the archive has already, by its name: it is not sent again. */
interface StoredBody {
  readonly sha256: string;
}

/** A body in memory, one that comes in pieces and is never in memory whole, or one that the archive has. */
export type NewBody = Uint8Array | AsyncIterable<Uint8Array> | StoredBody;

/** With bodies in memory unless another kind is said. */
export interface NewExchange<Body extends NewBody = Uint8Array> {
  readonly exchange: Exchange;
  /** As on the wire, content-encoded. Absent or empty: no body (body_origin "empty"). */
  readonly body?: Body | undefined;
  readonly requestBody?: Body | undefined;
}

/** A body that is not in the archive as it was written. Its digest is null if the row names none that could be. */
export type BodyProblem = Readonly<Omit<DamagedBody, "url">>;

export interface Verification extends RecordingDetail {
  /** Whether the exchanges still give the recording's digest. */
  readonly digest_matches: boolean;
  readonly problems: readonly BodyProblem[];
}

export interface RecordingWriter {
  /**
   * Adds the next exchange in order. Resolves when the host has taken it or few are on their way, so that awaiting it bounds memory;
   * what the host then refuses rejects a later call, or `write`.
   */
  add(exchange: NewExchange<NewBody>): Promise<void>;
  /** Replaces the notes given at the start, for counts known only at the end. */
  note(notes: JsonObject): void;
}

/** An open archive. Errors are UserError (no such recording, name taken) or RunError (disk full, host gone). */
export interface Archive {
  /** The data folder that it is in. */
  readonly home: string;
  /** All recordings by name. Empty when the archive does not exist yet. */
  list(): Promise<Recording[]>;
  show(name: string): Promise<RecordingDetail>;
  /** Shows it, reads every body, and compares that with its name. */
  verify(name: string): Promise<Verification>;
  /** A body by its name, a piece at a time. UserError where there is none. */
  body(sha256: string): AsyncIterable<Buffer>;
  remove(name: string): Promise<void>;
  /** Writes a recording: committed whole when `fill` has resolved, not at all when it throws. */
  write(recording: NewRecording, fill: (writer: RecordingWriter) => Promise<void>): Promise<Recording>;
}
