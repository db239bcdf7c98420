// Keeps a second `trilane submit` out of a folder of shards: a lock of SQLite's, which the system takes back however its holder
// ends, and which holds on folders that several machines share. Stores nothing in it.
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import { explainFailure, isLocked, shardRemedies } from "../../results/store/failure.ts";
import { openSqlite } from "../../results/store/sqlite.ts";

const lockPath = (shards: string): string => join(shards, ".submit-lock");

/** Runs `work` while no other process does so for this folder, which is there. UserError where one does. */
export async function withSubmitLock<Result>(shards: string, work: () => Promise<Result>): Promise<Result> {
  const path = lockPath(shards);
  let lock: DatabaseSync | null = null;
  try {
    try {
      lock = openSqlite(path, { timeout: 0 });
      lock.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (!isLocked(error)) throw explainFailure(error, path, shardRemedies(path));
      throw new UserError(`${shards}: another \`trilane submit\` is at work on it: wait for it, or stop it first`);
    }
    return await work();
  } finally {
    lock?.close();
  }
}
