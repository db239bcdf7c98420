// Writes results that are put together out of others: sweeps whose cells come from several files, in one transaction, into a
// file that is there whole or not at all. Which cells those are is decided by its caller; it knows no shards.
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createTempSibling } from "../../base/create_temp_sibling.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { RowCopier } from "./copy_rows.ts";
import { openDatabase, openFilledDatabase } from "./database.ts";
import { explainFailure, fileRemedies } from "./failure.ts";
import { addHost, type NewHost, type PlacedCell } from "./hosts.ts";
import type { Environment } from "./results.ts";
import { companions } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

/** Cells of one file that one host ran. */
export interface MergedPart {
  readonly path: string;
  readonly sweep: number;
  readonly host: string;
  readonly cells: readonly PlacedCell[];
}

export interface MergedSweep {
  readonly name: string;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly command: readonly string[];
  readonly environment: Environment;
  readonly hosts: readonly Omit<NewHost, "cells">[];
  /** At least one; plan and seed are the first one's. */
  readonly parts: readonly MergedPart[];
}

function addSweep(copier: RowCopier, from: DatabaseSync, sweep: MergedSweep): number {
  const row = from.prepare("SELECT * FROM sweep WHERE id = ?").get(sweep.parts[0]?.sweep ?? 0) ?? {};
  return copier.add("sweep", row, {
    name: sweep.name,
    created_at: sweep.created_at,
    finished_at: sweep.finished_at,
    command: JSON.stringify(sweep.command),
    environment: JSON.stringify(sweep.environment),
    owner: null,
  });
}

/** A link may have been measured before several cells of a host: one that was out stays, of others the newest. */
function addLinkTests(from: DatabaseSync, to: DatabaseSync, part: MergedPart, sweep: number): void {
  const insert = to.prepare(
    `INSERT INTO link_test (sweep, machine, link, measured_at, test) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET measured_at = excluded.measured_at, test = excluded.test
     WHERE json_extract(test, '$.outcome') = 'within'
       AND (json_extract(excluded.test, '$.outcome') = 'out' OR excluded.measured_at > measured_at)`,
  );
  const rows = from.prepare("SELECT machine, link, measured_at, test FROM link_test WHERE sweep = ?").all(part.sweep);
  // Of results that were merged before, the host's name is in it already, and other hosts' tests are there too.
  const named = rows.filter(({ machine }) => String(machine).startsWith(`${part.host}: `));
  for (const { machine, link, measured_at, test } of named.length > 0 ? named : rows) {
    const where = named.length > 0 ? String(machine) : `${part.host}: ${machine}`;
    insert.run(sweep, where, link as string, measured_at as string, test as string);
  }
}

function addPart(from: DatabaseSync, to: DatabaseSync, part: MergedPart, sweep: MergedSweep, id: number): void {
  // Attempts in the order in which they ended, not by cell.
  const copier = new RowCopier(from, to, { skipped: ["attempt"] });
  const unplaced = { sweep: id, host: null, place: null, finished_at: null };
  const newIds = new Map(part.cells.map(({ cell }) => [cell, copier.copy("cell", cell, unplaced)]));
  const newCells = part.cells.map((placed) => ({ ...placed, cell: newIds.get(placed.cell) as number }));
  const host = sweep.hosts.find(({ name }) => name === part.host);
  if (!host) throw new Error(`no host ${part.host} among those of ${sweep.name}`);
  addHost(to, id, { ...host, cells: newCells });
  const marks = part.cells.map(() => "?").join(", ");
  const ended = from.prepare(`SELECT id, cell FROM attempt WHERE cell IN (${marks}) ORDER BY id`);
  for (const each of ended.all(...part.cells.map(({ cell }) => cell)))
    copier.copy("attempt", Number(each.id), { cell: newIds.get(Number(each.cell)) as number });
  addLinkTests(from, to, part, id);
}

function fill(to: DatabaseSync, sweeps: readonly MergedSweep[]): void {
  for (const sweep of sweeps) {
    let id: number | null = null;
    for (const part of sweep.parts) {
      const from = openFilledDatabase(part.path, fileRemedies);
      try {
        id ??= addSweep(new RowCopier(from, to), from, sweep);
        addPart(from, to, part, sweep, id);
      } catch (error) {
        throw explainFailure(error, part.path, fileRemedies);
      } finally {
        from.close();
      }
    }
  }
}

async function sync(path: string): Promise<void> {
  let file: FileHandle | null = null;
  try {
    file = await open(path);
    await file.sync();
  } finally {
    await file?.close();
  }
}

/** Takes the place of what is at `path`. The last sweep is the newest. */
export async function writeMerged(path: string, sweeps: readonly MergedSweep[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { aside, keep } = createTempSibling(path);
  const journal = `${aside}-journal`;
  const keepJournal = removedAtEnd(journal);
  try {
    // One file, as it is to be handed around.
    const to = openDatabase(aside, "rollback", fileRemedies);
    try {
      inTransaction(to, () => fill(to, sweeps));
    } catch (error) {
      throw explainFailure(error, path, fileRemedies);
    } finally {
      to.close();
    }
    await sync(aside);
    // A log that a killed reader of the old file left would be taken for the new one's.
    for (const end of companions) await rm(`${path}${end}`, { force: true });
    await rename(aside, path);
  } finally {
    for (const each of [aside, journal]) await rm(each, { force: true });
    keep();
    keepJournal();
  }
}
