// A sweep of flows as one JSON document by schemas/flow-export.schema.json: what was planned, every run with its result, and what the valid
// runs of each cell say together. No series.
import type { FlowExport, FlowExportSummary } from "../../../../schemas/generated/flow_export.ts";
import type { Stopping } from "../../../../schemas/generated/stopping.ts";
import { exportedSweep } from "../../../engine/export.ts";
import type { MetricSummary } from "../../../results/stats/metric_summary.ts";
import { summarizeRuns } from "../answer/summary.ts";
import type { FlowCell } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";
import type { ExportedRun } from "./exported_run.ts";

type Summaries = Readonly<Record<string, MetricSummary>>;

function exported(summaries: Summaries): FlowExportSummary["groups"][number]["each"] {
  const all = Object.entries(summaries).map(([name, { runs, median, interval, reason }]) => [
    name,
    { runs, median, low: interval?.low ?? null, high: interval?.high ?? null, reason },
  ]);
  return Object.fromEntries(all);
}

function summaryOf(cell: FlowCell, runs: readonly ExportedRun[]): FlowExportSummary {
  const valid = runs.filter(({ run }) => run.cell === cell.id && run.status === "valid");
  const { runs: count, groups, down, up, ping } = summarizeRuns(valid.flatMap(({ result }) => result ?? []));
  const orNull = (summaries: Summaries | null) => summaries && exported(summaries);
  return {
    cell: cell.id,
    runs: count,
    groups: groups.map(({ all, each, ...group }) => ({ ...group, all: exported(all), each: exported(each) })),
    ...{ down: orNull(down), up: orNull(up), ping: orNull(ping) },
  };
}

/** `stopping`: what the plan's rule came to, by all runs. */
export function flowExportDocument(
  sweep: FlowSweep,
  cells: readonly FlowCell[],
  runs: readonly ExportedRun[],
  stopping: Stopping | null,
): FlowExport {
  return {
    schema: "trilane/flow-export/1",
    sweep: exportedSweep<FlowExport["sweep"]["plan"]>(sweep),
    cells: cells.map(({ sweep: _, ...cell }) => cell),
    runs: runs.map(({ run: { mix: _mix, link: _link, lane: _lane, ...run }, result }) => ({
      ...run,
      reasons: [...run.reasons],
      result,
    })),
    summaries: cells.map((cell) => summaryOf(cell, runs)),
    ...(stopping ? { stopping } : {}),
  };
}
