// The tables `film` and `film_frame` of the results: of a cell one load that was filmed, and what it showed. Used by the
// results' owner alone. A filmed load is no row of `load`: it is in no average.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

export interface FilmFrame {
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
}

/** The film of a cell whose load was valid. */
export interface Film {
  readonly cell: number;
  readonly plt_ms: number | null;
  readonly frames: readonly FilmFrame[];
}

type Read = (query: string) => Record<string, SQLOutputValue>[];

/** In place of an earlier one of the cell. */
export function addFilm(database: DatabaseSync, { cell, status, reasons, plt_ms, frames }: NewFilm): void {
  database.prepare("DELETE FROM film WHERE cell = ?").run(cell);
  const film = database.prepare("INSERT INTO film (cell, status, reasons, plt_ms, filmed_at) VALUES (?, ?, ?, ?, ?)");
  film.run(cell, status, JSON.stringify(reasons), plt_ms, new Date().toISOString());
  const insert = database.prepare("INSERT INTO film_frame (cell, place, time_ms, jpeg) VALUES (?, ?, ?, ?)");
  frames.forEach(({ time_ms, jpeg }, place) => {
    insert.run(cell, place, time_ms, jpeg);
  });
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
