// What sweeps of commands compare, and every attempt at a run, in the results. Knows no record's form.
import { type NewAttempt, readAttempts, readCells, recordAttempt } from "../../../results/store/attempt_rows.ts";
import type { AnySweep, CellLink } from "../../../results/store/sweep_rows.ts";
import type { AddedSweep, SweepStore } from "../../../results/store/sweep_store.ts";

export interface NewMeasuredCell extends Omit<CellLink, "id"> {
  /** What is measured, by its name. */
  readonly subject: string;
}

export interface MeasuredCell extends NewMeasuredCell {
  readonly id: number;
  readonly sweep: number;
}

export interface NewMeasuredSweep<Kind extends AnySweep>
  extends Omit<AddedSweep<Kind>, "addedCells" | "refuseChanged"> {
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
  addedCells: measuredCells,
});

/** Stores one attempt at a run, whole or not at all; returns its number. */
export const recordMeasuredRun = (store: SweepStore, run: NewMeasuredRun): number =>
  recordAttempt(store, run, { "command-record": run.record });

/** In the plan's order. */
export const measuredCellsOf = (store: SweepStore, sweep: number): MeasuredCell[] =>
  readCells(store, ["id", "sweep", "subject", "link", "link_profile"], sweep);

/** Every attempt in the order in which they ended. Records are what who stored them takes them for. */
export const measuredRunsOf = <Document extends object>(store: SweepStore, sweep: number): MeasuredRun<Document>[] =>
  readAttempts(store, ["subject", "link"], { record: "command-record" }, sweep);
