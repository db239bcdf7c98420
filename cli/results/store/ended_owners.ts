// Owners of sweeps of which nothing is known by their process's number, because that is of another container: whether they have ended. Whoever runs a
// sweep has its file open, and in write-ahead mode each connection keeps a lock on the file until it is closed or its process ends: the kernel's, whatever the
// container. Who gets the file for itself alone knows that all of them have ended.
import type { DatabaseSync } from "node:sqlite";
import { parseOwner, stateOf } from "../../base/process_owner.ts";
import { isLocked } from "./failure.ts";
import { openSqlite } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

function unknownOwners(database: DatabaseSync) {
  const rows = database.prepare("SELECT id, owner FROM sweep WHERE owner IS NOT NULL").all();
  return rows
    .map(({ id, owner }) => ({ id: Number(id), owner: parseOwner(String(owner)) }))
    .filter(({ owner }) => stateOf(owner) === "unknown");
}

export const hasUnknownOwner = (database: DatabaseSync): boolean => unknownOwners(database).length > 0;

/** Of no boot: such a process has ended. A sweep that it finished is still to have its report. */
const noBoot = "";

/**
 * Notes of unknown owners that they have ended, if no process has the file open. No connection of ours may: it would be one of these. In another journal
 * mode idle connections keep no lock, and nothing is known.
 */
export function noteEndedOwners(path: string): void {
  const alone = openSqlite(path, { timeout: 0 });
  try {
    // Set before the file is read, so that the first read takes it from all others.
    alone.exec("PRAGMA locking_mode = EXCLUSIVE");
    inTransaction(alone, () => {
      if (alone.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal") return;
      const note = alone.prepare("UPDATE sweep SET owner = ? WHERE id = ?");
      for (const { id, owner } of unknownOwners(alone)) note.run(JSON.stringify({ ...owner, boot_id: noBoot }), id);
    });
  } catch (error) {
    if (!isLocked(error)) throw error;
  } finally {
    alone.close();
  }
}
