// The tables `measured_cell` and `measured_run` of the results: what sweeps of instruments compare that have no tables of their own, and
// every attempt at a run. Used by the results' owner alone; knows no instrument, and no record's form.
import type { DatabaseSync } from "node:sqlite";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { attemptColumns, attemptValues, type NewAttempt, type Read } from "./attempt_rows.ts";
import { storedJson } from "./stored_json.ts";

export interface NewMeasuredCell {
  /** What is measured, by its name. */
  readonly subject: string;
  /** Short form, canonical; null: the network as it is. */
  readonly link: string | null;
  /** null as above. */
  readonly link_profile: LinkProfile | null;
}

export interface MeasuredCell extends NewMeasuredCell {
  readonly id: number;
  readonly sweep: number;
}

export interface NewMeasuredRun<Document extends object = object> extends NewAttempt {
  /** null: the run left none. */
  readonly record: Document | null;
}

/** An attempt at a run, with what it was of. */
export interface MeasuredRun<Document extends object = object> extends NewMeasuredRun<Document> {
  readonly id: number;
  readonly subject: string;
  readonly link: string | null;
}

export function addMeasuredCells(database: DatabaseSync, sweep: number, cells: readonly NewMeasuredCell[]): void {
  const insert = database.prepare("INSERT INTO measured_cell (sweep, subject, link, link_profile) VALUES (?, ?, ?, ?)");
  for (const { subject, link, link_profile } of cells)
    insert.run(sweep, subject, link, link_profile && JSON.stringify(link_profile));
}

/** Its number. */
export function addMeasuredRun(database: DatabaseSync, run: NewMeasuredRun): number {
  const statement = database.prepare(
    `INSERT INTO measured_run (${attemptColumns}, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return Number(statement.run(...attemptValues(run), run.record && JSON.stringify(run.record)).lastInsertRowid);
}

/** In the plan's order. */
export function readMeasuredCells(read: Read, sweep: number): MeasuredCell[] {
  return read("SELECT * FROM measured_cell WHERE sweep = ? ORDER BY id", sweep).map((row) => ({
    id: Number(row.id),
    sweep: Number(row.sweep),
    subject: String(row.subject),
    link: row.link === null ? null : String(row.link),
    link_profile:
      row.link_profile === null ? null : (storedJson(row.link_profile, "measured_cell.link_profile") as LinkProfile),
  }));
}

/** Every attempt in the order in which they ended. Records are what who stored them takes them for. */
export function readMeasuredRuns<Document extends object>(read: Read, sweep: number): MeasuredRun<Document>[] {
  const query = `SELECT measured_run.id, subject, link, ${attemptColumns}, record FROM measured_run
    JOIN measured_cell ON measured_cell.id = measured_run.cell WHERE measured_cell.sweep = ? ORDER BY measured_run.id`;
  return read(query, sweep).map(
    ({ reasons, record, ...row }) =>
      ({
        ...row,
        reasons: storedJson(reasons, "measured_run.reasons") as string[],
        record: record === null ? null : (storedJson(record, "measured_run.record") as Document),
      }) as unknown as MeasuredRun<Document>,
  );
}
