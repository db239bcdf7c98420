// The table `cell_pinning` of the results: to which moment the clock of each cell's loads is set. Used by the results' owner alone.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

/** What was decided of a page stays: the rest of a sweep's loads are as the first ones. */
export function addPinning(database: DatabaseSync, sweep: number, page: string, moment_ms: number | null): void {
  const moment = moment_ms === null ? null : new Date(moment_ms).toISOString();
  database
    .prepare("INSERT OR IGNORE INTO cell_pinning (cell, moment) SELECT id, ? FROM cell WHERE sweep = ? AND page = ?")
    .run(moment, sweep, page);
}

export const pinningQuery = `SELECT cell.page, cell_pinning.moment FROM cell_pinning JOIN cell ON cell.id = cell_pinning.cell
  WHERE cell.sweep = ? ORDER BY cell.id`;

/** By page; null: its clock is left as it is. */
export function pinningsOf(rows: readonly Readonly<Record<string, SQLOutputValue>>[]): Map<string, number | null> {
  return new Map(rows.map(({ page, moment }) => [String(page), moment === null ? null : Date.parse(String(moment))]));
}
