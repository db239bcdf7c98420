// The tables `filmed_load`, `film` and `film_frame` of the results: the loads of a cell that were filmed, and what the first
// valid one showed. Used by the results' owner alone. A filmed load is no row of `load`: it is in no average.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { VisualMetrics } from "../../load/metrics/visual_progress.ts";
import { visualColumns } from "./metric_columns.ts";
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

/** Adds a filmed load. Its film takes the place of an earlier one of the cell that was not valid. */
export function addFilm(database: DatabaseSync, { cell, status, reasons, plt_ms, frames, visual }: NewFilm): void {
  const filmed_at = new Date().toISOString();
  const why = JSON.stringify(reasons);
  const places = visualColumns.map(() => "?").join(", ");
  database
    .prepare(
      `INSERT INTO filmed_load (cell, number, status, reasons, plt_ms, filmed_at, ${visualColumns.join(", ")})
       VALUES (?, (SELECT count(*) FROM filmed_load WHERE cell = ?), ?, ?, ?, ?, ${places})`,
    )
    .run(cell, cell, status, why, plt_ms, filmed_at, ...visualColumns.map((column) => visual?.[column] ?? null));
  database.prepare("DELETE FROM film WHERE cell = ? AND status <> 'valid'").run(cell);
  const film = database.prepare(
    "INSERT OR IGNORE INTO film (cell, status, reasons, plt_ms, filmed_at) VALUES (?, ?, ?, ?, ?)",
  );
  if (film.run(cell, status, why, plt_ms, filmed_at).changes === 0) return;
  const insert = database.prepare("INSERT INTO film_frame (cell, place, time_ms, jpeg) VALUES (?, ?, ?, ?)");
  frames.forEach(({ time_ms, jpeg }, place) => {
    insert.run(cell, place, time_ms, jpeg);
  });
}

/** The filmed loads of a sweep, by cell in their order. `read` as below. */
export function readFilmedLoads(read: Read): FilmedLoad[] {
  return read(
    `SELECT filmed_load.* FROM filmed_load JOIN cell ON cell.id = filmed_load.cell
     WHERE cell.sweep = ? ORDER BY filmed_load.cell, number`,
  ).map(({ filmed_at: _filmed_at, reasons, ...rest }) => ({
    ...(rest as unknown as FilmedLoad),
    reasons: storedJson(reasons, "filmed_load.reasons") as string[],
  }));
}

/** The cells of a sweep that have a film, of whatever status. `read` is given the sweep's number as its one value. */
export function readFilmed(read: Read): number[] {
  return read("SELECT film.cell FROM film JOIN cell ON cell.id = film.cell WHERE cell.sweep = ?").map(({ cell }) =>
    Number(cell),
  );
}

/** The films of a sweep that may be shown. `read` as above. */
export function readFilms(read: Read): Film[] {
  const films = read(
    `SELECT film.cell, film.plt_ms FROM film JOIN cell ON cell.id = film.cell
     WHERE cell.sweep = ? AND film.status = 'valid' ORDER BY film.cell`,
  );
  const frames = Map.groupBy(
    read(
      `SELECT film_frame.cell, time_ms, jpeg FROM film_frame JOIN cell ON cell.id = film_frame.cell
       WHERE cell.sweep = ? ORDER BY film_frame.cell, place`,
    ),
    ({ cell }) => Number(cell),
  );
  return films.map(({ cell, plt_ms }) => ({
    cell: Number(cell),
    plt_ms: plt_ms === null ? null : Number(plt_ms),
    frames: (frames.get(Number(cell)) ?? []).map(({ time_ms, jpeg }) => ({
      time_ms: Number(time_ms),
      jpeg: jpeg as Uint8Array,
    })),
  }));
}
