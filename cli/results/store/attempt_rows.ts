// What the rows of cells and attempts have in common, whatever was attempted: page loads, or runs of an instrument. Reads no file: the
// results' owner does (sweep_store.ts).
import type { AnySweep, LoadStatus, Row, SweepProgress } from "./sweep_rows.ts";

type Read = (query: string, ...values: number[]) => Row[];

export interface NewAttempt {
  readonly cell: number;
  /** Repetition, from 0. */
  readonly block: number;
  readonly attempt: number;
  readonly position: number;
  readonly status: LoadStatus;
  /** Empty for a valid one. */
  readonly reasons: readonly string[];
  readonly started_at: string;
  readonly wall_ms: number;
}

/** The columns of an attempt, in the order of `attemptValues`. */
export const attemptColumns = "cell, block, attempt, position, status, reasons, started_at, wall_ms";

export function attemptValues(made: NewAttempt): readonly (string | number)[] {
  const { cell, block, attempt, position, status, reasons, started_at, wall_ms } = made;
  return [cell, block, attempt, position, status, JSON.stringify(reasons), started_at, wall_ms];
}

const tables: Readonly<Record<AnySweep["kind"], { readonly cells: string; readonly attempts: string }>> = {
  pages: { cells: "cell", attempts: "load" },
  flows: { cells: "flow_cell", attempts: "flow_run" },
  fetches: { cells: "fetch_cell", attempts: "fetch" },
  commands: { cells: "measured_cell", attempts: "measured_run" },
};

/** Asks for a sweep's cells; its number is the one value. */
export const cellLinksQuery = (kind: AnySweep["kind"]): string =>
  `SELECT id, link, link_profile FROM ${tables[kind].cells} WHERE sweep = ? ORDER BY id`;

/** What every attempt has that is stored. */
export type Attempt = Pick<NewAttempt, "cell" | "status" | "started_at"> & { readonly id: number };

/** As above. */
export function attemptsQuery(kind: AnySweep["kind"]): string {
  const { cells, attempts } = tables[kind];
  return `SELECT ${attempts}.id, cell, status, started_at FROM ${attempts} JOIN ${cells} ON ${cells}.id = ${attempts}.cell
    WHERE ${cells}.sweep = ? ORDER BY ${attempts}.id`;
}

/** Counted without reading what the attempts left. */
export function countAttempts(
  read: Read,
  kind: AnySweep["kind"],
  sweep: number,
): Pick<SweepProgress, "cells" | "attempts" | "valid"> {
  const { cells, attempts } = tables[kind];
  const [row] = read(
    `SELECT count(DISTINCT ${cells}.id) AS cells, count(${attempts}.id) AS attempts,
       coalesce(sum(${attempts}.status = 'valid'), 0) AS valid
     FROM ${cells} LEFT JOIN ${attempts} ON ${attempts}.cell = ${cells}.id WHERE ${cells}.sweep = ?`,
    sweep,
  );
  return { cells: Number(row?.cells), attempts: Number(row?.attempts), valid: Number(row?.valid) };
}
