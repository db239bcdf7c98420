// Runs a sweep's loads one after another in the planned order, stores each as it ends, tries again what was not valid,
// and goes on where an earlier run stopped. Does not know how a load is measured, nor how progress is shown.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type {
  FilmFinished,
  FilmStarted,
  LoadFinished,
  LoadStarted,
  SweepStarted,
} from "../../schemas/generated/sweep_event.ts";
import type { Cell, Results, Sweep } from "../results/results.ts";
import { TimeLeft } from "./estimate.ts";
import { type FilmLoad, filmCells, unfilmedCells } from "./films.ts";
import { orderLoads, type PlannedLoad } from "./order.ts";
import type { Plan } from "./plan.ts";
import { loadRequest, type Measure, type Requesting } from "./request.ts";

export type { LoadRequest, Measure } from "./request.ts";

export interface RunOptions extends Requesting {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly resumed: boolean;
  readonly measure: Measure;
  /**
   * Why loads on a link do not count, whatever becomes of them; null: they do. Asked before each load. Such a load is not
   * tried again in this run: the link is what it is.
   */
  readonly linkFault?: (link: string) => Promise<string | null>;
  /** A folder for what each attempt at a load leaves behind; without it nothing is kept but the page load. */
  readonly evidenceOf?: (cell: Cell, block: number, attempt: number) => string;
  /** A guess at a load's wall time. */
  readonly guess_ms: (cell: Cell) => number;
  /** Films one further load of each cell, after all others. Without it nothing is filmed. */
  readonly film?: FilmLoad;
  readonly tell: (event: SweepStarted | LoadStarted | LoadFinished | FilmStarted | FilmFinished) => void;
}

export interface RunOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  readonly loads: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
}

/** A planned load with what earlier runs made of it. */
interface Task {
  readonly planned: PlannedLoad;
  readonly cell: Cell;
  attempts: number;
  valid: boolean;
}

function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const order = orderLoads(cells, (cell) => `${cell.page} ${cell.link}`, plan.repetitions, plan.seed);
  const tasks = order.map(
    (planned): Task => ({ planned, cell: cells[planned.cell] as Cell, attempts: 0, valid: false }),
  );
  const byPlace = new Map(tasks.map((task) => [`${task.cell.id} ${task.planned.block}`, task]));
  for (const load of results.loadsOf(sweep.id)) {
    const task = byPlace.get(`${load.cell} ${load.block}`);
    if (!task) continue;
    task.attempts = Math.max(task.attempts, load.attempt + 1);
    task.valid ||= load.status === "valid";
  }
  return tasks;
}

/** Runs until every planned load has a valid attempt or has used up its attempts, or until the signal. */
export async function runSweep(options: RunOptions): Promise<RunOutcome> {
  const { results, sweep, plan, signal, tell } = options;
  const isDone = (task: Task): boolean => task.valid || task.attempts > plan.retries;
  const tasks = tasksOf(results, sweep, plan);
  const left = tasks.filter((task) => !isDone(task));
  const toFilm = options.film ? unfilmedCells(results, sweep) : [];
  const guesses_ms = [...left.map(({ cell }) => cell), ...toFilm].map(options.guess_ms);
  const time = new TimeLeft(guesses_ms.reduce((sum, guess_ms) => sum + guess_ms, 0));
  let done = tasks.length - left.length;
  let wall_ms = 0;
  tell({
    event: "sweep-started",
    sweep: sweep.id,
    name: sweep.name,
    cells: new Set(tasks.map((task) => task.cell.id)).size,
    loads: tasks.length,
    done,
    resumed: options.resumed,
    expected_s: time.left_ms / 1000,
  });
  for (const task of left) {
    let fault: string | null = null;
    while (!isDone(task) && fault === null) {
      const { cell, planned } = task;
      const place = {
        position: planned.position,
        page: cell.page,
        lane: cell.lane,
        link: cell.link,
        block: planned.block,
        attempt: task.attempts,
      };
      if (signal.aborted) return { state: "stopped", done, loads: tasks.length, wall_ms };
      tell({ event: "load-started", ...place });
      const started_at = new Date().toISOString();
      const measured = await measureOne(options, cell, planned.block, task.attempts);
      if (!measured) return { state: "stopped", done, loads: tasks.length, wall_ms };
      const { load } = measured;
      fault = measured.fault;
      const { status, reasons, metrics, wall_ms: took_ms } = load.log._trilane;
      const { attempt } = place;
      const { position, block } = planned;
      const id = results.recordLoad({ cell: cell.id, block, attempt, position, started_at, load });
      task.attempts++;
      task.valid = status === "valid";
      wall_ms += took_ms;
      const last = isDone(task) || fault !== null;
      time.ended(options.guess_ms(cell), took_ms, last);
      if (last) done++;
      tell({
        event: "load-finished",
        ...place,
        load: id,
        status,
        reasons,
        plt_ms: metrics.plt_ms,
        wall_ms: took_ms,
        done,
        loads: tasks.length,
        left_s: time.left_ms / 1000,
      });
    }
  }
  if (options.film && !(await filmCells({ ...options, film: options.film }, toFilm, time)))
    return { state: "stopped", done, loads: tasks.length, wall_ms };
  results.finishSweep(sweep.id);
  return { state: "finished", done, loads: tasks.length, wall_ms };
}

interface MeasuredLoad {
  readonly load: PageLoad;
  /** The link's. */
  readonly fault: string | null;
}

/** Null for a load that the signal cut off: whatever it came to is not what was asked. */
async function measureOne(
  options: RunOptions,
  cell: Cell,
  block: number,
  attempt: number,
): Promise<MeasuredLoad | null> {
  const { signal } = options;
  let fault: string | null;
  let load: PageLoad;
  try {
    fault = (await options.linkFault?.(cell.link)) ?? null;
    load = await options.measure({
      ...loadRequest(options, cell, block),
      ...(options.evidenceOf ? { evidence: options.evidenceOf(cell, block, attempt) } : {}),
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
  // Ctrl-C on a terminal reaches the lab's processes too: one turn of the event loop, so that our own handler has run.
  await new Promise((resolve) => setImmediate(resolve));
  return signal.aborted ? null : { load: judged(load, fault), fault };
}

/** A load over a link that is not what was asked is not valid, however it went. */
function judged(load: PageLoad, fault: string | null): PageLoad {
  if (fault === null) return load;
  const facts = load.log._trilane;
  const status = facts.status === "valid" ? "invalid" : facts.status;
  return { log: { ...load.log, _trilane: { ...facts, status, reasons: [...facts.reasons, fault] } } };
}
