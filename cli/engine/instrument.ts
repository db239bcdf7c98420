// What an instrument is to the engine: one kind of measurement, with what is special to it. An instrument is made for one execution of a
// plan; order, link tests, retries, resuming, signals, events and the report are the engine's (execute.ts). The list of them is
// cli/instruments/all.ts.

import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import type { RunError } from "../base/errors.ts";
import type { ShownLine } from "../base/terminal_text.ts";
import type { ReportOf } from "../report/report_files.ts";
import type { ComparedNouns, ComparedSweep } from "../results/compare/interleaved.ts";
import type { BudgetPlace } from "../results/gate/budget.ts";
import type { AnySweep, Environment, LoadStatus, NamedHost, Results } from "../results/store/results.ts";
import type { NotedRecordings } from "../results/store/sweep_recordings.ts";
import type { Shard } from "../sweep/cluster/shared_plan.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import type { EventWords } from "../sweep/progress/event_words.ts";
import type { Progress } from "../sweep/progress/progress.ts";
import type { Verbosity } from "../sweep/progress/progress_log.ts";
import type { EarlyEnd } from "./early_end.ts";
import type { Labs, SideBySide } from "./labs.ts";
import type { LinkTests } from "./link_tests.ts";
import type { RunOutcome } from "./measuring.ts";

/** What every command asks for beside its plan. */
export interface ExecutionTerms {
  readonly home: string;
  /** Of pages that are loaded or fetched. */
  readonly source: PageSource;
  readonly report: ReportOf;
  /** Begin again even if the plan has an unfinished sweep. */
  readonly fresh: boolean;
  readonly json: boolean;
  /** A folder below which each attempt leaves what it ran with. */
  readonly evidence?: string | undefined;
  /** Default: attempts run one after another. */
  readonly labs?: Labs | undefined;
  readonly verbosity?: Verbosity | undefined;
  /** A file of budgets that the sweep has to keep; of instruments that have `compared`. */
  readonly budget?: string | undefined;
  /** Default: only signals end it early. */
  readonly earlyEnd?: EarlyEnd | undefined;
  /** Only a part of the plan, into a file of its own; without a report. */
  readonly shard?: Shard | undefined;
}

/** What a sweep's row says of its execution. */
export interface SweepStart {
  readonly command: string[];
  readonly environment: Environment;
  readonly host?: NamedHost;
}

/** Work on the results that waits while they are held by another process or their disk is full. */
export type Held = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Of a sweep that has begun. */
export interface Session<Sweep extends AnySweep> {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly resumed: boolean;
  readonly progress: Progress;
}

/** Of one run of a session, which a signal ends. */
export interface RunSession<Sweep extends AnySweep> extends Session<Sweep> {
  readonly signal: AbortSignal;
  readonly earlyEnd?: EarlyEnd;
  readonly labs: Labs | undefined;
  readonly evidence: string | undefined;
  /** null: nothing goes over a link. */
  readonly links: LinkTests | null;
  readonly tell: (event: SweepEvent) => void;
  readonly store: (write: () => void) => Promise<unknown>;
}

/** What came of a sweep that is finished. */
export interface Conclusion {
  /** The last event; `report`: its path, or the shard's. */
  readonly event: (report: string) => SweepEvent;
  /** For people, above the path of the report or the shard. */
  readonly lines: readonly (string | ShownLine)[];
  /** Why no attempt was of use; null: some was. */
  readonly failure: RunError | null;
  /** Prints more, after the path, of a sweep that is of use. */
  readonly further?: () => Promise<void>;
}

export interface Instrument<Sweep extends AnySweep = AnySweep> {
  /** What its attempts are called. */
  readonly noun: string;
  /** What progress shows of its events. */
  readonly events: EventWords;
  readonly profiles: readonly LinkProfile[];
  readonly sideBySide?: SideBySide;
  /**
   * Recordings made ready, and all that would fail every attempt found, before there is a sweep to resume. Returns the recordings that its cells do
   * not name: a shard's must be those of the other machines.
   */
  readonly prepare: (held: Held, progress: Progress) => Promise<NotedRecordings>;
  /** Begun or resumed; null: its shard is finished. */
  readonly begin: (results: Results, start: SweepStart) => { readonly sweep: Sweep; readonly resumed: boolean } | null;
  /** How attempts end that count: the links of cells with fewer are tested. */
  readonly counted: readonly LoadStatus[];
  /** Attempts that count, of each cell. */
  readonly blocks: number;
  /** Before the link tests, if something takes a decision for all runs. */
  readonly settle?: (session: Omit<RunSession<Sweep>, "links">) => Promise<void>;
  readonly run: (session: RunSession<Sweep>) => Promise<RunOutcome>;
  readonly conclude: (session: Session<Sweep>, outcome: RunOutcome) => Conclusion;
  /** What budgets are held against: the planned cells, and the sweep as it is stored. */
  readonly compared?: {
    readonly nouns: ComparedNouns;
    readonly places: readonly BudgetPlace[];
    readonly run: (results: Results, sweep: number) => ComparedSweep;
  };
}
