// Runs a plan's tasks one after another in the planned order, each alone on the machine: tests a link before what needs it,
// stores each attempt as it ends, tries again what the machine disturbed, and goes on where an earlier run of the sweep stopped.
// What a task is, how it is run and what of it is stored is its kind's: the instruments’. Loads of pages
// run side by side and have a runner of their own (cli/instruments/page/run/runner.ts).
import type { SweepPaused, SweepStarted } from "../../schemas/generated/sweep_event.ts";
import type { Results } from "../results/store/results.ts";
import { TimeLeft } from "../sweep/plan/estimate.ts";
import { Admission, type AdmissionOptions } from "./admission.ts";
import type { AskedToEnd } from "./asked_to_end.ts";
import { retryWhileBlocked, type Waiting } from "./blocking_conditions.ts";
import type { LinkTests } from "./link_tests.ts";
import type { Attempt, PlannedTask } from "./planned_task.ts";
import { RetryBudget } from "./retry_budget.ts";

interface OrderedCell {
  readonly id: number;
  /** null: the network as it is. */
  readonly link: string | null;
}

/** An attempt that ended by itself. */
interface EndedAttempt extends Attempt {
  readonly wall_ms: number;
}

/** What the runners of all kinds are told. */
export interface OrderedOptions<Cell extends OrderedCell> {
  readonly results: Results;
  readonly sweep: { readonly id: number; readonly name: string };
  readonly resumed: boolean;
  /** In the planned order, with what is stored of each. */
  readonly tasks: readonly PlannedTask<Cell>[];
  /** A guess at a task's wall time. */
  readonly guess_ms: (cell: Cell) => number;
  /** Whether links are what they are asked to be; tasks over others wait for the end, and do not count then. Without: none is tested. */
  readonly links?: LinkTests | null;
  readonly askedToEnd?: AskedToEnd;
  /** Whether what there is suffices, so that no further task is begun and the sweep is finished. Default: all tasks are run. */
  readonly isEnough?: () => boolean;
  /** Aborted: the attempt under way is dropped. */
  readonly signal: AbortSignal;
  /** In tests. */
  readonly machine?: AdmissionOptions["machine"];
  readonly pause?: (time_ms: number) => Promise<void>;
}

/** How a kind of task is run, stored and told of. */
interface TaskKind<Cell extends OrderedCell, Made extends EndedAttempt> {
  readonly kind: NonNullable<SweepStarted["kind"]>;
  /** False: on the network as it is the machine is the least that disturbs. */
  readonly waitsForCalm: boolean;
  readonly tell: (event: SweepStarted | SweepPaused) => void;
  /** After the machine was calm, before anything starts: whom else an attempt waits for. */
  readonly waitForTurn?: (task: PlannedTask<Cell>) => Promise<void>;
  readonly tellStart: (task: PlannedTask<Cell>) => void;
  /** A full disk throws, and is tried again. */
  readonly attempt: (task: PlannedTask<Cell>) => Promise<Made>;
  /** Of an attempt over a link that is not what was asked. */
  readonly spoiled: (made: Made, fault: string) => Made;
  /** The row's number. */
  readonly store: (task: PlannedTask<Cell>, made: Made, started_at: string) => number;
  /** `attempt`: its number. */
  readonly tellEnd: (
    task: PlannedTask<Cell>,
    made: Made,
    at: { readonly attempt: number; readonly row: number; readonly done: number; readonly left_s: number },
  ) => void;
}

export interface OrderedOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  readonly all: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
  /** Why it was to end early; null where it was not, or was stopped by the signal alone. */
  readonly asked: string | null;
}

/** Runs until every task has an outcome that counts or has used up its attempts, or until the signal. */
export function runInOrder<Cell extends OrderedCell, Made extends EndedAttempt>(
  options: OrderedOptions<Cell>,
  kind: TaskKind<Cell, Made>,
): Promise<OrderedOutcome> {
  return new OrderedRunner(options, kind).run();
}

class OrderedRunner<Cell extends OrderedCell, Made extends EndedAttempt> {
  readonly #options: OrderedOptions<Cell>;
  readonly #kind: TaskKind<Cell, Made>;
  readonly #admission: Admission;
  readonly #waiting: Waiting;
  readonly #left: readonly PlannedTask<Cell>[];
  readonly #time: TimeLeft;
  readonly #retries: RetryBudget;
  #deferred: PlannedTask<Cell>[] = [];
  #done: number;
  #wall_ms = 0;
  #asked: string | null = null;
  #block: number | null = null;
  #enough = false;

  constructor(options: OrderedOptions<Cell>, kind: TaskKind<Cell, Made>) {
    const { sweep, signal, tasks, pause, machine, guess_ms } = options;
    this.#options = options;
    this.#kind = kind;
    const tell = (reason: string): void => kind.tell({ event: "sweep-paused", sweep: sweep.id, reason });
    const waiting = { signal, tell, ...(pause ? { pause } : {}) };
    this.#waiting = { ...waiting, mustEnd: () => this.#mustEnd() };
    this.#admission = new Admission({ most: 1, ...waiting, ...(machine ? { machine } : {}) });
    this.#left = tasks.filter((task) => !task.isDone(true));
    this.#time = new TimeLeft(this.#left.reduce((sum, { cell }) => sum + guess_ms(cell), 0));
    this.#retries = new RetryBudget(undefined, this.#time.left_ms);
    this.#done = tasks.length - this.#left.length;
  }

