// Films further loads of each cell once its measured loads are there, and stores them apart from these. Resumes where an
// earlier run stopped: a cell that was filmed as often as planned is not filmed again.
import type { FilmFinished, FilmStarted } from "../../../../schemas/generated/sweep_event.ts";
import { retryWhileBlocked } from "../../../engine/blocking_conditions.ts";
import type { RunControl } from "../../../engine/measuring.ts";
import { isDisturbed } from "../../../load/disturbance.ts";
import type { FilmedLoad } from "../../../load/filmstrip.ts";
import type { Cell, NewFilm, Results, Sweep } from "../../../results/store/results.ts";
import { type LoadRequest, loadRequest, type Requesting } from "./request.ts";

/** Resolves also for a load that failed; throws for what would fail every load. */
export type FilmLoad = (request: LoadRequest) => Promise<FilmedLoad>;

export interface Filming extends Requesting, RunControl {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly film: FilmLoad;
  readonly guess_ms: (cell: Cell) => number;
  readonly tell: (event: FilmStarted | FilmFinished) => void;
  readonly signal: AbortSignal;
}

/** The cells in the plan's order, each as often as it is still to be filmed: first all once, then all again. */
export function unfilmedCells(results: Results, sweep: Sweep, films: number): Cell[] {
  const filmed = results.filmedCellsOf(sweep.id);
  const cells = results.cellsOf(sweep.id);
  return Array.from({ length: films }, (_, round) => cells.filter(({ id }) => (filmed.get(id) ?? 0) <= round)).flat();
}

interface Take {
  readonly film: Omit<NewFilm, "cell">;
  readonly wall_ms: number;
}

const nothingShown = { frames: [], visual: null };

/** Null where the signal cut it off. */
async function take(filming: Filming, cell: Cell): Promise<Take | null> {
  const { results, sweep, plan, signal } = filming;
  try {
    const fault = await filming.linkFault(cell.link);
    if (fault !== null)
      return { film: { status: "invalid", reasons: [fault], plt_ms: null, ...nothingShown }, wall_ms: 0 };
    // Blocks of their own: the films' loads meet the same losses as each other.
    const block = plan.repetitions + (results.filmedCellsOf(sweep.id).get(cell.id) ?? 0);
    const { load, frames, visual, status, reasons, wall_ms } = await filming.counted(async () => {
      const filmed = await filming.film(loadRequest(filming, cell, block));
      const { status, reasons, wall_ms } = filmed.load.log._trilane;
      return { ...filmed, status, reasons, wall_ms };
    });
    const { metrics } = load.log._trilane;
    const shown = status === "valid" ? { frames, visual } : nothingShown;
    return signal.aborted ? null : { film: { status, reasons, plt_ms: metrics.plt_ms, ...shown }, wall_ms };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Whether it came to its end, or to that of the plan's time; false: it was stopped. What is not filmed by then is left out. */
export async function filmCells(filming: Filming, cells: readonly Cell[]): Promise<boolean> {
  const { results, plan, time, tell } = filming;
  let filmed = 0;
  for (const cell of cells) {
    const { page, lane, link } = cell;
    if (!filming.mustEnd() && filming.isTimeUp()) return true;
    for (let attempt = 0, faults = 0, done = false; !done; attempt++) {
      await filming.waitForCalm();
      if (filming.mustEnd()) return false;
      tell({ event: "film-started", page, lane, link, attempt });
      const taken = await retryWhileBlocked(() => take(filming, cell), filming.waiting);
      if (!taken?.written) return false;
      const { film, wall_ms } = taken.written;
      const wasDisturbed = film.reasons.some(isDisturbed);
      if (!wasDisturbed) faults++;
      // A faulty link is not tried again: it is what it is.
      done =
        film.status === "valid" || wall_ms === 0 || faults > plan.retries || (wasDisturbed && !filming.mayRepeat());
      time.ended(filming.guess_ms(cell), wall_ms, done);
      if (done) {
        const stored = await retryWhileBlocked(() => results.recordFilm({ cell: cell.id, ...film }), filming.waiting);
        if (stored === null) return false;
        filmed++;
      }
      const { status, reasons, plt_ms, frames, visual } = film;
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
        speed_index_ms: visual?.speed_index_ms ?? null,
        wall_ms,
        filmed,
        films: cells.length,
        left_s: time.left_ms / 1000,
      });
    }
  }
  return true;
}
