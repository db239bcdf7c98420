// Opens HOME/results.db: made where it is missing, migrated where it is of an earlier format (or a copy of it), refused where it is not ours
// or newer than we know. No table's logic.
import { accessSync, constants, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { UserError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make_folder.ts";
import { hasUnknownOwner, noteEndedOwners } from "./ended_owners.ts";
import { explainFailure, hasNoRoom, homeRemedies, isLocked, type Remedies } from "./failure.ts";
import { refuseForeignFile, refuseForeignRows } from "./foreign.ts";
import { schemaText } from "./foreign_schema.ts";
import { EarlierRunsError, formatVersion, isNewest, migrate, migratedCopy, versionOf } from "./migrations.ts";
import { keepPrivate, openSqlite } from "./sqlite.ts";
import { busyTimeout_ms, inTransaction } from "./transaction.ts";

/** `PRAGMA application_id` of schemas/results.sql. */
export const applicationId = 1953655154;

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

/** Empty: the tables are still to be made. */
type Format = "empty" | "earlier" | "present";

/** Throws for a file that is somebody else's or of a later format. */
function formatOf(database: DatabaseSync, path: string, { elsewhere }: Remedies): Format {
  const { application, version, empty, newest } = atOneMoment(database, () => ({
    application: Number(database.prepare("PRAGMA application_id").get()?.application_id),
    version: versionOf(database),
    empty: isEmpty(database),
    newest: isNewest(database),
  }));
  if (application === 0 && version === 0 && empty) return "empty";
  if (application !== applicationId || version < 1) {
    throw new UserError(
      `${path}: not Trilane's results (application id ${application}): move it away, or ${elsewhere}`,
    );
  }
  if (version > formatVersion) {
    throw new UserError(
      `${path}: written by a newer Trilane (format ${version}, this one knows ${formatVersion}): upgrade Trilane, or ${elsewhere}`,
    );
  }
  return newest ? "present" : "earlier";
}

/** What `read` reads is as one transaction left it; separately read, tables that are being made look like a stranger's. */
function atOneMoment<Result>(database: DatabaseSync, read: () => Result): Result {
  if (database.isTransaction) return read();
  database.exec("BEGIN");
  try {
    return read();
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

export function resultsPath(home: string): string {
  return join(home, "results.db");
}

/** A file of no bytes is what a full disk left of one. */
export function holdsBytes(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

export function resultsExist(home: string): boolean {
  return holdsBytes(resultsPath(home));
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A log that holds something: what a writer left that is at work, or was killed. */
const hasLog = (path: string): boolean => holdsBytes(`${path}-wal`);

/**
 * Opens results that are there and changes none of what they hold, also those of a folder that may only be read (another user's, a
 * mounted archive) and those on a full disk. SQLite reads a database in WAL mode only beside files that it can make, or
 * if it is opened as one that no process writes; while one does, its log is there to be read. A data folder's results of an earlier format are migrated;
 * of all others, and where that cannot be, a temporary copy is. Null: without a table, as one is that is being made or whose maker was killed.
 */
export function openDatabaseToRead(path: string, remedies: Remedies): DatabaseSync | null {
  try {
    return openToRead(path, mayWrite(path) && mayWrite(dirname(path)) ? "shared" : "as it lies", remedies);
  } catch (error) {
    if (!hasNoRoom(error, path)) throw explainFailure(error, path, remedies);
  }
  try {
    return openToRead(path, "no room", remedies);
  } catch (error) {
    throw explainFailure(error, path, remedies);
  }
}

/** As openDatabaseToRead; UserError where there is no table. */
export function openFilledDatabase(path: string, remedies: Remedies): DatabaseSync {
  const database = openDatabaseToRead(path, remedies);
  if (database === null) throw new UserError(`${path}: holds no results: ${remedies.elsewhere}`);
  return database;
}

/** False: it is somebody else's, or an earlier Trilane is at work on it. */
function migratedInPlace(database: DatabaseSync, path: string, remedies: Remedies): boolean {
  if (remedies.isForeign) return false;
  try {
    migrate(database, path, remedies);
    return true;
  } catch (error) {
    if (error instanceof EarlierRunsError) return false;
    throw error;
  }
}

function openToRead(path: string, how: "shared" | "as it lies" | "no room", remedies: Remedies): DatabaseSync | null {
  const url = pathToFileURL(path);
  if (how !== "shared" && !hasLog(path)) url.searchParams.set("immutable", "1");
  // Without room for the log's index SQLite keeps it in memory where it has the database for itself.
  const alone = how === "no room" && hasLog(path);
  let database: DatabaseSync | null = null;
  try {
    // Not opened read-only where it need not be: such a connection leaves the log's files behind.
    database = openSqlite(url, { timeout: busyTimeout_ms, readOnly: how !== "shared" && !alone });
    if (alone) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    const format = formatOf(database, path, remedies);
    if (format === "empty") {
      database.close();
      return null;
    }
    if (remedies.isForeign) refuseForeignFile(database, path, remedies);
    else if (how === "shared" && hasUnknownOwner(database)) {
      database.close();
      noteEndedOwners(path);
      database = openSqlite(url, { timeout: busyTimeout_ms });
    }
    if (format === "earlier" && !(how === "shared" && migratedInPlace(database, path, remedies))) {
      const lies = database;
      database = migratedCopy(lies);
      lies.close();
    }
    if (remedies.isForeign) refuseForeignRows(database, path, remedies);
    database.exec("PRAGMA query_only = ON");
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw error;
  }
}

const lockPoll_ms = 20;

/** Another process may be making the same database: SQLite does not wait for its lock when the journal's mode is to change. */
function useWriteAheadLog(database: DatabaseSync): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (const end_ms = performance.now() + busyTimeout_ms; ; ) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isLocked(error) || performance.now() > end_ms) throw error;
      Atomics.wait(sleeper, 0, 0, lockPoll_ms);
    }
  }
}

/**
 * How a file that is made is written. A write-ahead log lets readers read at any time, those of this machine: SQLite's
 * documentation forbids it on a folder that several machines share, where `rollback` does.
 */
type Journal = "write-ahead" | "rollback";

/** Opens results in the file at `path`, making it and its folder where they are missing. */
export function openDatabase(
  path: string,
  journal: Journal = "write-ahead",
  remedies: Remedies = homeRemedies,
): DatabaseSync {
  // Private, as trilane-host makes it: recordings hold cookies.
  makeFolder(dirname(path));
  let database: DatabaseSync | null = null;
  try {
    keepPrivate(path);
    const options = { timeout: busyTimeout_ms, enableForeignKeyConstraints: true };
    database = openSqlite(path, options);
    let format = formatOf(database, path, remedies);
    if (format !== "empty" && hasUnknownOwner(database)) {
      database.close();
      noteEndedOwners(path);
      database = openSqlite(path, options);
    }
    if (format === "empty") {
      // Not inside a transaction: SQLite changes the journal's mode only outside of one.
      if (journal === "write-ahead") useWriteAheadLog(database);
      const opened = database;
      inTransaction(opened, () => {
        // Another process may have been here first, also one of an earlier Trilane.
        format = formatOf(opened, path, remedies);
        if (format !== "empty") return;
        opened.exec(schemaText());
      });
    }
    if (format === "earlier") migrate(database, path, remedies);
    // A load takes seconds, a sync milliseconds: what was said to be stored survives a power cut.
    database.exec("PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw explainFailure(error, path, remedies);
  }
}
