// Runs a sweep's loads one after another in the planned order, stores each as it ends, tries again what was not valid,
// and goes on where an earlier run stopped. Does not know how a load is measured, nor how progress is shown.
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
import { Admission, type AdmissionOptions } from "../../../engine/admission.ts";
import type { AskedToEnd } from "../../../engine/asked_to_end.ts";
import { retryWhileBlocked, type Waiting } from "../../../engine/blocking_conditions.ts";
import type { Labs } from "../../../engine/labs.ts";
import type { LinkTests } from "../../../engine/link_tests.ts";
import { RetryBudget } from "../../../engine/retry_budget.ts";
import { runSideBySide } from "../../../engine/side_by_side.ts";
import { TimeSpent } from "../../../engine/time_spent.ts";
import type { Cell, Results, Sweep } from "../../../results/store/results.ts";
import { TimeLeft } from "../../../sweep/plan/estimate.ts";
import { type Attempting, attemptLoad } from "./attempt.ts";
import { BrowserVersion } from "./browser_version.ts";
import { type FilmLoad, filmCells, unfilmedCells } from "./films.ts";
import { StoppingRule } from "./stopping_rule.ts";
import { linksOf, type Task, tasksOf, type Unit, unitsOf } from "./tasks.ts";
import { UncoveredPages } from "./uncovered_pages.ts";

export type { LoadRequest, Measure } from "./request.ts";

/** Of what the loads are expected to take: as much again repeats those whose link was held up, and a sweep stays nearly as short. */
const retryShare = 0.25;

const oneLab: Labs = { most: 1, mayShare: () => false };

export interface RunOptions extends Attempting {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly resumed: boolean;
  /**
   * Whether links are what they are asked to be. Loads over one that is not are deferred to the run's end; where it is not
   * then either, they are run, do not count, and are not tried again in this run: the link is what it is.
   */
  readonly links?: LinkTests | null;
  /** Asked before each load: why the run is to end; null: it is not. */
  readonly askedToEnd?: AskedToEnd;
  /** How long the run may go on yet; 0 or less: it ends as at the plan's time_limit_s, with what it has. Default: as long as it takes. */
  readonly most_ms?: () => number;
  /** How many loads may run side by side, and on which links. Default: one after another. */
  readonly labs?: Labs;
  /** In tests: how busy the machine is. */
  readonly machine?: AdmissionOptions["machine"];
  /** In tests: waits. */
  readonly pause?: (time_ms: number) => Promise<void>;
  /** In tests: a monotonic clock. */
  readonly now_ms?: () => number;
  /** A guess at a load's wall time. */
  readonly guess_ms: (cell: Cell) => number;
  /** Films further loads of each cell, after all others. Without it nothing is filmed. */
  readonly film?: FilmLoad;
  readonly tell: (
    event: SweepStarted | BrowserChanged | SweepPaused | LoadStarted | LoadFinished | FilmStarted | FilmFinished,
  ) => void;
}

export interface RunOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  /** Loads planned, without those that were not needed. */
  readonly all: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
  /** Planned loads that were not begun, or not tried again, in the time there was. */
  readonly cut: number;
  /** Why it was to end early; null where it was not, or was stopped by the signal alone. */
  readonly asked: string | null;
}

/**
 * Runs until every planned load has a valid attempt, has timed out or has used up its attempts, or until the signal. Loads whose
 * link the machine held up are repeated for as long as the plan's retry_for_s allows. Where the plan says when
 * loads are enough, the rest of a lane's on a page and link is no longer planned then.
 */
export function runSweep(options: RunOptions): Promise<RunOutcome> {
  return new SweepRun(options).run();
}

class SweepRun {
  readonly #options: RunOptions;
  /** A load that throws what would fail every load ends those beside it too. */
  readonly #failure = new AbortController();
  readonly #signal: AbortSignal;
  readonly #tasks: readonly Task[];
  readonly #left: readonly Task[];
  readonly #toFilm: readonly Cell[];
  readonly #time: TimeLeft;
  readonly #stoppingRule: StoppingRule;
  readonly #uncovered: UncoveredPages;
  readonly #skipped = new Set<Task>();
  /** Of links that loads may not count on now. */
  readonly #faults = new Map<string, string>();
  #deferred: Unit[] = [];
  readonly #admission: Admission;
  readonly #freeLabs: number[];
  #running = 0;
  readonly #browser: BrowserVersion;
  #loads: number;
  #done: number;
  #cut = 0;
  #wall_ms = 0;
  readonly #retries: RetryBudget;
  #asked: string | null = null;
  readonly #spent: TimeSpent;
  readonly #waiting: Waiting;