  async run(): Promise<OrderedOutcome> {
    const { results, sweep, resumed, tasks } = this.#options;
    this.#kind.tell({
      event: "sweep-started",
      kind: this.#kind.kind,
      sweep: sweep.id,
      name: sweep.name,
      cells: new Set(tasks.map(({ cell }) => cell.id)).size,
      loads: tasks.length,
      done: this.#done,
      resumed,
      expected_s: this.#time.left_ms / 1000,
    });
    const ran = (await this.#runTasks(this.#left, false)) && (await this.#runDeferred());
    const finished = ran && (await retryWhileBlocked(() => results.finishSweep(sweep.id), this.#waiting)) !== null;
    const state = finished ? "finished" : "stopped";
    return { state, done: this.#done, all: tasks.length, wall_ms: this.#wall_ms, asked: this.#asked };
  }

  /** Nothing more is to be started. */
  #mustEnd(): boolean {
    this.#asked ??= this.#options.askedToEnd?.() ?? null;
    return this.#options.signal.aborted || this.#asked !== null;
  }

  /** Asked where a block of tasks begins: within one, some of what is compared are missing. */
  #isEnough(block: number): boolean {
    if (block !== this.#block) this.#enough ||= this.#options.isEnough?.() ?? false;
    this.#block = block;
    return this.#enough;
  }

  async #waitForCalm(): Promise<void> {
    if (this.#kind.waitsForCalm && this.#retries.mayRepeat)
      this.#retries.waited(await this.#admission.admitCalm(() => !this.#mustEnd(), true));
  }

  /** False: stopped. */
  async #runTasks(tasks: readonly PlannedTask<Cell>[], last: boolean): Promise<boolean> {
    for (const task of tasks) {
      if (this.#mustEnd()) return false;
      if (this.#isEnough(task.planned.block)) return true;
      const fault = await this.#linkFault(task.cell.link, last);
      if (this.#mustEnd()) return false;
      if (fault !== null && !last) {
        this.#deferred.push(task);
        continue;
      }
      const end = await this.#runTask(task, fault, last);
      if (end === "stopped") return false;
      if (end === "deferred") this.#deferred.push(task);
    }
    return true;
  }

  /** Once more what waited for its link or for a quieter machine, in the planned order. */
  #runDeferred(): Promise<boolean> {
    return this.#runTasks(
      this.#deferred.toSorted((a, b) => a.planned.position - b.planned.position),
      true,
    );
  }

  /** Why what goes over the link does not count; null: it does, or it is all over. */
  async #linkFault(link: string | null, last: boolean): Promise<string | null> {
    const { links, signal } = this.#options;
    if (!links || link === null) return null;
    try {
      if (links.isDue(link, last)) await this.#waitForCalm();
      return await links.faultOf(link, last);
    } catch (error) {
      if (!signal.aborted) throw error;
      return null;
    }
  }

  /** All attempts of a task; where the machine was too busy for them, the last one is kept for the end. */
  async #runTask(
    task: PlannedTask<Cell>,
    fault: string | null,
    last: boolean,
  ): Promise<"done" | "stopped" | "deferred"> {
    const kind = this.#kind;
    for (let isLast = task.isDone(true); !isLast; ) {
      const attempt = task.attempts;
      await this.#waitForCalm();
      const begun_ms = performance.now();
      await kind.waitForTurn?.(task);
      if (this.#mustEnd()) return "stopped";
      kind.tellStart(task);
      const started_at = new Date().toISOString();
      const made = await this.#attempt(task);
      if (made === null) return "stopped";
      const judged = fault === null ? made : kind.spoiled(made, fault);
      this.#admission.ended(judged, false);
      const row = await this.#store(task, judged, started_at);
      if (row === null) return "stopped";
      isLast = fault !== null || task.isDone(this.#retries.mayRepeat);
      this.#time.ended(this.#options.guess_ms(task.cell), performance.now() - begun_ms, isLast);
      if (isLast) this.#done++;
      kind.tellEnd(task, judged, { attempt, row, done: this.#done, left_s: this.#time.left_ms / 1000 });
      if (!isLast && !last && task.isForLater()) return "deferred";
    }
    return "done";
  }

  /** Null for an attempt that the signal cut off, or that had no room until it was to end. */
  async #attempt(task: PlannedTask<Cell>): Promise<Made | null> {
    const { signal } = this.#options;
    try {
      const made = await retryWhileBlocked(() => this.#kind.attempt(task), this.#waiting);
      // Ctrl-C on a terminal reaches a lab's processes too: one turn of the event loop, so that our own handler has run.
      await new Promise((resolve) => setImmediate(resolve));
      return signal.aborted ? null : (made?.written ?? null);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Its number in the results; while the disk is full it is held. Null: stopped before there was room. */
  async #store(task: PlannedTask<Cell>, made: Made, started_at: string): Promise<number | null> {
    const stored = await retryWhileBlocked(() => this.#kind.store(task, made, started_at), this.#waiting);
    if (stored === null) return null;
    task.add(task.attempts, made);
    this.#retries.ended(made.reasons, made.wall_ms);
    this.#wall_ms += made.wall_ms;
    return stored.written;
  }
}
