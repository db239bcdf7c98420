// What an export knows of one attempt at a run of flows: its row in the results, its cell, and what it measured. Reads nothing.
import type { FlowResult, FlowResultDirection } from "../../../../schemas/generated/flow_result.ts";
import type { FlowCell, FlowRunRow } from "../store/flow_runs.ts";

export interface ExportedRun {
  readonly run: FlowRunRow;
  readonly cell: FlowCell;
  /** null: it left too little. */
  readonly result: FlowResult | null;
}

/** Runs in the order in which they ended, with their cells. A run's result was checked when it was stored. */
export function exportedRuns(cells: readonly FlowCell[], runs: readonly FlowRunRow[]): ExportedRun[] {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  return runs.flatMap((run) => {
    const cell = byId.get(run.cell);
    return cell ? [{ run, cell, result: run.result as FlowResult | null }] : [];
  });
}

export function directionOf(result: FlowResult, direction: "down" | "up"): FlowResultDirection | null {
  return direction === "down" ? result.down : result.up;
}
