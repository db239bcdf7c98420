// Opens HOME/results.db: made where it is missing, refused where it is not ours or newer than we know. No table's logic.
import { accessSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { UserError } from "../errors.ts";
import { checkout } from "../programs.ts";
import { explainFailure, hasNoRoom, homeRemedies, isLocked, type Remedies } from "./failure.ts";

/** `PRAGMA application_id` of schemas/results.sql. */
export const applicationId = 1953655154;
const formatVersion = 1;
const busyTimeout_ms = 10_000;

function pragma(database: DatabaseSync, name: "application_id" | "user_version"): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return Number(row?.[name]);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

const schemaText = (): string => readFileSync(join(checkout, "schemas", "results.sql"), "utf8");

const laterTables = [
  "link_test",
  "unmatched",
  "film",
  "film_frame",
  "host",
  "cell_host",
  "load_metric",
  "filmed_load",
  "load_browser",
];

/** The tables that came later without changing what there was. */
function addTables(database: DatabaseSync): void {
  if (laterTables.every((name) => hasTable(database, name))) return;
  const added = schemaText().match(/CREATE TABLE IF NOT EXISTS [\s\S]*?\n\);/g) ?? [];
  inTransaction(database, () => database.exec(added.join("\n")));
}

/** Throws for a file that is somebody else's or of a later format; true where the tables are still to be made. */
function needsTables(database: DatabaseSync, path: string, { elsewhere }: Remedies): boolean {
  const { application, version, empty } = atOneMoment(database, () => ({
    application: pragma(database, "application_id"),
    version: pragma(database, "user_version"),
    empty: isEmpty(database),
  }));
  if (application === 0 && version === 0 && empty) return true;
  if (application !== applicationId) {
    throw new UserError(
      `${path}: not Trilane's results (application id ${application}): move it away, or ${elsewhere}`,
    );
  }
  if (version > formatVersion) {
    throw new UserError(
      `${path}: written by a newer Trilane (format ${version}, this one knows ${formatVersion}): upgrade Trilane, or ${elsewhere}`,
    );
  }
  return false;
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

/** Runs `work` in one transaction that takes the write lock at once: committed when it returns, undone when it throws. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has undone it by itself after some errors, a full disk among them.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Runs `work` with another wait for other processes' locks than connections have. */
export function withBusyTimeout<Result>(database: DatabaseSync, timeout_ms: number, work: () => Result): Result {
  database.exec(`PRAGMA busy_timeout = ${timeout_ms}`);
  try {
    return work();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeout_ms}`);
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
 * Opens results that are there and changes nothing, also those of a folder that may only be read (another user's, a
 * mounted archive) and those on a full disk. SQLite reads a database in WAL mode only beside files that it can make, or
 * when told that nobody writes it; while somebody does, its log is there to be read. Null: without a table, as one is that
 * is being made or whose maker was killed.
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

function openToRead(path: string, how: "shared" | "as it lies" | "no room", remedies: Remedies): DatabaseSync | null {
  const url = pathToFileURL(path);
  if (how !== "shared" && !hasLog(path)) url.searchParams.set("immutable", "1");
  // Without room for the log's index SQLite keeps it in memory where it has the database for itself.
  const alone = how === "no room" && hasLog(path);
  let database: DatabaseSync | null = null;
  try {
    // Not opened read-only where it need not be: such a connection leaves the log's files behind.
    database = new DatabaseSync(url, { timeout: busyTimeout_ms, readOnly: how !== "shared" && !alone });
    if (alone) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA query_only = ON");
    if (!needsTables(database, path, remedies)) return database;
    database.close();
    return null;
  } catch (error) {
    database?.close();
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

/** Ends of the names of SQLite's files beside a database. */
export const companions = ["-journal", "-wal", "-shm"] as const;

/**
 * How a file that is made is written. A write-ahead log lets readers read at any time, those of this machine: SQLite's
 * documentation forbids it on a folder that several machines share, where `rollback` does.
 */
export type Journal = "write-ahead" | "rollback";

/** Opens results in the file at `path`, making it and its folder where they are missing. */
export function openDatabase(
  path: string,
  journal: Journal = "write-ahead",
  remedies: Remedies = homeRemedies,
): DatabaseSync {
  // Private, as trilane-host makes it: recordings hold cookies.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: busyTimeout_ms, enableForeignKeyConstraints: true });
    if (needsTables(database, path, remedies)) {
      // Not inside a transaction: SQLite changes the journal's mode only outside of one.
      if (journal === "write-ahead") useWriteAheadLog(database);
      const opened = database;
      inTransaction(opened, () => {
        // Another process may have been here first.
        if (needsTables(opened, path, remedies)) opened.exec(schemaText());
      });
    } else {
      addTables(database);
    }
    // A load takes seconds, a sync milliseconds: what was said to be stored survives a power cut.
    database.exec("PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    database?.close();
    throw explainFailure(error, path, remedies);
  }
}
