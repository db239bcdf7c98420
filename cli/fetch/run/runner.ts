// Runs a plan's fetches one after another in the planned order, stores each as it ends, tries again what the machine disturbed, and goes on
// where an earlier run of the sweep stopped. Does not know how a fetch is made, nor how progress is shown.
import type { FetchFinished, FetchStarted, SweepPaused, SweepStarted } from "../../../schemas/generated/sweep_event.ts";
import type { FetchCell, FetchSweep, NewFetch, Results } from "../../results/store/results.ts";
import { Admission, type AdmissionOptions } from "../../sweep/admission.ts";
import type { AskedToEnd } from "../../sweep/asked_to_end.ts";
import { retryWhileBlocked, type Waiting } from "../../sweep/blocking_conditions.ts";
import type { LinkTests } from "../../sweep/link_tests.ts";
import { TimeLeft } from "../../sweep/plan/estimate.ts";
import { RetryBudget } from "../../sweep/retry_budget.ts";
import type { FetchAttempt, FetchAttemptRequest } from "./attempt.ts";
import type { HostManners } from "./host_manners.ts";
import type { FetchTask } from "./tasks.ts";

/** What disturbs fetches for longer may end before the deferred ones have their last attempts. */
const endPatience_ms = 600_000;

export interface FetchRunnerOptions {
  readonly results: Results;
  readonly sweep: FetchSweep;
  readonly resumed: boolean;
  /** In the planned order, with what is stored of each (tasks.ts). */
  readonly tasks: readonly FetchTask[];
  readonly attempt: (request: FetchAttemptRequest) => Promise<FetchAttempt>;
  readonly requestOf: (cell: FetchCell, block: number) => Omit<FetchAttemptRequest, "askHttpsRecord">;
  readonly manners: HostManners;
  /** A guess at a fetch's wall time. */
  readonly guess_ms: (cell: FetchCell) => number;
  /** Whether links are what they are asked to be; fetches over others wait for the end, and do not count then. null: there are none. */
  readonly links: LinkTests | null;
  readonly askedToEnd?: AskedToEnd;
  /** Aborted: the fetch under way is dropped. */
  readonly signal: AbortSignal;
  readonly tell: (event: SweepStarted | SweepPaused | FetchStarted | FetchFinished) => void;
  /** In tests. */
  readonly machine?: AdmissionOptions["machine"];
  readonly pause?: (time_ms: number) => Promise<void>;
}

export interface FetchRunOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  readonly fetches: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
  /** Why it was to end early; null where it was not, or was stopped by the signal alone. */
  readonly asked: string | null;
}

/** Runs until every planned fetch has an outcome that counts or has used up its attempts, or until the signal. */
export function runFetchSweep(options: FetchRunnerOptions): Promise<FetchRunOutcome> {
  return new FetchRunner(options).run();
}

class FetchRunner {
  readonly #options: FetchRunnerOptions;
  readonly #admission: Admission;
  readonly #waiting: Waiting;
  readonly #time: TimeLeft;
  readonly #retries: RetryBudget;
  #deferred: FetchTask[] = [];
  #done: number;
  #wall_ms = 0;
  #asked: string | null = null;

  constructor(options: FetchRunnerOptions) {
    const { sweep, signal, tasks, pause, machine, guess_ms } = options;
    this.#options = options;
    const tell = (reason: string): void => options.tell({ event: "sweep-paused", sweep: sweep.id, reason });
    const waiting = { signal, tell, ...(pause ? { pause } : {}) };
    this.#waiting = { ...waiting, mustEnd: () => this.#mustEnd() };
    this.#admission = new Admission({ most: 1, canDilate: false, ...waiting, ...(machine ? { machine } : {}) });
    const left = tasks.filter((task) => !task.isDone(true));
    this.#time = new TimeLeft(left.reduce((sum, { cell }) => sum + guess_ms(cell), 0));
    this.#retries = new RetryBudget(undefined, this.#time.left_ms);
    this.#done = tasks.length - left.length;
  }

