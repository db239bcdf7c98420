// Brings results of an earlier Trilane to the format of schemas/results.sql, after keeping the file beside it as it was.
// How a format is added: schemas/migrations/README.md. Knows no table.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { freeBytes } from "../../base/disk_room.ts";
import { UserError } from "../../base/errors.ts";
import { parseOwner, stateOf } from "../../base/process_owner.ts";
import { checkout } from "../../base/programs.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import type { Remedies } from "./failure.ts";
import { moveMetricColumns } from "./metric_columns.ts";
import { keepPrivate, openSqlite } from "./sqlite.ts";
import { inTransaction, withBusyTimeout } from "./transaction.ts";

const folder = join(checkout, "schemas", "migrations", "results");
const nameOf = (version: number): string => `${String(version).padStart(4, "0")}.sql`;

/** The first has no migration to it. */
export const formatVersion = 1 + readdirSync(folder).filter((name) => /^\d{4}\.sql$/.test(name)).length;

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Whether nothing is to be done to a file of no later format. */
export function isNewest(database: DatabaseSync): boolean {
  return versionOf(database) >= formatVersion;
}

/** Another process may be keeping and migrating the same file. */
const migrationWait_ms = 10 * 60_000;

/** The first format that has one table of attempts, whatever is measured. */
export const commonTables = 11;

/** In a transaction. Migrations put other tables in the place of some, which the others' references must not notice. */
function upgrade(database: DatabaseSync): void {
  for (let version = versionOf(database) + 1; version <= formatVersion; version++) {
    if (version === commonTables) moveMetricColumns(database);
    database.exec(`${readFileSync(join(folder, nameOf(version)), "utf8")}\nPRAGMA user_version = ${version}`);
  }
}

/** An earlier Trilane is running a sweep of the file, into tables that a migration would take away. */
export class EarlierRunsError extends UserError {}

function refuseWhileRunning(database: DatabaseSync, path: string, { elsewhere }: Remedies): void {
  if (versionOf(database) >= commonTables) return;
  for (const { id, owner } of database.prepare("SELECT id, owner FROM sweep WHERE owner IS NOT NULL").all()) {
    const its = parseOwner(String(owner));
    const state = stateOf(its);
    if (state === "alive" || state === "unknown") {
      const [is, instead] =
        state === "alive"
          ? [`(process ${its.pid}) is`, "stop it first"]
          : [`(process ${its.pid} of another container) may be`, elsewhere];
      throw new EarlierRunsError(`${path}: an earlier Trilane ${is} running sweep ${id}: wait for it, or ${instead}`);
    }
  }
}

function withoutForeignKeys(database: DatabaseSync, work: () => void): void {
  const were = database.prepare("PRAGMA foreign_keys").get()?.foreign_keys;
  database.exec("PRAGMA foreign_keys = OFF");
  try {
    work();
  } finally {
    database.exec(`PRAGMA foreign_keys = ${were}`);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * As `results.db.v1-backup`, which is returned; an earlier copy stays, and if it is the same (a migration was killed after it), it is the only one: null.
 * While no other process may write: the name is not taken meanwhile.
 */
function keepCopy(path: string, version: number): string | null {
  const kept = `${path}.v${version}-backup`;
  const earlier: string[] = [];
  let free = kept;
  for (let number = 2; existsSync(free); number++) {
    earlier.push(free);
    free = `${kept}-${number}`;
  }
  const part = `${kept}.part`;
  rmSync(part, { force: true });
  const keep = removedAtEnd(part);
  // A connection in a transaction, as the migrating one, cannot be copied from.
  const source = openSqlite(path);
  try {
    keepPrivate(part);
    source.prepare("VACUUM INTO ?").run(part);
    if (earlier.some((copy) => haveSameBytes(copy, part))) return null;
    sync(part);
    renameSync(part, free);
    sync(dirname(path));
    return free;
  } finally {
    source.close();
    rmSync(part, { force: true });
    keep();
  }
}

function haveSameBytes(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  const files = [openSync(one, "r"), openSync(other, "r")] as const;
  const [a, b] = [Buffer.alloc(compared_bytes), Buffer.alloc(compared_bytes)];
  try {
    for (;;) {
      const length = readSync(files[0], a);
      readSync(files[1], b);
      if (length === 0) return true;
      if (!a.subarray(0, length).equals(b.subarray(0, length))) return false;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}

const compared_bytes = 1 << 20;

/** The copy of a file that was not migrated is one too many: the next try keeps its own. */
function removeNeedless(copy: string, database: DatabaseSync): void {
  try {
    if (!isNewest(database)) rmSync(copy, { force: true });
  } catch {
    // What the file is now cannot be read: the copy may be all there is.
  }
}

/** What tables that went have left free would double the file for good. Where that cannot be done, it is only larger. */
function giveBackPages(database: DatabaseSync, path: string): void {
  try {
    // SQLite writes all that it holds to a temporary file, and then to its log.
    if (freeBytes(dirname(path)) > 3 * statSync(path).size) database.exec("VACUUM");
  } catch {
    // Another process uses it, or there is no room.
  }
}

/** Migrates the file at `path` if it still needs it: others who want to wait, and find it done. Whole or not at all. */
export function migrate(database: DatabaseSync, path: string, remedies: Remedies): void {
  let copy: string | null = null;
  let isMigrated = false;
  try {
    withoutForeignKeys(database, () =>
      withBusyTimeout(database, migrationWait_ms, () =>
        inTransaction(database, () => {
          if (isNewest(database)) return;
          refuseWhileRunning(database, path, remedies);
          copy = keepCopy(path, versionOf(database));
          upgrade(database);
          isMigrated = true;
        }),
      ),
    );
  } catch (error) {
    if (copy !== null) removeNeedless(copy, database);
    throw error;
  }
  if (isMigrated) giveBackPages(database, path);
}

/** Of results that cannot be migrated in their place: to be read, and gone when it is closed. */
export function migratedCopy(database: DatabaseSync): DatabaseSync {
  const scratch = mkdtempSync(join(tmpdir(), "trilane-results-"));
  const keep = removedAtEnd(scratch);
  let copy: DatabaseSync | null = null;
  try {
    const path = join(scratch, "results.db");
    database.prepare("VACUUM INTO ?").run(path);
    copy = openSqlite(path, { enableForeignKeyConstraints: false });
    copy.exec("PRAGMA journal_mode = MEMORY");
    const opened = copy;
    inTransaction(opened, () => upgrade(opened));
    return copy;
  } catch (error) {
    copy?.close();
    throw error;
  } finally {
    // Open, it stays until it is closed, however this process ends.
    rmSync(scratch, { recursive: true, force: true });
    keep();
  }
}
