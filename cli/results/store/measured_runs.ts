// The tables `measured_cell` and `measured_run` of the results: what sweeps of instruments compare that have no tables of their own, and
// every attempt at a run. Knows no instrument, and no record's form.
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { attemptColumns, attemptValues, type NewAttempt } from "./attempt_rows.ts";
import { storedJson } from "./stored_json.ts";
import type { AnySweep, CellLink } from "./sweep_rows.ts";
import type { AddedSweep, SweepStore } from "./sweep_store.ts";

export interface NewMeasuredCell extends Omit<CellLink, "id"> {
  /** What is measured, by its name. */
  readonly subject: string;
}

export interface MeasuredCell extends NewMeasuredCell {
  readonly id: number;
  readonly sweep: number;
}

export interface NewMeasuredSweep<Kind extends AnySweep> extends Omit<AddedSweep<Kind>, "addCells" | "refuseChanged"> {
  readonly measuredCells: readonly NewMeasuredCell[];
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

/** For SweepStore's `begin`. */
export const addedMeasured = <Kind extends AnySweep>({
  measuredCells,
  ...begun
}: NewMeasuredSweep<Kind>): AddedSweep<Kind> => ({
  ...begun,
  addCells: (database, sweep) => {
    const insert = database.prepare(
      "INSERT INTO measured_cell (sweep, subject, link, link_profile) VALUES (?, ?, ?, ?)",
    );
    for (const { subject, link, link_profile } of measuredCells)
      insert.run(sweep, subject, link, link_profile && JSON.stringify(link_profile));
  },
});

/** Stores one attempt at a run, whole or not at all; returns its number. */
export function recordMeasuredRun(store: SweepStore, run: NewMeasuredRun): number {
  const query = `INSERT INTO measured_run (${attemptColumns}, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const record = run.record && JSON.stringify(run.record);
  return store.write((database) => Number(database.prepare(query).run(...attemptValues(run), record).lastInsertRowid));
}

/** In the plan's order. */
export function measuredCellsOf({ read }: SweepStore, sweep: number): MeasuredCell[] {
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
export function measuredRunsOf<Document extends object>({ read }: SweepStore, sweep: number): MeasuredRun<Document>[] {
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