  async run(): Promise<FetchRunOutcome> {
    const { results, sweep, resumed, tasks, tell } = this.#options;
    tell({
      event: "sweep-started",
      kind: "fetches",
      sweep: sweep.id,
      name: sweep.name,
      cells: new Set(tasks.map(({ cell }) => cell.id)).size,
      loads: tasks.length,
      done: this.#done,
      resumed,
      expected_s: this.#time.left_ms / 1000,
    });
    const left = tasks.filter((task) => !task.isDone(true));
    const ran = (await this.#runTasks(left, false)) && (await this.#runDeferred());
    const finished = ran && (await retryWhileBlocked(() => results.finishSweep(sweep.id), this.#waiting)) !== null;
    const state = finished ? "finished" : "stopped";
    return { state, done: this.#done, fetches: tasks.length, wall_ms: this.#wall_ms, asked: this.#asked };
  }

  /** Nothing more is to be started. */
  #mustEnd(): boolean {
    this.#asked ??= this.#options.askedToEnd?.() ?? null;
    return this.#options.signal.aborted || this.#asked !== null;
  }

  /** On the network as it is the machine is the least that disturbs. */
  async #waitForCalm(longest_ms?: number): Promise<void> {
    if (this.#options.links !== null && this.#retries.mayRepeat)
      this.#retries.waited(await this.#admission.admitCalm(() => !this.#mustEnd(), true, longest_ms));
  }

  /** False: stopped. */
  async #runTasks(tasks: readonly FetchTask[], last: boolean): Promise<boolean> {
    for (const task of tasks) {
      if (this.#mustEnd()) return false;
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
  async #runDeferred(): Promise<boolean> {
    if (this.#deferred.length > 0 && this.#retries.mayRepeat)
      await this.#waitForCalm(Math.min(endPatience_ms, this.#retries.left_ms));
    return this.#runTasks(
      this.#deferred.toSorted((a, b) => a.planned.position - b.planned.position),
      true,
    );
  }

  /** Why fetches over the link do not count; null: they do, or it is all over. */
  async #linkFault(link: string | null, last: boolean): Promise<string | null> {
    const { links, signal } = this.#options;
    if (!links || link === null) return null;
    try {
      if (links.isDue(link, last)) await this.#waitForCalm();
      const fault = await links.faultOf(link, last);
      if (fault?.includes("lateness")) this.#admission.tellUnfit(fault);
      return fault;
    } catch (error) {
      if (!signal.aborted) throw error;
      return null;
    }
  }

  /** All attempts of a planned fetch; where the machine was too busy for them, the last one is kept for the end. */
  async #runTask(task: FetchTask, fault: string | null, last: boolean): Promise<"done" | "stopped" | "deferred"> {
    const { tell, manners, guess_ms } = this.#options;
    const { object, lane, tls, ip, link } = task.cell;
    const { position, block } = task.planned;
    for (let isLast = task.isDone(true); !isLast; ) {
      const place = { position, object, lane, tls, ip, link, block, attempt: task.attempts };
      const begun_ms = performance.now();
      await this.#waitForCalm();
      if (link === null) await manners.wait(object);
      if (this.#mustEnd()) return "stopped";
      tell({ event: "fetch-started", ...place });
      const started_at = new Date().toISOString();
      const made = await this.#attempt(task);
      if (made === null) return "stopped";
      const judged = judgedBy(fault, made);
      this.#admission.ended(judged, false);
      const fetch = await this.#store(task, judged, started_at);
      if (fetch === null) return "stopped";
      const { status, reasons, wall_ms, record } = judged;
      isLast = fault !== null || task.isDone(this.#retries.mayRepeat);
      this.#time.ended(guess_ms(task.cell), performance.now() - begun_ms, isLast);
      if (isLast) this.#done++;
      tell({
        event: "fetch-finished",
        ...place,
        fetch,
        status,
        reasons: [...reasons],
        wall_ms,
        record,
        done: this.#done,
        fetches: this.#options.tasks.length,
        left_s: this.#time.left_ms / 1000,
      });
      if (!isLast && !last && task.isForLater()) return "deferred";
    }
    return "done";
  }

  /** Null for a fetch that the signal cut off, or that had no room until it was to end. */
  async #attempt({ cell, planned }: FetchTask): Promise<FetchAttempt | null> {
    const { attempt, requestOf, manners, signal } = this.#options;
    const askHttpsRecord = !manners.knowsHttpsRecord(cell.object);
    const request: FetchAttemptRequest = { ...requestOf(cell, planned.block), askHttpsRecord };
    try {
      const made = await retryWhileBlocked(() => attempt(request), this.#waiting);
      // Ctrl-C on a terminal reaches a lab's processes too: one turn of the event loop, so that our own handler has run.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted || made === null) return null;
      manners.ended(cell.object);
      const { record } = made.written;
      return { ...made.written, record: record && manners.completed(record) };
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Its number in the results; while the disk is full it is held. Null: stopped before there was room. */
  async #store(task: FetchTask, made: FetchAttempt, started_at: string): Promise<number | null> {
    const { status, reasons, wall_ms, record, cost } = made;
    const { position, block } = task.planned;
    const place = { cell: task.cell.id, block, attempt: task.attempts, position };
    const row: NewFetch = { ...place, status, reasons, started_at, wall_ms, record, cost };
    const stored = await retryWhileBlocked(() => this.#options.results.recordFetch(row), this.#waiting);
    if (stored === null) return null;
    task.add(task.attempts, made);
    this.#retries.ended(reasons, wall_ms);
    this.#wall_ms += wall_ms;
    return stored.written;
  }
}

/** A fetch over a link that is not what was asked is not valid, however it went. */
function judgedBy(fault: string | null, made: FetchAttempt): FetchAttempt {
  if (fault === null) return made;
  return { ...made, status: "invalid", reasons: [...made.reasons, fault] };
}
