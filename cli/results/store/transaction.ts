// Transactions and waits on a connection to results. Knows no table and no format.
import type { DatabaseSync } from "node:sqlite";

export const busyTimeout_ms = 10_000;

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
