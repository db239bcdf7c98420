// Runs a plan's page loads: what one is to be, when a page needs no more of them, what of it is stored and reported, and its films. In which
// order, when one waits and when it is tried again is cli/engine/runner.ts's; how a load is measured is given.

import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import type {
  BrowserChanged,
  FilmFinished,
  FilmStarted,
  LoadFinished,
  LoadStarted,
  SweepPaused,
  SweepStarted,
} from "../../../../schemas/generated/sweep_event.ts";
import { factorsOf } from "../../../base/lanes.ts";
import type { EndedAttempt, RunnerOptions, RunOutcome } from "../../../engine/measuring.ts";
import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import { runTasks } from "../../../engine/runner.ts";
import type { Cell, Load, Results, Sweep } from "../../../results/store/results.ts";
import { binaryInWords } from "../../../results/verdict/browsers.ts";
import { leadFirst, orderLoads } from "../../../sweep/plan/load_order.ts";
import { blocksPerRound, roundOf, sharedPlace } from "../../../sweep/plan/neighbours.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";
import { type FilmLoad, filmCells, unfilmedCells } from "./films.ts";
import { loadRequest, type Measure, type Requesting } from "./request.ts";
import { pageRule } from "./settled_lanes.ts";
import { UncoveredPages } from "./uncovered_pages.ts";

// Which browser loads pages: an update in mid-sweep does not end it, but is reported, as versions, and builds of one version, load pages
// at different speeds. Of a plan with several browsers each has its own.

interface Browser {
  readonly version: string;
  /** Of the program's file; null: not known. */
  readonly sha256: string | null;
}

function browserOf({ log }: PageLoad): Browser {
  return { version: log.browser.version, sha256: log._trilane.environment.browser_sha256 ?? null };
}

/** A binary that is not known is no other one. */
function isOtherBinary(a: Browser, b: Browser): boolean {
  return a.sha256 !== null && b.sha256 !== null && a.sha256 !== b.sha256;
}

type Planned = Pick<Load, "lane" | "block">;

class BrowserVersion {
  /** The last load's, by its browser in the plan and its block's turn in a round; none: there was none, or its browser did not start. */
  readonly #last = new Map<string, Browser>();
  readonly #turns: number;

