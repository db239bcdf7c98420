// The tables `cell`, `attempt`, `observation` and `document` of the results, whatever is measured. An instrument says which of its names
// stand for which columns and documents. Opens no file: the results' owner does (sweep_store.ts).
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { storedJson } from "./stored_json.ts";
import type { LoadStatus, Row, SweepProgress } from "./sweep_rows.ts";

type Read = (query: string, ...values: (string | number)[]) => Row[];

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

export const attemptColumns = "cell, block, attempt, position, status, reasons, started_at, wall_ms";

/** A cell as the table has it. */
export interface AddedCell {
  /** What is measured, by its name. */
  readonly subject: string;
  /** null, or absent: none. */
  readonly lane?: string | null;
  /** Short form, canonical; null: the network as it is. */
  readonly link: string | null;
  /** null as above. */
  readonly link_profile: LinkProfile | null;
  /** What else distinguishes it within the sweep. */
  readonly factors?: Readonly<Record<string, string | number>>;
  readonly recording_digest?: string;
}

/** Joins a sweep's attempts; its number is the one value. Those that were filmed are no runs of the plan. */
export const ofSweep = "JOIN cell ON cell.id = attempt.cell WHERE cell.sweep = ? AND NOT filmed";

/** What every attempt has that is stored. */
export type Attempt = Pick<NewAttempt, "cell" | "status" | "started_at"> & { readonly id: number };

/** A sweep's attempts as above, in the order in which they ended. */
export const attemptsQuery = `SELECT attempt.id, cell, status, started_at FROM attempt ${ofSweep} ORDER BY attempt.id`;

/** How many attempts ended how. */
export function countStatuses(attempts: readonly Pick<NewAttempt, "status">[]): Record<LoadStatus, number> {
  const counts = { valid: 0, invalid: 0, failed: 0 };
  for (const { status } of attempts) counts[status]++;
  return counts;
}

/** Counted without reading what the attempts left. */
export function countAttempts(read: Read, sweep: number): Pick<SweepProgress, "cells" | "attempts" | "valid"> {
  const [row] = read(
    `SELECT count(DISTINCT cell.id) AS cells, count(attempt.id) AS attempts,
       coalesce(sum(attempt.status = 'valid'), 0) AS valid
     FROM cell LEFT JOIN attempt ON attempt.cell = cell.id AND NOT filmed WHERE cell.sweep = ?`,
    sweep,
  );
  return { cells: Number(row?.cells), attempts: Number(row?.attempts), valid: Number(row?.valid) };
}

export function insertRow(database: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): number {
  const names = Object.keys(row);
  const query = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return Number(database.prepare(query).run(...Object.values(row)).lastInsertRowid);
}

/** Stores a sweep's cells in their order. */
export function addCells(
  database: DatabaseSync,
  sweep: number,
  {
    addedCells,
    recording_digest: ofAll = null,
  }: { readonly addedCells: readonly AddedCell[]; readonly recording_digest?: string | null },
): void {
  for (const { subject, lane = null, link, link_profile, factors = {}, recording_digest = ofAll } of addedCells)
    insertRow(database, "cell", {
      ...{ sweep, subject, lane, link, link_profile: link_profile && JSON.stringify(link_profile) },
      ...{ factors: JSON.stringify(factors), recording_digest },
    });
}

/** What an attempt left, by the document's name; null: nothing. */
export type LeftDocuments = Readonly<Record<string, object | Uint8Array | null>>;

export function addDocuments(database: DatabaseSync, attempt: number, documents: LeftDocuments): void {
  for (const [name, document] of Object.entries(documents)) {
    if (document === null) continue;
    const content = document instanceof Uint8Array ? document : JSON.stringify(document);
    insertRow(database, "document", { attempt, name, content });
  }
}

/** By metric; null: unavailable. */
export type Observations = Readonly<Record<string, number | string | null>>;

export function addObservations(database: DatabaseSync, attempt: number, observations: Observations): void {
  const insert = database.prepare("INSERT INTO observation (attempt, metric, value, text) VALUES (?, ?, ?, ?)");
  for (const [metric, value] of Object.entries(observations))
    if (typeof value === "string") insert.run(attempt, metric, null, value);
    else if (value !== null) insert.run(attempt, metric, value, null);
}

/** A column for a query of attempts: their observations, as observationsIn() reads them. */
export const observationsColumn = `(SELECT json_group_object(metric, ifnull(value, text)) FROM observation
  WHERE observation.attempt = attempt.id) AS observations`;

export const observationsIn = ({ observations }: Row): Observations =>
  storedJson(observations, "observation.value") as Observations;

interface Store {
  readonly read: Read;
  write(work: (database: DatabaseSync) => number): number;
}

/** A sweep's cells in the plan's order, with these columns, by the instrument's names. `condition`: of a cell. */
export const readCells = <Cell>(
  { read }: Pick<Store, "read">,
  columns: readonly string[],
  sweep: number,
  condition = "true",
): Cell[] =>
  read(`SELECT ${columns.join(", ")} FROM cell WHERE sweep = ? AND ${condition} ORDER BY id`, sweep).map((row) => {
    const { link_profile = null } = row;
    const profile = link_profile === null ? null : storedJson(link_profile, "cell.link_profile");
    return { ...row, link_profile: profile } as Cell;
  });

/** Adds one attempt, in the caller's transaction; returns its number. */
export function addAttempt(
  database: DatabaseSync,
  { cell, block, attempt, position, status, reasons, started_at, wall_ms }: NewAttempt,
  documents: LeftDocuments,
): number {
  const row = { cell, block, attempt, position, status, reasons: JSON.stringify(reasons), started_at, wall_ms };
  const id = insertRow(database, "attempt", row);
  addDocuments(database, id, documents);
  return id;
}

/** Stores one attempt, whole or not at all; returns its number. */
export const recordAttempt = (store: Store, made: NewAttempt, documents: LeftDocuments): number =>
  store.write((database) => addAttempt(database, made, documents));

/** A column for a query of attempts: their document of that name. */
const documentColumn = (name: string): string =>
  `(SELECT content FROM document WHERE document.attempt = attempt.id AND name = '${name}') AS "${name}"`;

/** Every attempt in the order in which they ended, with these columns of its cell and these documents (JSON), by the instrument's names. */
export function readAttempts<Attempted>(
  { read }: Pick<Store, "read">,
  columns: readonly string[],
  documents: Readonly<Record<string, string>>,
  sweep: number,
): Attempted[] {
  const all = ["attempt.id", ...columns, attemptColumns, ...Object.values(documents).map(documentColumn)];
  return read(`SELECT ${all.join(", ")} FROM attempt ${ofSweep} ORDER BY attempt.id`, sweep).map((row) => {
    const plain = Object.entries(row).filter(
      ([name]) => name !== "reasons" && !Object.values(documents).includes(name),
    );
    const left = Object.entries(documents).map(([key, name]) => {
      const content = row[name] ?? null;
      return [key, content === null ? null : storedJson(content, `document ${name}`)];
    });
    const reasons = storedJson(row.reasons, "attempt.reasons");
    return Object.fromEntries([...plain, ["reasons", reasons], ...left]) as Attempted;
  });
}

/** The bytes that an attempt left under a name; null: none, or there is no such attempt. */
export function documentOf({ read }: Pick<Store, "read">, attempt: number, name: string): Uint8Array | null {
  const [row] = read("SELECT content FROM document WHERE attempt = ? AND name = ?", attempt, name);
  return row?.content instanceof Uint8Array ? row.content : null;
}
