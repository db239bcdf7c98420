// Films one further load of each cell once its measured loads are there, and stores it apart from them. Goes on where an
// earlier run stopped: a cell with a film is not filmed again.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { FilmFinished, FilmStarted } from "../../schemas/generated/sweep_event.ts";
import type { Cell, FilmFrame, NewFilm, Results, Sweep } from "../results/results.ts";
import type { TimeLeft } from "./estimate.ts";
import { type LoadRequest, loadRequest, type Requesting } from "./request.ts";

/** Resolves also for a load that failed; throws for what would fail every load. */
export type FilmLoad = (request: LoadRequest) => Promise<{ load: PageLoad; frames: readonly FilmFrame[] }>;

export interface Filming extends Requesting {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly film: FilmLoad;
  /** Whether nothing more is to be started. */
  readonly mustEnd: () => boolean;
  readonly linkFault?: (link: string) => Promise<string | null>;
  readonly guess_ms: (cell: Cell) => number;
  readonly tell: (event: FilmStarted | FilmFinished) => void;
}

/** The cells that have no film yet, in the plan's order. */
export function unfilmedCells(results: Results, sweep: Sweep): Cell[] {
  const filmed = results.filmedCellsOf(sweep.id);
  return results.cellsOf(sweep.id).filter((cell) => !filmed.has(cell.id));
}

interface Take {
  readonly film: Omit<NewFilm, "cell">;
  readonly wall_ms: number;
}

const noFrames: readonly FilmFrame[] = [];

/** Null where the signal cut it off. */
async function take(filming: Filming, cell: Cell): Promise<Take | null> {
  const { plan, signal } = filming;
  try {
    const fault = (await filming.linkFault?.(cell.link)) ?? null;
    if (fault !== null)
      return { film: { status: "invalid", reasons: [fault], plt_ms: null, frames: noFrames }, wall_ms: 0 };
    // A block of their own: the films' loads meet the same losses as each other.
    const { load, frames } = await filming.film(loadRequest(filming, cell, plan.repetitions));
    const { status, reasons, metrics, wall_ms } = load.log._trilane;
    const shown = status === "valid" ? frames : noFrames;
    return signal.aborted ? null : { film: { status, reasons, plt_ms: metrics.plt_ms, frames: shown }, wall_ms };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Whether it came to its end; false: it was stopped. */
export async function filmCells(filming: Filming, cells: readonly Cell[], time: TimeLeft): Promise<boolean> {
  const { results, plan, tell } = filming;
  let filmed = 0;
  for (const cell of cells) {
    const { page, lane, link } = cell;
    for (let attempt = 0, done = false; !done; attempt++) {
      if (filming.mustEnd()) return false;
      tell({ event: "film-started", page, lane, link, attempt });
      const taken = await take(filming, cell);
      if (taken === null) return false;
      const { film, wall_ms } = taken;
      // A faulty link is not tried again: it is what it is.
      done = film.status === "valid" || attempt >= plan.retries || wall_ms === 0;
      time.ended(filming.guess_ms(cell), wall_ms, done);
      if (done) {
        results.recordFilm({ cell: cell.id, ...film });
        filmed++;
      }
      const { status, reasons, plt_ms, frames } = film;
      tell({
        event: "film-finished",
        page,
        lane,
        link,
        attempt,
        status,
        reasons: [...reasons],
        plt_ms,
        frames: frames.length,
        wall_ms,
        filmed,
        films: cells.length,
        left_s: time.left_ms / 1000,
      });
    }
  }
  return true;
}
