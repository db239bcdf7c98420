// Takes sweeps' rows out of results in two steps: out of sight, all at once, and then load after load in short transactions,
// between which others write. Gigabytes of loads in one transaction would keep every sweep of the folder waiting. Who is
// killed in the second step leaves rows that no query sees, and the next removal takes. Does not ask whose sweeps they are.
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { inTransaction } from "./transaction.ts";

/** So long is a transaction, or one row's. */
const portion_ms = 150;
/** Longer than SQLite sleeps (at most 100 ms) before it asks again for a lock. */
const pause_ms = 110;

/** Tables whose rows name a sweep, but that of cells. */
const others = ["host", "link_test"];

/** Sweeps' own rows, and no other. `choose`, in the same transaction, gives their numbers, or throws, and none is taken. */
export function hideSweeps(database: DatabaseSync, choose: () => readonly number[]): void {
  // SQLite takes no notice of this inside a transaction.
  database.exec("PRAGMA foreign_keys = OFF");
  try {
    inTransaction(database, () => {
      const statement = database.prepare("DELETE FROM sweep WHERE id = ?");
      for (const sweep of choose()) statement.run(sweep);
    });
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
}

/** What hangs on sweeps that are gone, one attempt at a time, after these their cell. */
function* removals(database: DatabaseSync): Generator<void> {
  const isGone = "sweep NOT IN (SELECT id FROM sweep)";
  const one = database.prepare("DELETE FROM attempt WHERE id IN (SELECT id FROM attempt WHERE cell = ? LIMIT 1)");
  const cell = database.prepare("DELETE FROM cell WHERE id = ?");
  for (const { id } of database.prepare(`SELECT id FROM cell WHERE ${isGone}`).all()) {
    while (one.run(Number(id)).changes > 0) yield;
    cell.run(Number(id));
    yield;
  }
  for (const table of others) database.exec(`DELETE FROM ${table} WHERE ${isGone}`);
}

/** Resolves when nothing is left of sweeps that are gone. `longest_ms`: another in tests. */
export async function removeHidden(database: DatabaseSync, longest_ms = portion_ms): Promise<void> {
  const rows = removals(database);
  for (let isDone = false; !isDone; ) {
    inTransaction(database, () => {
      const end_ms = performance.now() + longest_ms;
      do isDone = rows.next().done ?? false;
      while (!isDone && performance.now() < end_ms);
    });
    if (!isDone) await delay(pause_ms);
  }
}
