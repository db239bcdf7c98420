// What a report of fetches is made of, read from the results: every attempt, those that are timed, and those whose system calls were
// counted. Chooses which those are; draws nothing.
import type { Host, LinkTest, Results } from "../../../results/store/results.ts";
import { fetchesByPurpose } from "../answer/summary.ts";
import type { Fetched } from "../metrics/fetched.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import { type FetchCell, fetchesOf, type StoredFetch, storedFetchCellsOf } from "../store/fetch_runs.ts";
import { type FetchSweep, fetchSweeps } from "../store/stored_plan.ts";

export interface FetchReportData {
  readonly version: string;
  readonly sweep: FetchSweep;
  readonly cells: readonly FetchCell[];
  /** Every attempt. */
  readonly fetches: readonly StoredFetch[];
  /** Of `fetches` those that times are of, with those that failed. */
  readonly timed: readonly Fetched[];
  readonly counted: readonly Fetched[];
  readonly linkTests: readonly LinkTest[];
  readonly hosts: readonly Host[];
  /** Null: no file of prefixes was given. */
  readonly systems: AutonomousSystems | null;
}

/** Reads what a report on a sweep of fetches needs. UserError where the sweep is of another kind. */
export function gatherFetchReport(
  results: Results,
  sweepId: number,
  version: string,
  systems: AutonomousSystems | null,
): FetchReportData {
  const sweep = results.sweepOf(fetchSweeps, sweepId);
  const fetches = fetchesOf(results, sweepId);
  return {
    ...{ version, sweep, fetches, systems },
    cells: storedFetchCellsOf(results, sweepId),
    ...fetchesByPurpose(fetches, sweep.plan.repetitions),
    linkTests: results.linkTestsOf(sweepId),
    hosts: results.hostsOf(sweepId),
  };
}