  constructor(results: Results, sweep: Sweep) {
    this.#turns = blocksPerRound(sweep.plan);
    const valid = results.loadsOf(sweep.id).filter(({ status }) => status === "valid");
    const latest = new Map(valid.map((load) => [this.#keyOf(load), load]));
    for (const [key, load] of latest) this.#last.set(key, browserOf(results.harOf(load.id)));
  }

  #keyOf({ lane, block }: Planned): string {
    return `${factorsOf(lane).browser ?? ""} ${block % this.#turns}`;
  }

  /** What there is to report after a planned load; null: nothing. `load`: its number. */
  after(pageLoad: PageLoad, load: number, planned: Planned): BrowserChanged | null {
    const now = browserOf(pageLoad);
    if (now.version === "") return null;
    const key = this.#keyOf(planned);
    const before = this.#last.get(key);
    this.#last.set(key, now);
    if (before === undefined) return null;
    const event = "browser-changed";
    if (now.version !== before.version) return { event, before: before.version, now: now.version, load };
    if (!isOtherBinary(before, now)) return null;
    const named = ({ version, sha256 }: Browser): string => `${version}${binaryInWords(sha256)}`;
    return { event, before: named(before), now: named(now), load };
  }
}

type Task = PlannedTask<Cell>;

/** The page and link, most often (neighbours.ts). */
const placeOf = (plan: Plan, cell: Cell): string => JSON.stringify(sharedPlace(plan, cell));

/** Each planned load, in the planned order, with what earlier runs made of it. */
function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const ofPlace = (cell: Cell): string => placeOf(plan, cell);
  const rounds = orderLoads(cells, ofPlace, plan.repetitions, plan.seed, blocksPerRound(plan));
  const order = leadFirst(rounds, cells, ofPlace, plan.lead_blocks ?? 0);
  return plannedTasks(order, cells, plan.retries, results.loadsOf(sweep.id));
}

/** Of what the loads are expected to take: as much again repeats those whose link was held up, and a sweep stays nearly as short. */
const retryShare = 0.25;

/** How a load ends that counts. */
export const counted = ["valid"] as const;

export interface PageRunnerOptions
  extends Requesting,
    Omit<RunnerOptions<Cell>, "sweep" | "tasks" | "isEnough" | "timeLimit"> {
  readonly sweep: Sweep;
  readonly measure: Measure;
  /** Films further loads of each cell, after all others. Without it nothing is filmed. */
  readonly film?: FilmLoad;
  readonly tell: (
    event: SweepStarted | BrowserChanged | SweepPaused | LoadStarted | LoadFinished | FilmStarted | FilmFinished,
  ) => void;
}

interface LoadAttempt extends EndedAttempt {
  readonly load: PageLoad;
}

function eventPlace({ cell: { page, lane, link }, planned: { position, block } }: Task, attempt: number) {
  return { position, page, lane, link, block, attempt };
}

/** With its status and reasons as they were judged. */
function loadOf({ load: { log }, status, reasons }: LoadAttempt): PageLoad {
  return { log: { ...log, _trilane: { ...log._trilane, status, reasons: [...reasons] } } };
}

/** The loads from which a race is resumed; of many pages and links they would be too many to report. */
function loadsBefore(tasks: readonly Task[], loads: readonly Load[]): Pick<SweepStarted, "before"> {
  const places = new Set(tasks.map(({ cell: { page, link } }) => JSON.stringify([page, link])));
  if (places.size > 1) return {};
  const valid = loads.filter(({ status }) => status === "valid");
  return { before: valid.map(({ page, link, lane, plt_ms }) => ({ page, link, lane, plt_ms })) };
}

/**
 * Runs until every planned load has a valid attempt, has timed out or has used up its attempts, or until the signal. If the plan says when
 * loads are enough, the rest of a lane's on a page and link is no longer planned then.
 */
export function runPageLoads(options: PageRunnerOptions): Promise<RunOutcome> {
  const { results, sweep, plan, resumed, measure, film, guess_ms, tell } = options;
  const stored = results.loadsOf(sweep.id);
  const tasks = tasksOf(results, sweep, plan);
  const stoppingRule = pageRule(plan, stored);
  const uncovered = new UncoveredPages(plan.lanes, stored);
  const browser = new BrowserVersion(results, sweep);
  const toFilm = film ? unfilmedCells(results, sweep, plan.films ?? 1) : [];
  const run = {
    ...{ ...options, tasks },
    isEnough: ({ cell, planned }: Task) =>
      stoppingRule.isEnough(cell, planned.block) || uncovered.cannotCount(cell.page),
    ...(plan.time_limit_s === undefined ? {} : { timeLimit: { most_s: plan.time_limit_s, stored } }),
  };
  return runTasks<Cell, LoadAttempt>(run, {
    starting: {
      lanes: [...new Set(tasks.map(({ cell }) => cell.lane))],
      runs: plan.repetitions,
      ...(resumed ? loadsBefore(tasks, stored) : {}),
    },
    retries: { for_s: plan.retry_for_s, share: retryShare },
    ...{ counted, tell },
    placeOf: (cell) => placeOf(plan, cell),
    roundOf: (block) => roundOf(plan, block),
    evidenceNames: ({ page, link, lane }) => ({ folders: [page, link], variant: lane }),
    began: (task) => tell({ event: "load-started", ...eventPlace(task, task.attempts) }),
    attempt: async ({ cell, planned: { block } }, { signal, cpus, evidence }) => {
      const load = await measure({ ...loadRequest({ ...options, signal }, cell, block), cpus, evidence });
      const { status, reasons, wall_ms } = load.log._trilane;
      return { status, reasons, wall_ms, load };
    },
    store: (row, made) => results.recordLoad({ ...row, load: loadOf(made) }),
    ended: (task, made, { attempt, row, done, all, left_s }) => {
      const { status, reasons, wall_ms, load } = made;
      // As it is stored, so that the rule goes by what the answer and a resumed run go by.
      if (plan.until) stoppingRule.add(results.loadOf(row));
      uncovered.add({ ...task.cell, status, reasons });
      const changed = browser.after(load, row, { ...task.cell, ...task.planned });
      if (changed) tell(changed);
      tell({
        event: "load-finished",
        ...eventPlace(task, attempt),
        ...{ load: row, status, reasons: [...reasons], plt_ms: load.log._trilane.metrics.plt_ms, wall_ms },
        ...{ done, loads: all, left_s },
      });
    },
    ...(film
      ? {
          after: {
            guess_ms: toFilm.reduce((sum, cell) => sum + guess_ms(cell), 0),
            run: (control) => filmCells({ ...options, film, ...control }, toFilm),
          },
        }
      : {}),
  });
}
