// The one way to open a database: any file of one may come from somebody else. Knows no table.
import { chmodSync, closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { UserError } from "../../base/errors.ts";

/** Ends of the names of SQLite's files beside a database. */
export const companions = ["-journal", "-wal", "-shm"] as const;

/** Ends a journal that names another file: sqlite.org/fileformat2.html and readSuperJournal in SQLite's pager.c. */
const superJournalEnd = Buffer.from("d9d505f920a163d7", "hex");

/**
 * Whether SQLite, when it plays the journal back, may delete the file that its end names: 3.40 deletes any. It ends so where one
 * transaction changed several databases, which none of ours does. False where there is no journal.
 */
export function namesSuperJournal(journal: string): boolean {
  let file: number;
  try {
    // A pipe would have us wait for its other end.
    file = openSync(journal, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return false; // What we may not read, SQLite may not either.
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size < superJournalEnd.length) return false;
    const end = Buffer.alloc(superJournalEnd.length);
    readSync(file, end, 0, end.length, stat.size - end.length);
    return end.equals(superJournalEnd);
  } finally {
    closeSync(file);
  }
}

/** SQLite looks for the journal beside the file itself, not beside a symlink to it. */
function journalOf(path: string): string {
  try {
    return `${realpathSync(path)}-journal`;
  } catch {
    return `${path}-journal`;
  }
}

/**
 * What its schema says (views, triggers, indexes) calls no function that does more than compute, and damages no file. UserError
 * where its journal would have SQLite delete another file.
 */
export function openSqlite(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const journal = journalOf(path instanceof URL ? fileURLToPath(path) : path);
  if (namesSuperJournal(journal))
    throw new UserError(`${journal}: would have another file deleted: move it and its database away`);
  const database = new DatabaseSync(path, { ...options, defensive: true });
  // Reads nothing of the file.
  database.exec("PRAGMA trusted_schema = OFF");
  return database;
}

/** What a database's mode may have: a folder that its group can write is shared with the group on purpose. */
function widestMode(path: string): number {
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  return folder && (folder.mode & 0o020) !== 0 ? 0o660 : 0o600;
}

/**
 * Before a database is opened to be written: makes it where it is missing, and keeps a file of this user's from all others (but for
 * the group that its folder is shared with), whatever the umask. SQLite gives a database's mode to its journals. Never opens one
 * that is there: to close it would take the locks that this process has on it.
 */
export function keepPrivate(path: string): void {
  const widest = widestMode(path);
  try {
    closeSync(openSync(path, "wx", widest));
  } catch {
    // It is there; or SQLite says why it cannot be made.
  }
  for (const each of [path, ...companions.map((end) => path + end)]) {
    const there = statSync(each, { throwIfNoEntry: false });
    if (!there?.isFile() || there.uid !== process.geteuid?.() || (there.mode & 0o077 & ~widest) === 0) continue;
    try {
      chmodSync(each, there.mode & widest);
    } catch {
      // A file system without modes, or one that may only be read.
    }
  }
}