  constructor(options: RunOptions) {
    const { results, sweep, plan, guess_ms, signal, film, labs = oneLab } = options;
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#failure.signal]);
    const tell = (reason: string): void => options.tell({ event: "sweep-paused", sweep: sweep.id, reason });
    const waiting = { signal: this.#signal, tell, ...(options.pause ? { pause: options.pause } : {}) };
    this.#waiting = { ...waiting, mustEnd: () => this.#mustEnd() };
    this.#admission = new Admission({
      most: labs.most,
      ...waiting,
      ...(options.machine ? { machine: options.machine } : {}),
    });
    this.#freeLabs = Array.from({ length: labs.most }, (_, lab) => lab);
    this.#tasks = tasksOf(results, sweep, plan);
    this.#left = this.#tasks.filter((task) => !task.isDone(true));
    this.#toFilm = film ? unfilmedCells(results, sweep, plan.films ?? 1) : [];
    const guesses_ms = [...this.#left.map(({ cell }) => cell), ...this.#toFilm].map(guess_ms);
    this.#time = new TimeLeft(
      guesses_ms.reduce((sum, guess) => sum + guess, 0),
      options.most_ms,
    );
    this.#retries = new RetryBudget(plan.retry_for_s, this.#time.left_ms, retryShare);
    this.#stoppingRule = new StoppingRule(plan, results.loadsOf(sweep.id));
    this.#uncovered = new UncoveredPages(plan.lanes, results.loadsOf(sweep.id));
    this.#browser = new BrowserVersion(results, sweep);
    this.#spent = new TimeSpent(results.loadsOf(sweep.id), options.now_ms ?? (() => performance.now()));
    this.#loads = this.#tasks.length;
    this.#done = this.#tasks.length - this.#left.length;
  }

  async run(): Promise<RunOutcome> {
    const { results, sweep, plan, resumed, tell, film, labs = oneLab } = this.#options;
    tell({
      event: "sweep-started",
      sweep: sweep.id,
      name: sweep.name,
      cells: new Set(this.#tasks.map((task) => task.cell.id)).size,
      loads: this.#loads,
      done: this.#done,
      resumed,
      expected_s: this.#time.left_ms / 1000,
      lanes: [...new Set(this.#tasks.map(({ cell }) => cell.lane))],
      runs: plan.repetitions,
      ...this.#before(),
    });
    const loaded =
      (await this.#runUnits(unitsOf(this.#left, this.#options.plan, labs.most > 1 ? labs.mayShare : null), false)) &&
      (await this.#runDeferred());
    const filming = {
      ...this.#options,
      linkFault: (link: string) => this.#askLink(link),
      mustEnd: () => this.#mustEnd(),
      isTimeUp: () => this.#isTimeUp(),
      mayRepeat: () => this.#retries.mayRepeat,
      waiting: this.#waiting,
      admit: () => this.#waitForCalm(),
      signal: this.#signal,
    };
    const watched = film && this.#watched(film);
    const filmed = loaded && (!watched || (await filmCells({ ...filming, film: watched }, this.#toFilm, this.#time)));
    const finished = filmed && (await retryWhileBlocked(() => results.finishSweep(sweep.id), this.#waiting)) !== null;
    const state = finished ? "finished" : "stopped";
    return { state, done: this.#done, all: this.#loads, cut: this.#cut, wall_ms: this.#wall_ms, asked: this.#asked };
  }

  /** The loads that a race goes on from; of many pages and links they would be too many to tell. */
  #before(): Pick<SweepStarted, "before"> {
    const { results, sweep, resumed } = this.#options;
    const places = new Set(this.#tasks.map(({ cell: { page, link } }) => JSON.stringify([page, link])));
    if (!resumed || places.size > 1) return {};
    const valid = results.loadsOf(sweep.id).filter(({ status }) => status === "valid");
    return { before: valid.map(({ page, link, lane, plt_ms }) => ({ page, link, lane, plt_ms })) };
  }

  /** What counts of a load counts of one that is filmed, too: its time, and whether it was starved. */
  #watched(film: FilmLoad): FilmLoad {
    return async (request) => {
      const filmed = await this.#spent.during(() => film(request));
      const { reasons, wall_ms } = filmed.load.log._trilane;
      this.#admission.ended(filmed.load.log._trilane, false);
      this.#retries.ended(reasons, wall_ms);
      return filmed;
    };
  }

  async #waitForCalm(): Promise<void> {
    if (!this.#retries.mayRepeat) return;
    const isAlone = this.#running <= 1;
    this.#retries.waited(await this.#admission.admitCalm(() => !this.#mustEnd(), isAlone));
  }

  /** Nothing more is to be started. */
  #mustEnd(): boolean {
    this.#asked ??= this.#options.askedToEnd?.() ?? null;
    return this.#signal.aborted || this.#asked !== null;
  }

  #isOver(): boolean {
    return (this.#options.most_ms?.() ?? 1) <= 0;
  }

  /** Whether the sweep's loads have had the time that its plan gives them, over all runs; films, in this run. Or this run has had its own. */
  #isTimeUp(): boolean {
    if (this.#isOver()) return true;
    const { time_limit_s } = this.#options.plan;
    return time_limit_s !== undefined && this.#spent.spent_ms >= time_limit_s * 1000;
  }

  /** False: stopped. */
  #runUnits(units: readonly Unit[], last: boolean): Promise<boolean> {
    const { links, labs = oneLab } = this.#options;
    return runSideBySide(units, {
      most: () => this.#admission.most,
      admit: async (isBeside) => void (await this.#admission.admit(isBeside)),
      mayShare: (unit) => linksOf(unit).every((cell) => labs.mayShare(cell.link_profile)),
      // A link is measured while no load runs beside it.
      needsQuiet: (unit) => linksOf(unit).some(({ link }) => links?.isDue(link, last) ?? false),
      prepare: async (unit) => {
        for (const { link } of linksOf(unit)) await this.#prepare(link, last);
      },
      run: (unit) => this.#runUnit(unit, last),
      fail: () => this.#failure.abort(),
    });
  }

  /** Once more what waited for its link, in the planned order. */
  async #runDeferred(): Promise<boolean> {
    const waiting = this.#deferred.toSorted((a, b) => a[0].planned.position - b[0].planned.position);
    return this.#runUnits(waiting, true);
  }

  async #askLink(link: string, last = false): Promise<string | null> {
    const fault = (await this.#options.links?.faultOf(link, last)) ?? null;
    if (fault === null) this.#faults.delete(link);
    else this.#faults.set(link, fault);
    return fault;
  }

  async #prepare(link: string, last: boolean): Promise<void> {
    if (this.#mustEnd() || this.#isTimeUp()) return;
    try {
      await this.#waitForCalm();
      await this.#askLink(link, last);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  /** False: stopped. */
  async #runUnit(unit: Unit, last: boolean): Promise<boolean> {
    if (this.#mustEnd()) return false;
    if (this.#isTimeUp()) {
      this.#cutOff(unit);
      return true;
    }
    if (!last && linksOf(unit).some(({ link }) => this.#faults.has(link))) {
      this.#deferred.push(unit);
      return true;
    }
    for (const task of unit) if (!this.#skipped.has(task) && this.#isPointless(task)) this.#skipFrom(task);
    const lab = this.#freeLabs.shift() ?? 0;
    this.#running++;
    try {
      for (const task of unit) {
        if (this.#isOver()) this.#cutOff([task]);
        if (this.#skipped.has(task)) continue;
        const end = await this.#runTask(task, lab, last);
        if (end === "deferred") this.#deferred.push(unit);
        if (end !== "done") return end === "deferred";
      }
      return true;
    } finally {
      this.#running--;
      this.#freeLabs.unshift(lab);
    }
  }

  #cutOff(tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (this.#skipped.has(task) || this.#isDone(task)) continue;
      this.#skip(task);
      this.#cut++;
    }
  }

  #isPointless({ cell, planned }: Task): boolean {
    return this.#stoppingRule.isEnough(cell, planned.block) || this.#uncovered.cannotCount(cell.page);
  }

  /** The rest of a cell is no longer planned. */
  #skipFrom(from: Task): void {
    for (const task of this.#left) {
      const isLater = task.planned.position >= from.planned.position && task.cell.id === from.cell.id;
      if (isLater && !this.#isDone(task) && !this.#skipped.has(task)) this.#skip(task);
    }
  }

  #isDone(task: Task): boolean {
    return task.isDone(this.#retries.mayRepeat);
  }

  #skip(task: Task): void {
    this.#skipped.add(task);
    this.#loads--;
    this.#time.skipped(this.#options.guess_ms(task.cell));
  }

  /** All attempts of a planned load; if its link was held up in them, the last one is kept for the run's end. */
  async #runTask(task: Task, lab: number, last: boolean): Promise<"done" | "stopped" | "deferred"> {
    const { cell, planned } = task;
    const { tell, labs = oneLab } = this.#options;
    const { page, lane, link } = cell;
    const fault = this.#faults.get(link) ?? null;
    for (let isLast = task.isDone(true); !isLast; ) {
      const place = { position: planned.position, page, lane, link, block: planned.block, attempt: task.attempts };
      await this.#waitForCalm();
      if (this.#mustEnd()) return "stopped";
      tell({ event: "load-started", ...place });
      const started_at = new Date().toISOString();
      const others = this.#running - 1;
      // Alone, a lab has the whole machine.
      const cpus = (others > 0 || labs.mayShare(cell.link_profile)) && labs.cpus ? labs.cpus[lab] : undefined;
      const options = { ...this.#options, signal: this.#signal };
      const asked = { cell, block: place.block, attempt: place.attempt, cpus, fault };
      const attempted = await retryWhileBlocked(
        () => this.#spent.during(() => attemptLoad(options, asked)),
        this.#waiting,
      );
      const judged = attempted?.written;
      if (!judged) return "stopped";
      this.#admission.ended(judged.log._trilane, Math.max(others, this.#running - 1) > 0);
      const stored = await this.#store(task, judged, fault !== null, started_at);
      if (stored === null) return "stopped";
      const { load } = stored;
      isLast = stored.isLast;
      const changed = this.#browser.after(judged, load, place);
      if (changed) tell(changed);
      const { status, reasons, metrics, wall_ms } = judged.log._trilane;
      tell({
        event: "load-finished",
        ...place,
        load,
        status,
        reasons,
        plt_ms: metrics.plt_ms,
        wall_ms,
        done: this.#done,
        loads: this.#loads,
        left_s: this.#time.left_ms / 1000,
      });
      if (isLast) continue;
      if (this.#isOver()) {
        this.#cutOff([task]);
        return "done";
      }
      if (!last && task.isForLater()) return "deferred";
    }
    return "done";
  }

  /**
   * Its number in the results, and whether it is not tried again. While the disk is full it is held; null: stopped before there
   * was room. `isFinal`: it is not tried again, whatever it came to.
   */
  async #store(
    task: Task,
    load: PageLoad,
    isFinal: boolean,
    started_at: string,
  ): Promise<{ readonly load: number; readonly isLast: boolean } | null> {
    const { results, guess_ms, plan } = this.#options;
    const { cell, planned, attempts: attempt } = task;
    const { position, block } = planned;
    const row = { cell: cell.id, block, attempt, position, started_at, load };
    const stored = await retryWhileBlocked(() => results.recordLoad(row), this.#waiting);
    if (stored === null) return null;
    const { status, reasons, wall_ms } = load.log._trilane;
    task.add(attempt, load.log._trilane);
    this.#retries.ended(reasons, wall_ms);
    // As it is stored, so that the rule goes by what the answer and a resumed run go by.
    if (plan.until) this.#stoppingRule.add(results.loadOf(stored.written));
    this.#uncovered.add({ ...cell, status, reasons });
    this.#wall_ms += wall_ms;
    const isLast = isFinal || this.#isDone(task);
    this.#time.ended(guess_ms(cell), wall_ms, isLast);
    if (isLast) this.#done++;
    return { load: stored.written, isLast };
  }
}
