// Runs a plan's flow runs one after another in the planned order, each alone on the machine, stores each as it ends, tries again what was
// not valid, and goes on where an earlier run of the sweep stopped. Does not know how a run is made, nor how progress is shown.
import type { FlowResult } from "../../../schemas/generated/flow_result.ts";
import type {
  FlowRunFinished,
  FlowRunStarted,
  SweepPaused,
  SweepStarted,
} from "../../../schemas/generated/sweep_event.ts";
import type { FlowSweep, NewFlowRun, Results } from "../../results/store/results.ts";
import { Admission, type AdmissionOptions } from "../../sweep/admission.ts";
import type { AskedToEnd } from "../../sweep/asked_to_end.ts";
import { retryWhileBlocked, type Waiting } from "../../sweep/blocking_conditions.ts";
import type { LinkTests } from "../../sweep/link_tests.ts";
import { TimeLeft } from "../../sweep/plan/estimate.ts";
import { RetryBudget } from "../../sweep/retry_budget.ts";
import { flowRunOf } from "../language/flow_run.ts";
import type { FlowPlan } from "../plan/plan.ts";
import { runSeed } from "../plan/run_order.ts";
import { packRecords, thinnedRecords } from "../records/stored_records.ts";
import type { FlowAttempt, FlowAttemptRequest } from "./attempt.ts";
import type { RunPage } from "./page_run.ts";
import type { FlowTask, RunCell } from "./tasks.ts";

/** What disturbs runs for longer may end before the deferred ones have their last attempts. */
const endPatience_ms = 600_000;

export interface FlowRunnerOptions {
  readonly home: string;
  readonly results: Results;
  readonly sweep: FlowSweep;
  readonly plan: FlowPlan;
  readonly resumed: boolean;
  /** In the planned order, with what is stored of each (tasks.ts). */
  readonly tasks: readonly FlowTask[];
  readonly attempt: (request: FlowAttemptRequest) => Promise<FlowAttempt>;
  /** The numbers of a run, by what it left. */
  readonly resultOf: (records: NonNullable<FlowAttempt["records"]>, cell: RunCell) => FlowResult;
  /** What is loaded amid a cell's flows; without it no page is. */
  readonly pageOf?: (cell: RunCell) => RunPage;
  /** A folder for what each attempt leaves; without it only its row is kept. */
  readonly evidenceOf?: (cell: RunCell, block: number, attempt: number) => string;
  /** A guess at a run's wall time. */
  readonly guess_ms: (cell: RunCell) => number;
  /** Whether links are what they are asked to be; runs over others wait for the end, and do not count then. */
  readonly links?: LinkTests;
  readonly askedToEnd?: AskedToEnd;
  /** Aborted: the run under way is dropped. */
  readonly signal: AbortSignal;
  readonly tell: (event: SweepStarted | SweepPaused | FlowRunStarted | FlowRunFinished) => void;
  /** In tests. */
  readonly machine?: AdmissionOptions["machine"];
  readonly pause?: (time_ms: number) => Promise<void>;
}

export interface FlowRunOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  readonly runs: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
  /** Why it was to end early; null where it was not, or was stopped by the signal alone. */
  readonly asked: string | null;
}

/** Runs until every planned run has a valid attempt or has used up its attempts, or until the signal. */
export function runFlowSweep(options: FlowRunnerOptions): Promise<FlowRunOutcome> {
  return new FlowRunner(options).run();
}

class FlowRunner {
  readonly #options: FlowRunnerOptions;
  readonly #admission: Admission;
  readonly #waiting: Waiting;
  readonly #time: TimeLeft;
  readonly #retries: RetryBudget;
  #deferred: FlowTask[] = [];
  #done: number;
  #wall_ms = 0;
  #asked: string | null = null;

