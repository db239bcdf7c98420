// A plan as machines share it out, and the part of it that one of them runs: all that submitting, running a cell and merging know of a plan.
// Its instrument says the rest (`shared` of cli/engine/plan_kind.ts).
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { RunError } from "../../base/errors.ts";
import type { ReportOf } from "../../report/report_files.ts";
import type { Environment, NamedHost } from "../../results/store/results.ts";
import type { NotedRecordings } from "../../results/store/sweep_recordings.ts";
import type { PageSource } from "../plan/page_source.ts";

/** A part of a plan was run to its end, and is of no use. */
export class NoValidLoadError extends RunError {}

/** The part of a plan that one machine runs, into a file of results of its own; without a report. */
export interface Shard {
  /** The file of results. */
  readonly path: string;
  readonly host: NamedHost;
  /** Its number in the plan, from 1; null: all of the plan, as reference cells are. */
  readonly cell: number | null;
  /** Of the plan as all machines know it, whatever each finds in its archive. */
  readonly plan_digest: string;
  /** For the sweep, besides the machine's own. */
  readonly environment: Environment;
  /** @throws UserError if a recording is not the one that all machines are to use. */
  readonly check: (recordings: NotedRecordings) => void;
}

/** For the last event of its run. */
export const shardFacts = ({ cell, host, path }: Shard) => ({ cell: cell ?? 1, host: host.name, shard: path });

/** With what a machine runs its part. */
export interface CellTerms {
  readonly home: string;
  readonly source: PageSource;
  readonly report: ReportOf;
  readonly json: boolean;
}

/** What its instrument says of a plan. */
export interface PlanShares {
  readonly name: string;
  readonly digest: string;
  /** How many there are: what N of `trilane cell PLAN N` counts to. What is compared block by block is in one. */
  readonly cells: number;
  /** Whose recordings its cells need, and must be the same on all machines. */
  readonly pages: readonly PlanPage[];
  /** Looked up in PATH, or paths: what each machine must have besides Trilane. */
  readonly programs: readonly string[];
  /** As it is written for the machines, and read again there. */
  readonly document: object;
  /** What its cells are, and which command lists them. */
  readonly listing: string;
}

export interface SharedPlan extends PlanShares {
  /** Runs the shard's cell to its end, or to a signal, which sets the exit status. False: it is finished already. */
  readonly run: (terms: CellTerms, shard: Shard) => Promise<boolean>;
}

/** What a shard has of a plan's cells. `placeOf`: what one machine runs whole, by any name; these are numbered as they first appear. */
export function cellsOfShard<Cell>(
  cells: readonly Cell[],
  shard: Pick<Shard, "cell"> | undefined,
  placeOf: (cell: Cell) => string | null,
): readonly Cell[] {
  if (!shard || shard.cell === null) return cells;
  return [...Map.groupBy(cells, placeOf).values()][shard.cell - 1] ?? [];
}
