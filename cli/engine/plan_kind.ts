// What commands know of an instrument before they run it, and of its sweeps once they are stored: how its plans are recognised and read, what was
// published, how its sweeps are reported, compared, exported and bundled. What it is to the engine is instrument.ts's.
import type { ListedSweep } from "../../schemas/generated/list.ts";
import type { OptionTable } from "../base/option_table.ts";
import type { ComparedSweep } from "../results/compare/interleaved.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import type { StudyFacts, StudyFigure } from "../results/studies/study.ts";
import type { BundledSweeps, RerunRequest } from "../sweep/bundle/bundled_sweeps.ts";
import type { PlanShares } from "../sweep/cluster/shared_plan.ts";
import type { Choosing, PageSource } from "../sweep/plan/page_source.ts";
import type { StoppingChoice } from "../sweep/plan/until.ts";
import type { ExecutionTerms } from "./instrument.ts";

/** A plan that was read, whatever it is of. */
export interface ReadPlan {
  /** What it would run, for a dry run: as a document, and as lines for people. */
  readonly describe: (
    home: string,
    source: PageSource,
  ) => Promise<{ readonly document: object; readonly lines: readonly string[] }>;
  readonly execute: (terms: ExecutionTerms) => Promise<boolean>;
  /** For machines that share it: what `execute` runs a shard of from then on. @throws UserError for a plan that one machine must run alone. */
  readonly shared: (terms: SharingTerms) => Promise<PlanShares>;
  /** Of a study's plan as it was executed. */
  readonly newestSweep?: (results: Results) => AnySweep | null;
}

export interface SharingTerms {
  readonly home: string;
  readonly source: PageSource;
  /** The folder of a plan's shards. */
  readonly shardsOf: (plan: { readonly name: string }) => string;
  /** How pages are chosen that a model may replace. */
  readonly trials: Choosing["trials"] | "no choice";
}

/** What a command line may set of any plan. */
export type PlanChanges = StoppingChoice & { readonly repetitions?: number };

/** Commands that read stored sweeps, and take options of instruments. */
export type StoredCommand = "report" | "export";

/** Options of an instrument's own. */
interface StoredOptions {
  readonly of: readonly StoredCommand[];
  readonly define: (table: OptionTable<unknown>) => void;
  readonly names: readonly string[];
}

/** How the plans of an instrument are recognised and read. */
export interface PlanKind {
  /** Its command's name, too. */
  readonly name: string;
  readonly shippedPlans: () => readonly string[];
  readonly isPlan: (document: object) => boolean;
  /**
   * `changes`: in place of what the plan says; `options`: all of the command line, the instrument's own among them.
   * @throws UserError if the plan cannot be
   */
  readonly read: (pathOrName: string, changes: PlanChanges, options: object) => ReadPlan;
  /** Whether its plans take an option of `trilane sweep` beside those of every plan. Absent: none. */
  readonly takes?: (option: string) => boolean;
  /** What its sweeps are stored as. */
  readonly sweeps: AnySweep["kind"];
  /** What their attempts are called. */
  readonly attempts: string;
  /** How many cells a stored plan has for machines, as PlanShares has it. */
  readonly sharedCells: (plan: unknown) => number;
  /** A plan of its that every machine runs too, so that one that is unlike the others is seen. Absent: its attempts judge no machine. */
  readonly reference?: string;
  readonly storedOptions?: readonly StoredOptions[];
  /** Formats that `trilane export` writes its sweeps in, a sentence on them, and the columns of those that are tables. */
  readonly formats: readonly string[];
  readonly formatWords: string;
  readonly columns: readonly { readonly of: string; readonly columns: readonly Column[] }[];
  /** What was published of such measurements; absent: nothing that Trilane can run. */
  readonly studies?: readonly StudyFacts[];
  /** The command line of `trilane reproduce` as `read` takes it, if pages may be named in place of a study's. Absent: they may not. */
  readonly studyOptions?: (study: string, options: object) => object;
  /** What `trilane list` says that a sweep spans, besides its links, and what of it stands in a row. */
  readonly span: (sweep: AnySweep, results: Results) => SweepSpan;
  readonly spanned: (span: SweepSpan) => string;
  /** Loaded when a sweep of its is read. */
  readonly stored: () => Promise<StoredSweeps>;
}

/** How much of what. */
export type SweepSpan = Pick<ListedSweep, "pages" | "lanes"> & Partial<ListedSweep>;

export interface Column {
  readonly name: string;
  readonly meaning: string;
}

/** What is done with an instrument's sweeps once they are stored. `given`: a command's options, the instrument's own among them. */
export interface StoredSweeps {
  /** One HTML document. */
  readonly report: (results: Results, sweep: number, given: object) => string | Promise<string>;
  /** A study's figures beside those of a sweep of its plan. */
  readonly studyFigures?: (results: Results, sweep: number, study: string) => readonly StudyFigure[];
  /** As `trilane compare` and budgets take it. */
  readonly run: (results: Results, sweep: number) => ComparedSweep;
  /** To a file, or to standard output. */
  readonly export: (results: Results, sweep: number, given: ExportTerms) => Promise<void>;
  /** For `trilane bundle`; absent: it does not take such sweeps. */
  readonly bundled?: () => Promise<BundledSweeps>;
  /**
   * Runs a bundle's plan again, in a data folder of its own, and returns its sweep there; null: it has not begun. Absent: `bundled` says why not.
   */
  readonly rerun?: (request: RerunRequest, terms: ExecutionTerms) => Promise<AnySweep | null>;
}

export interface ExportTerms {
  readonly format: string | undefined;
  /** The data folder. */
  readonly home: string;
  /** Number of the sweep, if it was named. */
  readonly named: string | undefined;
  readonly keepCredentials: boolean;
  /** Number of one attempt. */
  readonly load: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}
