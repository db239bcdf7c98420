// The rows of cells and attempts, whatever was attempted: page loads, or runs of an instrument. An instrument adds columns to its cells
// and documents to its attempts. Opens no file: the results' owner does (sweep_store.ts).
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { storedJson } from "./stored_json.ts";
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

const attemptColumns = "cell, block, attempt, position, status, reasons, started_at, wall_ms";

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

interface CellOfLink {
  readonly link: string | null;
  readonly link_profile: LinkProfile | null;
}

function insertRow(database: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): number {
  const names = Object.keys(row);
  const query = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return Number(database.prepare(query).run(...Object.values(row)).lastInsertRowid);
}

/** Stores a sweep's cells in their order. `columns`: those that only this kind has. */
export function addCells<Cell extends CellOfLink, Column extends keyof Cell & string>(
  kind: AnySweep["kind"],
  columns: readonly Column[],
  cells: readonly Cell[],
): (database: DatabaseSync, sweep: number) => void {
  return (database, sweep) => {
    for (const cell of cells) {
      const own = Object.fromEntries(columns.map((name) => [name, cell[name] as SQLInputValue]));
      const link_profile = cell.link_profile && JSON.stringify(cell.link_profile);
      insertRow(database, tables[kind].cells, { sweep, ...own, link: cell.link, link_profile });
    }
  };
}

interface Store {
  readonly read: Read;
  write(work: (database: DatabaseSync) => number): number;
}

/** In the plan's order. */
export const readCells = <Cell extends CellOfLink>(
  { read }: Pick<Store, "read">,
  kind: AnySweep["kind"],
  sweep: number,
) =>
  read(`SELECT * FROM ${tables[kind].cells} WHERE sweep = ? ORDER BY id`, sweep).map((row) => {
    const profile = row.link_profile ?? null;
    const link_profile = profile === null ? null : storedJson(profile, `${tables[kind].cells}.link_profile`);
    return { ...row, link_profile } as unknown as Cell;
  });

/** Stores one attempt, whole or not at all; returns its number. `documents`: what it left, by column; null: nothing. */
export function recordAttempt(
  store: Store,
  kind: AnySweep["kind"],
  made: NewAttempt,
  documents: Readonly<Record<string, object | Uint8Array | null>>,
): number {
  const { cell, block, attempt, position, status, reasons, started_at, wall_ms } = made;
  const row = { cell, block, attempt, position, status, reasons: JSON.stringify(reasons), started_at, wall_ms };
  const left = Object.entries(documents).map(([name, document]): [string, SQLInputValue] => [
    name,
    document === null || document instanceof Uint8Array ? document : JSON.stringify(document),
  ]);
  return store.write((database) => insertRow(database, tables[kind].attempts, { ...row, ...Object.fromEntries(left) }));
}

/** Every attempt in the order in which they ended, with these columns of its cell and these documents (JSON). */
export function readAttempts<Attempted>(
  { read }: Pick<Store, "read">,
  kind: AnySweep["kind"],
  columns: readonly string[],
  documents: readonly string[],
  sweep: number,
): Attempted[] {
  const { cells, attempts } = tables[kind];
  const query = `SELECT ${attempts}.id, ${columns.join(", ")}, ${attemptColumns}, ${documents.join(", ")} FROM ${attempts}
    JOIN ${cells} ON ${cells}.id = ${attempts}.cell WHERE ${cells}.sweep = ? ORDER BY ${attempts}.id`;
  const names = ["reasons", ...documents];
  return read(query, sweep).map((row) => {
    const plain = Object.entries(row).filter(([name]) => !names.includes(name));
    const parsed = names.map((name) => {
      const value = row[name] ?? null;
      return [name, value === null ? null : storedJson(value, `${attempts}.${name}`)];
    });
    return Object.fromEntries([...plain, ...parsed]) as Attempted;
  });
}
