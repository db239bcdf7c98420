// What a sweep of flows compares, and every attempt at a run, in the results. Decides nothing about which run comes next, nor what runs
// mean.
import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import type { Lane } from "../../../../schemas/generated/lane.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import {
  documentOf,
  type NewAttempt,
  readAttempts,
  readCells,
  recordAttempt,
} from "../../../results/store/attempt_rows.ts";
import { packedPageLoad, unpackedPageLoad } from "../../../results/store/page_load_blob.ts";
import type { NewSweepFacts } from "../../../results/store/results.ts";
import type { AddedSweep, SweepStore } from "../../../results/store/sweep_store.ts";
import type { PlannedLink } from "../../../sweep/plan/plan_links.ts";
import type { FlowSweep, StoredFlowPlan } from "./stored_plan.ts";

interface NewFlowCell extends PlannedLink {
  /** The mix's name. */
  readonly mix: string;
  /** Of the page that is loaded during the flows; null: there is none. */
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
  /** null: no page was loaded during the flows. */
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
export const addedFlows = ({ flowCells, ...added }: NewFlowSweep): AddedSweep<FlowSweep> => ({
  ...added,
  kind: "flows",
  addedCells: flowCells.map(({ mix, ...cell }) => ({ subject: mix, ...cell })),
});

/** Stores one attempt at a run, whole or not at all; returns its number. */
export const recordFlowRun = (store: SweepStore, { result, series, pageLoad, ...run }: NewFlowRun): number =>
  recordAttempt(store, run, { "flow-result": result, series, "page-load": pageLoad && packedPageLoad(pageLoad) });

/** In the plan's order. */
export const flowCellsOf = (store: SweepStore, sweep: number): FlowCell[] =>
  readCells(store, ["id", "sweep", "subject AS mix", "link", "link_profile", "lane"], sweep);

/** Every attempt in the order in which they ended. */
export const flowRunsOf = (store: SweepStore, sweep: number): FlowRunRow[] =>
  readAttempts(store, ["subject AS mix", "link", "lane"], { result: "flow-result" }, sweep);

/** The packed records of one run; null: it left too little, or there is no such run. */
export const flowSeriesOf = (store: SweepStore, run: number): Uint8Array | null => documentOf(store, run, "series");

/** The page load beside a run's flows; null: there was none. */
export function flowPageLoadOf(store: SweepStore, run: number): PageLoad | null {
  const blob = documentOf(store, run, "page-load");
  return blob && unpackedPageLoad(blob, `${store.path}: flow run ${run}`, store.remedies.isForeign);
}
