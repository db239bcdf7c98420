// Runs a plan's tasks in the planned order, for every instrument: tests a link before what needs it, waits for a calm machine, stores each
// attempt as it ends, tries again what the machine disturbed, stops when there is enough or the time is over, and resumes where an earlier
// run stopped. Tasks run one after another, or side by side in several labs. How one attempt is made, stored and reported is the instrument's
// (Measuring).
import { TimeLeft } from "../sweep/plan/estimate.ts";
import { Admission } from "./admission.ts";
import { retryWhileBlocked, type Waiting } from "./blocking_conditions.ts";
import { evidenceFolders } from "./evidence_folder.ts";
import type { Labs } from "./labs.ts";
import type { EndedAttempt, Measuring, RunControl, RunnerCell, RunnerOptions, RunOutcome, Unit } from "./measuring.ts";
import type { PlannedTask } from "./planned_task.ts";
import { RetryBudget } from "./retry_budget.ts";
import { expectedWidths, runSideBySide } from "./side_by_side.ts";
import { TimeSpent } from "./time_spent.ts";

const oneLab: Labs = { most: 1, mayShare: () => false };

/** Runs until every task has an outcome that counts, is not needed or has used up its attempts, until the time is over, or until the signal. */
export function runTasks<Cell extends RunnerCell, Made extends EndedAttempt>(
  options: RunnerOptions<Cell>,
  measuring: Measuring<Cell, Made>,
): Promise<RunOutcome> {
  return new Runner(options, measuring).run();
}

class Runner<Cell extends RunnerCell, Made extends EndedAttempt> {
  readonly #options: RunnerOptions<Cell>;
  readonly #measuring: Measuring<Cell, Made>;
  readonly #labs: Labs;
  /** An attempt that throws what would fail every attempt ends those beside it too. */
  readonly #failure = new AbortController();
  readonly #signal: AbortSignal;
  readonly #admission: Admission;
  readonly #waiting: Waiting;
  readonly #left: readonly PlannedTask<Cell>[];
  readonly #units: readonly Unit<Cell>[];
  /** How many tasks are expected to run at a time while this one does. */
  readonly #widths: ReadonlyMap<PlannedTask<Cell>, number>;
  readonly #time: TimeLeft;
  readonly #spent: TimeSpent;
  readonly #retries: RetryBudget;
  readonly #skipped = new Set<PlannedTask<Cell>>();
  /** Of links over which attempts do not count now. */
  readonly #faults = new Map<string | null, string>();
  readonly #freeLabs: number[];
  readonly #evidenceOf: ((cell: Cell, block: number, attempt: number) => string) | null;
  #deferred: Unit<Cell>[] = [];
  #running = 0;
  #done: number;
  #all: number;
  #cut = 0;
  #wall_ms = 0;
  #endReason: string | null = null;

  constructor(options: RunnerOptions<Cell>, measuring: Measuring<Cell, Made>) {
    const { sweep, signal, tasks, pause, machine, guess_ms, labs = oneLab, timeLimit, now_ms, evidence } = options;
    const { after, retries } = measuring;
    this.#options = options;
    this.#measuring = measuring;
    this.#labs = labs;
    this.#signal = AbortSignal.any([signal, this.#failure.signal]);
    const tell = (reason: string): void => measuring.tell({ event: "sweep-paused", sweep: sweep.id, reason });
    const waiting = { signal: this.#signal, tell, ...(pause ? { pause } : {}) };
    this.#waiting = { ...waiting, mustEnd: () => this.#mustEnd() };
    this.#admission = new Admission({ most: labs.most, ...waiting, ...(machine ? { machine } : {}) });
    this.#freeLabs = Array.from({ length: labs.most }, (_, lab) => lab);
    const cells = tasks.map(({ cell }) => cell);
    this.#evidenceOf = evidence === undefined ? null : evidenceFolders(evidence, sweep, cells, measuring.evidenceNames);
    this.#left = tasks.filter((task) => !task.isDone(true));
    this.#units = this.#unitsOf(this.#left);
    const widths = expectedWidths(this.#units, labs.most, (unit) => this.#mayShare(unit));
    this.#widths = new Map(
      this.#units.flatMap((unit, index) => unit.map((task) => [task, widths[index] ?? 1] as const)),
    );
    const guess = this.#left.reduce((sum, task) => sum + this.#guess_ms(task), after?.guess_ms ?? 0);
    this.#time = new TimeLeft(guess, options.most_ms);
    // Lost time is that of attempts, however many run at a time.
    const expected_ms = this.#left.reduce((sum, { cell }) => sum + guess_ms(cell), after?.guess_ms ?? 0);
    this.#spent = new TimeSpent(timeLimit?.stored ?? [], now_ms ?? (() => performance.now()));
    this.#retries = new RetryBudget(
      retries?.for_s,
      Math.min(expected_ms, options.most_ms?.() ?? Number.POSITIVE_INFINITY),
      retries?.share,
    );
    this.#all = tasks.length;
    this.#done = tasks.length - this.#left.length;
  }

