// The attempts of a cell that were filmed, and the frames of the first valid one. Used by the results' owner alone. A filmed load is no run of
// the plan: it is in no average.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { visualMetrics } from "../../../extension/capture/metric_facts.ts";
import type { VisualMetrics } from "../../load/metrics/visual_progress.ts";
import { addObservations, insertRow, observationsColumn, observationsIn } from "./attempt_rows.ts";
import { storedJson } from "./stored_json.ts";

interface FilmFrame {
  /** Since navigationStart; what is shown from then on. */
  readonly time_ms: number;
  readonly jpeg: Uint8Array;
}

export interface NewFilm {
  readonly cell: number;
  readonly status: "valid" | "invalid" | "failed";
  readonly reasons: readonly string[];
  readonly plt_ms: number | null;
  readonly frames: readonly FilmFrame[];
  /** Null: not known. */
  readonly visual: VisualMetrics | null;
}

/** One load that was filmed. Null: unavailable. */
export type FilmedLoad = { readonly [Key in keyof VisualMetrics]: VisualMetrics[Key] | null } & {
  readonly cell: number;
  /** Among the cell's filmed loads, from 0. */
  readonly number: number;
  readonly status: NewFilm["status"];
  readonly reasons: readonly string[];
  readonly plt_ms: number | null;
};

/** The film of a cell whose load was valid. */
export interface Film {
  readonly cell: number;
  readonly plt_ms: number | null;
  readonly frames: readonly FilmFrame[];
}

type Read = (query: string) => Record<string, SQLOutputValue>[];

const filmMetrics = ["plt_ms", ...visualMetrics] as const;

/** Adds a filmed load. The frames of a cell's first valid one are kept. */
export function addFilm(database: DatabaseSync, { cell, status, reasons, plt_ms, frames, visual }: NewFilm): void {
  const earlier = database.prepare("SELECT status FROM attempt WHERE cell = ? AND filmed").all(cell);
  const facts = { status, reasons: JSON.stringify(reasons), started_at: new Date().toISOString() };
  const id = insertRow(database, "attempt", { cell, filmed: 1, block: earlier.length, attempt: 0, ...facts });
  const measured = visualMetrics.map((name) => [name, visual?.[name] ?? null]);
  addObservations(database, id, { plt_ms, ...Object.fromEntries(measured) });
  if (status !== "valid" || earlier.some((film) => film.status === "valid")) return;
  frames.forEach(({ time_ms, jpeg }, place) => {
    insertRow(database, "document", { attempt: id, name: "frame", place, time_ms, content: jpeg });
  });
}

/** The filmed loads of a sweep, by cell in their order. `read` is given the sweep's number as its one value. */
export function readFilmedLoads(read: Read): FilmedLoad[] {
  return read(
    `SELECT cell, block AS number, status, reasons, ${observationsColumn} FROM attempt JOIN cell ON cell.id = attempt.cell
     WHERE cell.sweep = ? AND filmed ORDER BY cell, block`,
  ).map((row) => {
    const { cell, number, status } = row;
    const measured = observationsIn(row);
    return {
      ...{ cell, number, status },
      ...Object.fromEntries(filmMetrics.map((name) => [name, measured[name] ?? null])),
      reasons: storedJson(row.reasons, "attempt.reasons"),
    } as unknown as FilmedLoad;
  });
}

/** The films of a sweep that may be shown. `read` as above. */
export function readFilms(read: Read): Film[] {
  const films = Map.groupBy(
    readFilmedLoads(read).filter(({ status }) => status === "valid"),
    ({ cell }) => cell,
  );
  const frames = Map.groupBy(
    read(
      `SELECT attempt.cell, time_ms, content FROM document JOIN attempt ON attempt.id = document.attempt
       JOIN cell ON cell.id = attempt.cell WHERE cell.sweep = ? AND name = 'frame' ORDER BY attempt.cell, document.place`,
    ),
    ({ cell }) => Number(cell),
  );
  return [...films].map(([cell, [first]]) => ({
    cell,
    plt_ms: first?.plt_ms ?? null,
    frames: (frames.get(cell) ?? []).map(({ time_ms, content }) => ({
      time_ms: Number(time_ms),
      jpeg: content as Uint8Array,
    })),
  }));
}
