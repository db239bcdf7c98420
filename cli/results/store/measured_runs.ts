// The tables `measured_cell` and `measured_run` of the results: what sweeps of instruments compare that have no tables of their own, and
// every attempt at a run. Knows no instrument, and no record's form.
import { addCells, type NewAttempt, readAttempts, readCells, recordAttempt } from "./attempt_rows.ts";
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
  ...added
}: NewMeasuredSweep<Kind>): AddedSweep<Kind> => ({
  ...added,
  addCells: addCells("commands", ["subject"], measuredCells),
});

/** Stores one attempt at a run, whole or not at all; returns its number. */
export const recordMeasuredRun = (store: SweepStore, run: NewMeasuredRun): number =>
  recordAttempt(store, "commands", run, { record: run.record });

/** In the plan's order. */
export const measuredCellsOf = (store: SweepStore, sweep: number): MeasuredCell[] =>
  readCells(store, "commands", sweep);

/** Every attempt in the order in which they ended. Records are what who stored them takes them for. */
export const measuredRunsOf = <Document extends object>(store: SweepStore, sweep: number): MeasuredRun<Document>[] =>
  readAttempts(store, "commands", ["subject", "link"], ["record"], sweep);
