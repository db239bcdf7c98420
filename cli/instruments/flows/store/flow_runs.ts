// The tables `flow_cell` and `flow_run` of the results: what a sweep of flows compares, and every attempt at a run. Decides nothing about
// which run comes next, nor what runs mean.
import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import type { Lane } from "../../../../schemas/generated/lane.ts";
import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { attemptColumns, attemptValues, type NewAttempt } from "../../../results/store/attempt_rows.ts";
import { packedPageLoad, unpackedPageLoad } from "../../../results/store/page_load_blob.ts";
import type { FlowSweep, NewSweepFacts, StoredFlowPlan } from "../../../results/store/results.ts";
import { storedJson } from "../../../results/store/stored_json.ts";
import type { AddedSweep, SweepStore } from "../../../results/store/sweep_store.ts";

export interface NewFlowCell {
  /** The mix's name. */
  readonly mix: string;
  /** Short form, canonical. */
  readonly link: string;
  readonly link_profile: LinkProfile;
  /** Of the page that is loaded amid the flows; null: there is none. */
  readonly lane: Lane | null;
}

export interface FlowCell extends NewFlowCell {
  readonly id: number;
  readonly sweep: number;
}

export interface NewFlowSweep extends NewSweepFacts {
  readonly plan: StoredFlowPlan;
  readonly flowCells: readonly NewFlowCell[];
}

export interface NewFlowRun extends NewAttempt {
  /** null, here and below: the run left too little. */
  readonly result: FlowResult | null;
  /** The run's records, packed (cli/instruments/flows/records/stored_records.ts). */
  readonly series: Uint8Array | null;
  /** null: no page was loaded amid the flows. */
  readonly pageLoad: PageLoad | null;
}

/** An attempt at a run without its series and page load. */
export interface FlowRunRow extends Omit<NewFlowRun, "series" | "pageLoad"> {
  readonly id: number;
  readonly mix: string;
  readonly link: string;
  readonly lane: Lane | null;
}

/** For SweepStore's `begin` and `beginOnce`. */
export const addedFlows = ({ flowCells, ...begun }: NewFlowSweep): AddedSweep<FlowSweep> => ({
  ...begun,
  kind: "flows",
  addCells: (database, sweep) => {
    const insert = database.prepare(
      "INSERT INTO flow_cell (sweep, mix, link, link_profile, lane) VALUES (?, ?, ?, ?, ?)",
    );
    for (const { mix, link, link_profile, lane } of flowCells)
      insert.run(sweep, mix, link, JSON.stringify(link_profile), lane);
  },
});

/** Stores one attempt at a run, whole or not at all; returns its number. */
export function recordFlowRun(store: SweepStore, run: NewFlowRun): number {
  const { result, series, pageLoad } = run;
  const json = result === null ? null : JSON.stringify(result);
  const load = pageLoad === null ? null : packedPageLoad(pageLoad);
  const query = `INSERT INTO flow_run (${attemptColumns}, result, series, page_load) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  return store.write((database) =>
    Number(database.prepare(query).run(...attemptValues(run), json, series, load).lastInsertRowid),
  );
}

/** In the plan's order. */
export function flowCellsOf({ read }: SweepStore, sweep: number): FlowCell[] {
  return read("SELECT * FROM flow_cell WHERE sweep = ? ORDER BY id", sweep).map((row) => ({
    id: Number(row.id),
    sweep: Number(row.sweep),
    mix: String(row.mix),
    link: String(row.link),
    link_profile: storedJson(row.link_profile, "flow_cell.link_profile") as LinkProfile,
    lane: row.lane === null ? null : (String(row.lane) as Lane),
  }));
}

/** Every attempt in the order in which they ended. */
export function flowRunsOf({ read }: SweepStore, sweep: number): FlowRunRow[] {
  const query = `SELECT flow_run.id, mix, link, lane, ${attemptColumns}, result FROM flow_run JOIN flow_cell ON flow_cell.id = flow_run.cell
    WHERE flow_cell.sweep = ? ORDER BY flow_run.id`;
  return read(query, sweep).map(
    ({ reasons, result, ...row }) =>
      ({
        ...row,
        reasons: storedJson(reasons, "flow_run.reasons") as string[],
        result: result === null ? null : (storedJson(result, "flow_run.result") as FlowResult),
      }) as unknown as FlowRunRow,
  );
}

/** The packed records of one run; null: it left too little, or there is no such run. */
export function flowSeriesOf({ read }: SweepStore, run: number): Uint8Array | null {
  const series = read("SELECT series FROM flow_run WHERE id = ?", run)[0]?.series;
  return series instanceof Uint8Array ? series : null;
}

/** The page load beside a run's flows; null: there was none. */
export function flowPageLoadOf({ read, path, remedies }: SweepStore, run: number): PageLoad | null {
  const blob = read("SELECT page_load FROM flow_run WHERE id = ?", run)[0]?.page_load;
  return blob instanceof Uint8Array ? unpackedPageLoad(blob, `${path}: flow run ${run}`, remedies.isForeign) : null;
}
