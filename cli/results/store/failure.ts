// Turns SQLite's error codes into the one line a person can act on. Knows no table.
import { dirname } from "node:path";
import { freeBytes } from "../../base/disk_room.ts";
import { NoRoomError, RunError, UserError } from "../../base/errors.ts";

/** What to do instead, as whoever opened the results can: ends of the lines that name what is wrong. */
export interface Remedies {
  /** With results of another place. */
  readonly elsewhere: string;
  /** If the sweep cannot be resumed. */
  readonly again: string;
  /** They may be a stranger's: foreign.ts looks at all of them before anything is read. */
  readonly isForeign: boolean;
}

/** Of the results of a data folder. */
export const homeRemedies: Remedies = {
  elsewhere: "name another folder with --home",
  again: "begin again with --new",
  isForeign: false,
};

/** Of results in a file that was named. */
export const fileRemedies: Remedies = { elsewhere: "name another file", again: "remove the file", isForeign: true };

/** Of a shard, as `trilane cell` makes it. */
export const shardRemedies = (path: string): Remedies => ({
  elsewhere: "name another folder with --shards",
  again: `remove ${path}, or name another folder with --shards`,
  isForeign: true,
});

// Primary result codes of sqlite3.h; the upper bits of an extended code say more than is needed here.
const busy = 5;
const readOnly = 8;
const ioError = 10;
/** Extended: the write-ahead log's index cannot grow. */
const indexSize = ioError | (19 << 8);
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** SQLite's primary result code, or null for an error of another origin. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

/** Less than this is no room for SQLite's files beside a database. */
const leastRoom_bytes = 64 * 1024;

function isDiskFull(path: string): boolean {
  try {
    return freeBytes(dirname(path)) < leastRoom_bytes;
  } catch {
    return false;
  }
}

/** Whether it is for want of room that a statement on the file at `path` threw the error. */
export function hasNoRoom(error: unknown, path: string): boolean {
  const code = sqliteCode(error);
  if (code === full) return true;
  if (code === ioError && error instanceof Error && "errcode" in error && error.errcode === indexSize) return true;
  return (code === ioError || code === cannotOpen) && isDiskFull(path);
}

export function isLocked(error: unknown): boolean {
  return sqliteCode(error) === busy;
}

export const lockedLine = (path: string): string =>
  `${path}: locked by another process for too long: stop it, then run the same command again`;

/** The error to throw for one that a statement on the file at `path` threw. */
export function explainFailure(error: unknown, path: string, remedies: Remedies = homeRemedies): unknown {
  const { elsewhere, isForeign } = remedies;
  if (hasNoRoom(error, path))
    return new NoRoomError(`${path}: no space left: free some and run the same command again, what is stored is kept`);
  switch (sqliteCode(error)) {
    case ioError:
      return new RunError(`${path}: cannot be read or written (is the disk failing?): ${messageOf(error)}`);
    case busy:
      return new RunError(lockedLine(path));
    case readOnly:
    case cannotOpen:
      return new UserError(`${path}: may not be written: ${elsewhere}`);
    case corrupt:
      return new RunError(`${path}: damaged: move it away (or repair it with \`sqlite3 ... .recover\`)`);
    case notADatabase:
      return new UserError(`${path}: not a results database: move it away, or ${elsewhere}`);
    default:
      if (!isForeign || sqliteCode(error) === null) return error;
      return new UserError(`${path}: damaged (${messageOf(error)}): ${elsewhere}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