  constructor(options: FlowRunnerOptions) {
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

  async run(): Promise<FlowRunOutcome> {
    const { results, sweep, resumed, tasks, tell } = this.#options;
    tell({
      event: "sweep-started",
      kind: "flows",
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
    return { state, done: this.#done, runs: tasks.length, wall_ms: this.#wall_ms, asked: this.#asked };
  }

  /** Nothing more is to be started. */
  #mustEnd(): boolean {
    this.#asked ??= this.#options.askedToEnd?.() ?? null;
    return this.#options.signal.aborted || this.#asked !== null;
  }

  async #waitForCalm(longest_ms?: number): Promise<void> {
    if (this.#retries.mayRepeat)
      this.#retries.waited(await this.#admission.admitCalm(() => !this.#mustEnd(), true, longest_ms));
  }

  /** False: stopped. */
  async #runTasks(tasks: readonly FlowTask[], last: boolean): Promise<boolean> {
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

  /** Why runs over the link do not count; null: they do, or it is all over. */
  async #linkFault(link: string, last: boolean): Promise<string | null> {
    const { links, signal } = this.#options;
    if (!links) return null;
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

  /** All attempts of a planned run; where the machine was too busy for them, the last one is kept for the end. */
  async #runTask(task: FlowTask, fault: string | null, last: boolean): Promise<"done" | "stopped" | "deferred"> {
    const { tell } = this.#options;
    const { mix, link, lane } = task.cell;
    const { position, block } = task.planned;
    for (let isLast = task.isDone(true); !isLast; ) {
      const place = { position, mix, link, lane, block, attempt: task.attempts };
      await this.#waitForCalm();
      if (this.#mustEnd()) return "stopped";
      tell({ event: "flow-run-started", ...place });
      const started_at = new Date().toISOString();
      const made = await this.#attempt(task);
      if (made === null) return "stopped";
      const judged = judgedBy(fault, made);
      this.#admission.ended(judged, false);
      const run = await this.#store(task, judged, started_at);
      if (run === null) return "stopped";
      const { status, reasons, wall_ms } = judged;
      isLast = fault !== null || task.isDone(this.#retries.mayRepeat);
      this.#time.ended(this.#options.guess_ms(task.cell), wall_ms, isLast);
      if (isLast) this.#done++;
      tell({
        event: "flow-run-finished",
        ...place,
        run,
        status,
        reasons: [...reasons],
        wall_ms,
        done: this.#done,
        runs: this.#options.tasks.length,
        left_s: this.#time.left_ms / 1000,
      });
      if (!isLast && !last && task.isForLater()) return "deferred";
    }
    return "done";
  }

  /** Null for a run that the signal cut off, or that had no room until it was to end. */
  async #attempt({ cell, planned, attempts }: FlowTask): Promise<FlowAttempt | null> {
    const { home, plan, attempt, pageOf, evidenceOf, signal } = this.#options;
    const { block } = planned;
    const request: FlowAttemptRequest = {
      home,
      run: flowRunOf(cell.flows, plan),
      link: { ...cell.link_profile, seed: runSeed(plan, cell, block) },
      ...(plan.tolerance ? { tolerance: plan.tolerance } : {}),
      ...(pageOf ? { page: pageOf(cell) } : {}),
      ...(evidenceOf ? { evidence: evidenceOf(cell, block, attempts) } : {}),
      signal,
    };
    try {
      const made = await retryWhileBlocked(() => attempt(request), this.#waiting);
      // Ctrl-C on a terminal reaches the lab's processes too: one turn of the event loop, so that our own handler has run.
      await new Promise((resolve) => setImmediate(resolve));
      return signal.aborted ? null : (made?.written ?? null);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Its number in the results; while the disk is full it is held. Null: stopped before there was room. */
  async #store(task: FlowTask, made: FlowAttempt, started_at: string): Promise<number | null> {
    const { results, resultOf } = this.#options;
    const { status, reasons, wall_ms, records, pageLoad } = made;
    const { position, block } = task.planned;
    const row: NewFlowRun = {
      cell: task.cell.id,
      ...{ block, attempt: task.attempts, position, status, reasons, started_at, wall_ms },
      result: records && resultOf(records, task.cell),
      series: records && packRecords(thinnedRecords(records)),
      pageLoad,
    };
    const stored = await retryWhileBlocked(() => results.recordFlowRun(row), this.#waiting);
    if (stored === null) return null;
    task.add(task.attempts, made);
    this.#retries.ended(reasons, wall_ms);
    this.#wall_ms += wall_ms;
    return stored.written;
  }
}

/** A run over a link that is not what was asked is not valid, however it went. */
function judgedBy(fault: string | null, made: FlowAttempt): FlowAttempt {
  if (fault === null) return made;
  const status = made.status === "valid" ? "invalid" : made.status;
  return { ...made, status, reasons: [...made.reasons, fault] };
}