  async run(): Promise<RunOutcome> {
    const { results, sweep, resumed, tasks } = this.#options;
    const { starting, tell, after } = this.#measuring;
    tell({
      event: "sweep-started",
      sweep: sweep.id,
      name: sweep.name,
      cells: new Set(tasks.map(({ cell }) => cell.id)).size,
      loads: this.#all,
      done: this.#done,
      resumed,
      expected_s: this.#time.left_ms / 1000,
      ...starting,
    });
    const ran =
      (await this.#runUnits(this.#units, false)) &&
      (await this.#runDeferred()) &&
      (after === undefined || (await after.run(this.#control())));
    const finished = ran && (await retryWhileBlocked(() => results.finishSweep(sweep.id), this.#waiting)) !== null;
    const [done, all, cut, wall_ms, endReason] = [this.#done, this.#all, this.#cut, this.#wall_ms, this.#endReason];
    return { state: finished ? "finished" : "stopped", done, all, cut, wall_ms, endReason };
  }

  /** In the planned order; side by side, within a round the links first that may share the machine. */
  #unitsOf(tasks: readonly PlannedTask<Cell>[]): Unit<Cell>[] {
    const { placeOf, roundOf } = this.#measuring;
    const isBeside = this.#labs.most > 1;
    if (!isBeside && !roundOf) return tasks.map((task) => [task]);
    const roundOfTask = ({ planned: { block } }: PlannedTask<Cell>): number => roundOf?.(block) ?? block;
    const groups = Map.groupBy(tasks, (task) => `${roundOfTask(task)} ${placeOf(task.cell)}`);
    const units = [...groups.values()] as unknown as Unit<Cell>[];
    if (!isBeside) return units;
    const isAlone = (unit: Unit<Cell>): number => Number(!this.#mayShare(unit));
    return units.toSorted((a, b) => roundOfTask(a[0]) - roundOfTask(b[0]) || isAlone(a) - isAlone(b));
  }

  /** What a task adds to the time left: several that run at a time share it. */
  #guess_ms(task: PlannedTask<Cell>): number {
    return this.#options.guess_ms(task.cell) / (this.#widths.get(task) ?? 1);
  }

  #mayShare(unit: Unit<Cell>): boolean {
    const profiles = [...new Map(unit.map(({ cell }) => [cell.link, cell.link_profile])).values()];
    return profiles.every((profile) => profile !== null && this.#labs.mayShare(profile));
  }

  #control(): RunControl {
    return {
      ...{ signal: this.#signal, waiting: this.#waiting, time: this.#time },
      mustEnd: () => this.#mustEnd(),
      isTimeUp: () => this.#isTimeUp(),
      mayRepeat: () => this.#retries.mayRepeat,
      waitForCalm: () => this.#waitForCalm(),
      linkFault: (link) => this.#testLink(link, false),
      counted: async (attempt) => {
        const made = await this.#spent.during(attempt);
        this.#admission.ended(made, false);
        this.#retries.ended(made.reasons, made.wall_ms);
        return made;
      },
    };
  }

  /** Nothing more is to be started. */
  #mustEnd(): boolean {
    this.#endReason ??= this.#options.earlyEnd?.() ?? null;
    return this.#signal.aborted || this.#endReason !== null;
  }

  /** Whether this run has had its own time. */
  #isOver(): boolean {
    return (this.#options.most_ms?.() ?? 1) <= 0;
  }

  /** Or the sweep's attempts have had, over all runs, the time that its plan gives them. */
  #isTimeUp(): boolean {
    const { timeLimit } = this.#options;
    return this.#isOver() || (timeLimit !== undefined && this.#spent.spent_ms >= timeLimit.most_s * 1000);
  }

  async #waitForCalm(): Promise<void> {
    if (!(this.#measuring.waitsForCalm ?? true) || !this.#retries.mayRepeat) return;
    this.#retries.waited(await this.#admission.admitCalm(() => !this.#mustEnd(), this.#running <= 1));
  }

  /** False: stopped. */
  #runUnits(units: readonly Unit<Cell>[], last: boolean): Promise<boolean> {
    const { links } = this.#options;
    return runSideBySide(units, {
      most: () => this.#admission.most,
      admit: async (isBeside) => void (await this.#admission.admit(isBeside)),
      mayShare: (unit) => this.#mayShare(unit),
      // A link is measured while nothing runs beside it.
      needsQuiet: (unit) => linksOf(this.#wanted(unit)).some((link) => links?.isDue(link, last) ?? false),
      prepare: (unit) => this.#prepare(this.#wanted(unit), last),
      run: (unit) => this.#runUnit(unit, last),
      fail: () => this.#failure.abort(),
    });
  }

  /** Once more what waited for its link or for a quieter machine, in the planned order. */
  #runDeferred(): Promise<boolean> {
    const waiting = this.#deferred.toSorted((a, b) => a[0].planned.position - b[0].planned.position);
    return this.#runUnits(waiting, true);
  }

  /** Why what goes over the link does not count; null: it does. */
  async #testLink(link: string, last: boolean): Promise<string | null> {
    const fault = (await this.#options.links?.faultOf(link, last)) ?? null;
    if (fault === null) this.#faults.delete(link);
    else this.#faults.set(link, fault);
    return fault;
  }

  #wanted(unit: Unit<Cell>): PlannedTask<Cell>[] {
    return unit.filter((task) => !this.#skipped.has(task));
  }

  async #prepare(unit: readonly PlannedTask<Cell>[], last: boolean): Promise<void> {
    if (unit.length === 0 || this.#mustEnd() || this.#isTimeUp()) return;
    try {
      await this.#waitForCalm();
      for (const link of linksOf(unit)) await this.#testLink(link, last);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  /** False: stopped. */
  async #runUnit(unit: Unit<Cell>, last: boolean): Promise<boolean> {
    if (this.#mustEnd()) return false;
    if (this.#isTimeUp()) {
      this.#cutOff(unit);
      return true;
    }
    if (!last && unit.some(({ cell }) => this.#faults.has(cell.link))) {
      this.#deferred.push(unit);
      return true;
    }
    // Not before it is deferred: what a rule has decided about a block it does not decide again.
    for (const task of unit) if (!this.#skipped.has(task) && this.#options.isEnough?.(task)) this.#skipFrom(task);
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

  #isDone(task: PlannedTask<Cell>): boolean {
    return task.isDone(this.#retries.mayRepeat);
  }

  /** The rest of a cell is no longer planned. */
  #skipFrom({ cell, planned }: PlannedTask<Cell>): void {
    for (const task of this.#left)
      if (task.cell.id === cell.id && task.planned.position >= planned.position && !this.#isDone(task))
        this.#skip(task);
  }

  #cutOff(tasks: readonly PlannedTask<Cell>[]): void {
    for (const task of tasks) if (!this.#isDone(task) && this.#skip(task)) this.#cut++;
  }

  /** False: it was skipped already. */
  #skip(task: PlannedTask<Cell>): boolean {
    if (this.#skipped.has(task)) return false;
    this.#skipped.add(task);
    this.#all--;
    this.#time.skipped(this.#guess_ms(task));
    return true;
  }

  /** All attempts of a task; if the machine was too busy for them, the last one is kept for the end. */
  async #runTask(task: PlannedTask<Cell>, lab: number, last: boolean): Promise<"done" | "stopped" | "deferred"> {
    const measuring = this.#measuring;
    const { cell } = task;
    const fault = this.#faults.get(cell.link) ?? null;
    for (let isLast = task.isDone(true); !isLast; ) {
      const attempt = task.attempts;
      await this.#waitForCalm();
      const turn_ms = await this.#waitForTurn(task);
      if (this.#mustEnd()) return "stopped";
      measuring.began(task);
      const started_at = new Date().toISOString();
      const others = this.#running - 1;
      const made = await this.#attempt(task, lab);
      if (made === null) return "stopped";
      const judged = fault === null ? made : this.#spoiled(made, fault);
      const beside = Math.max(others, this.#running - 1);
      this.#admission.ended(judged, beside > 0);
      const { status, reasons, wall_ms } = judged;
      const place = { cell: cell.id, block: task.planned.block, attempt };
      const row = { ...place, position: task.planned.position, status, reasons, started_at, wall_ms };
      const stored = await retryWhileBlocked(() => measuring.store(row, judged), this.#waiting);
      if (stored === null) return "stopped";
      task.add(attempt, judged);
      this.#retries.ended(judged.reasons, judged.wall_ms);
      this.#wall_ms += judged.wall_ms;
      isLast = fault !== null || this.#isDone(task);
      this.#time.ended(this.#guess_ms(task), (turn_ms + judged.wall_ms) / (beside + 1), isLast);
      if (isLast) this.#done++;
      const left_s = this.#time.left_ms / 1000;
      measuring.ended(task, judged, { attempt, row: stored.written, done: this.#done, all: this.#all, left_s });
      if (isLast) continue;
      if (this.#isOver()) {
        this.#cutOff([task]);
        return "done";
      }
      if (!last && task.isForLater()) return "deferred";
    }
    return "done";
  }

  /** How long that took. */
  async #waitForTurn(task: PlannedTask<Cell>): Promise<number> {
    const { waitForTurn } = this.#measuring;
    if (!waitForTurn) return 0;
    const { now_ms = () => performance.now() } = this.#options;
    const begun_ms = now_ms();
    await waitForTurn(task);
    return now_ms() - begun_ms;
  }

  /** Undefined: all. Alone, a lab has the whole machine. */
  #cpusOf({ link_profile }: Cell, lab: number): readonly number[] | undefined {
    const shares = this.#running > 1 || (link_profile !== null && this.#labs.mayShare(link_profile));
    return shares ? this.#labs.cpus?.[lab] : undefined;
  }

  /** An attempt over a link that is not what it should be does not count, however it went. */
  #spoiled(made: Made, fault: string): Made {
    const status = this.#measuring.counted.includes(made.status) ? "invalid" : made.status;
    return { ...made, status, reasons: [...made.reasons, fault] };
  }

  /** Null for an attempt that the signal cut off, or that had no room until it was to end. */
  async #attempt(task: PlannedTask<Cell>, lab: number): Promise<Made | null> {
    const { cell, planned, attempts } = task;
    const signal = this.#signal;
    const evidence = this.#evidenceOf?.(cell, planned.block, attempts);
    const terms = { signal, cpus: this.#cpusOf(cell, lab), evidence };
    try {
      const attempt = () => this.#measuring.attempt(task, terms);
      const made = await retryWhileBlocked(() => this.#spent.during(attempt), this.#waiting);
      // Ctrl-C on a terminal reaches a lab's processes too: one turn of the event loop, so that our own handler has run.
      await new Promise((resolve) => setImmediate(resolve));
      return signal.aborted ? null : (made?.written ?? null);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }
}

/** The links that a unit's attempts run over. */
function linksOf<Cell extends RunnerCell>(unit: readonly PlannedTask<Cell>[]): string[] {
  return [...new Set(unit.flatMap(({ cell }) => cell.link ?? []))];
}
