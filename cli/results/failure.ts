// Turns SQLite's error codes into the one line a person can act on. Knows no table.
import { RunError, UserError } from "../errors.ts";

// Primary result codes of sqlite3.h; the upper bits of an extended code say more than is needed here.
const busy = 5;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** SQLite's primary result code, or null for an error of another origin. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

/** The error to throw for one that a statement on the file at `path` threw. */
export function explainFailure(error: unknown, path: string): unknown {
  switch (sqliteCode(error)) {
    case full:
      return new RunError(`${path}: no space left: free some and run the same command again, what is stored is kept`);
    case ioError:
      // A full disk shows itself so where the write-ahead log's index cannot grow.
      return new RunError(`${path}: cannot be read or written (disk full or failing?): ${messageOf(error)}`);
    case busy:
      return new RunError(`${path}: locked by another process for too long: stop it, then run the same command again`);
    case readOnly:
    case cannotOpen:
      return new UserError(`${path}: may not be written: name another folder with --home`);
    case corrupt:
      return new RunError(`${path}: damaged: move it away (or repair it with \`sqlite3 ... .recover\`)`);
    case notADatabase:
      return new UserError(`${path}: not a results database: move it away, or name another folder with --home`);
    default:
      return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
