// The one way to open a database: any file of one may come from somebody else. Knows no table.
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";

/** What its schema says (views, triggers, indexes) calls no function that does more than compute, and damages no file. */
export function openSqlite(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const database = new DatabaseSync(path, { ...options, defensive: true });
  // Reads nothing of the file.
  database.exec("PRAGMA trusted_schema = OFF");
  return database;
}
