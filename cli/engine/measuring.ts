// What one run of a sweep is given, and what an instrument adds to it: how its attempts are made, stored and reported. runner.ts does the rest.
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { SweepPaused, SweepStarted } from "../../schemas/generated/sweep_event.ts";
import type { NewAttempt } from "../results/store/attempt_rows.ts";
import type { LoadStatus, Results } from "../results/store/results.ts";
import type { TimeLeft } from "../sweep/plan/estimate.ts";
import type { AdmissionOptions } from "./admission.ts";
import type { Waiting } from "./blocking_conditions.ts";
import type { EarlyEnd } from "./early_end.ts";
import type { EvidenceNames } from "./evidence_folder.ts";
import type { Labs } from "./labs.ts";
import type { LinkTests } from "./link_tests.ts";
import type { Attempt, PlannedTask } from "./planned_task.ts";
import type { StoredTime } from "./time_spent.ts";

export interface RunnerCell {
  readonly id: number;
  /** null: the network as it is. */
  readonly link: string | null;
  readonly link_profile: LinkProfile | null;
}

/** An attempt that ended by itself. */
export interface EndedAttempt extends Attempt {
  readonly wall_ms: number;
}

/** Tasks that run one after another, in one lab. */
export type Unit<Cell> = readonly [PlannedTask<Cell>, ...PlannedTask<Cell>[]];

/** The run of a sweep, for any instrument. */
export interface RunnerOptions<Cell extends RunnerCell> {
  readonly results: Results;
  readonly sweep: { readonly id: number; readonly name: string };
  readonly resumed: boolean;
  /** In the planned order, with what is stored of each. */
  readonly tasks: readonly PlannedTask<Cell>[];
  /** A guess at an attempt's wall time. */
  readonly guess_ms: (cell: Cell) => number;
  /**
   * Whether links are what they should be. Tasks over one that is not are deferred to the run's end; if it still is not, they are run, do
   * not count, and are not tried again in this run. Without: none is tested.
   */
  readonly links?: LinkTests | null;
  readonly earlyEnd?: EarlyEnd;
  /** Whether what there is suffices, so that a task's cell needs no more attempts from it on. Default: all tasks are run. */
  readonly isEnough?: (task: PlannedTask<Cell>) => boolean;
  /** How long the plan's attempts may take over all its runs, and those that are stored. */
  readonly timeLimit?: { readonly most_s: number; readonly stored: readonly StoredTime[] };
  /** How long this run may still take; 0 or less: it ends with what it has. Default: as long as it takes. */
  readonly most_ms?: () => number;
  /** How many tasks may run side by side, and on which links. Default: one after another. */
  readonly labs?: Labs | undefined;
  /** A folder for what attempts leave; without it only their rows are kept. */
  readonly evidence?: string | undefined;
  /** Aborted: the attempts under way are dropped. */
  readonly signal: AbortSignal;
  /** In tests: how busy the machine is, waits, a monotonic clock. */
  readonly machine?: AdmissionOptions["machine"];
  readonly pause?: (time_ms: number) => Promise<void>;
  readonly now_ms?: () => number;
}

/** Where an attempt stands in its run. */
interface EndedAt {
  readonly attempt: number;
  /** In the results. */
  readonly row: number;
  readonly done: number;
  /** Tasks planned, without those that are not needed. */
  readonly all: number;
  readonly left_s: number;
}

/** What a step after the attempts may use of their run. */
export interface RunControl {
  readonly signal: AbortSignal;
  readonly waiting: Waiting;
  readonly time: TimeLeft;
  readonly mustEnd: () => boolean;
  readonly isTimeUp: () => boolean;
  /** Whether there is time left to repeat what the machine disturbed. */
  readonly mayRepeat: () => boolean;
  readonly waitForCalm: () => Promise<void>;
  readonly linkFault: (link: string) => Promise<string | null>;
  /** Makes an attempt whose time and disturbance count as those before it. */
  readonly counted: <Made extends EndedAttempt>(attempt: () => Promise<Made>) => Promise<Made>;
}

/** What the engine gives an attempt. */
export interface AttemptTerms {
  /** Aborted: the attempt is dropped. */
  readonly signal: AbortSignal;
  /** The only ones that it may use. Default: all. */
  readonly cpus?: readonly number[] | undefined;
  /** A folder of its own for all that it leaves; made, and emptied if it is there. Default: only its row is kept. */
  readonly evidence?: string | undefined;
}

/** What an instrument adds to the run: how attempts are made, stored and reported. */
export interface Measuring<Cell extends RunnerCell, Made extends EndedAttempt> {
  /** Of the first event, what only this instrument says. */
  readonly starting: Partial<SweepStarted>;
  /** False: on the network as it is the machine is the least that disturbs. Default: true. */
  readonly waitsForCalm?: boolean;
  /** How long attempts that the machine disturbed are repeated; undefined: this share of the expected time. */
  readonly retries?: { readonly for_s: number | undefined; readonly share: number };
  /** How attempts end that count, over a link that is what it should be. */
  readonly counted: readonly LoadStatus[];
  /** What cells share that are compared with one another: side by side, their tasks of a block stay in one lab. */
  readonly placeOf: (cell: Cell) => string;
  /** Rounds of blocks that stay together also if nothing runs side by side. Default: then each task is a unit. */
  readonly roundOf?: (block: number) => number;
  readonly evidenceNames: (cell: Cell) => EvidenceNames;
  readonly tell: (event: SweepStarted | SweepPaused) => void;
  /** After the machine was calm, before anything starts: whom else an attempt waits for. */
  readonly waitForTurn?: (task: PlannedTask<Cell>) => Promise<void>;
  readonly began: (task: PlannedTask<Cell>) => void;
  /** A full disk throws, and is tried again. */
  readonly attempt: (task: PlannedTask<Cell>, terms: AttemptTerms) => Promise<Made>;
  /** Stores the attempt with what it left; returns the row's number. */
  readonly store: (row: NewAttempt, made: Made) => number;
  readonly ended: (task: PlannedTask<Cell>, made: Made, at: EndedAt) => void;
  /** After all attempts: false if it was stopped. */
  readonly after?: { readonly guess_ms: number; readonly run: (control: RunControl) => Promise<boolean> };
}

export interface RunOutcome {
  readonly state: "finished" | "stopped";
  readonly done: number;
  /** Tasks planned, without those that were not needed. */
  readonly all: number;
  /** Tasks that were not begun, or not tried again, in the time there was. */
  readonly cut: number;
  /** Of this run's attempts. */
  readonly wall_ms: number;
  /** Why it was to end early; null if it was not, or was stopped by the signal alone. */
  readonly endReason: string | null;
}
