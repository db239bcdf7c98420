// The tables `flow_cell` and `flow_run` of the results: what a sweep of flows compares, and every attempt at a run. Used by the results'
// owner alone; decides nothing about which run comes next, nor what runs mean.
import type { DatabaseSync } from "node:sqlite";
import type { FlowResult } from "../../../schemas/generated/flow_result.ts";
import type { Lane } from "../../../schemas/generated/lane.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { attemptColumns, attemptValues, type NewAttempt, type Read } from "./attempt_rows.ts";
import type { NamedHost } from "./hosts.ts";
import { packedPageLoad, unpackedPageLoad } from "./page_load_blob.ts";
import { storedJson } from "./stored_json.ts";
import type { Environment, StoredFlowPlan } from "./sweep_rows.ts";

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

export interface NewFlowSweep {
  readonly name: string;
  readonly plan: StoredFlowPlan;
  readonly plan_digest: string;
  readonly seed: number;
  readonly command: readonly string[];
  readonly environment: Environment;
  readonly flowCells: readonly NewFlowCell[];
  /** As of sweeps of pages. */
  readonly host?: NamedHost;
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

export function addFlowCells(database: DatabaseSync, sweep: number, cells: readonly NewFlowCell[]): void {
  const insert = database.prepare(
    "INSERT INTO flow_cell (sweep, mix, link, link_profile, lane) VALUES (?, ?, ?, ?, ?)",
  );
  for (const { mix, link, link_profile, lane } of cells)
    insert.run(sweep, mix, link, JSON.stringify(link_profile), lane);
}

/** Its number. */
export function addFlowRun(database: DatabaseSync, run: NewFlowRun): number {
  const { result, series, pageLoad } = run;
  const statement = database.prepare(
    `INSERT INTO flow_run (${attemptColumns}, result, series, page_load) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const json = result === null ? null : JSON.stringify(result);
  const load = pageLoad === null ? null : packedPageLoad(pageLoad);
  return Number(statement.run(...attemptValues(run), json, series, load).lastInsertRowid);
}

/** In the plan's order. */
export function readFlowCells(read: Read, sweep: number): FlowCell[] {
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
export function readFlowRuns(read: Read, sweep: number): FlowRunRow[] {
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
export function readSeries(read: Read, run: number): Uint8Array | null {
  const series = read("SELECT series FROM flow_run WHERE id = ?", run)[0]?.series;
  return series instanceof Uint8Array ? series : null;
}

/** The page load amid a run's flows; null: there was none. `name` is the file's, for errors; `isForeign`: it may be a stranger's. */
export function readPageLoad(read: Read, run: number, name: string, isForeign: boolean): PageLoad | null {
  const blob = read("SELECT page_load FROM flow_run WHERE id = ?", run)[0]?.page_load;
  return blob instanceof Uint8Array ? unpackedPageLoad(blob, `${name}: flow run ${run}`, isForeign) : null;
}
