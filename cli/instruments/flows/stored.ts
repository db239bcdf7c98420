// Stored sweeps of flows, as `trilane report` and `export` take them.
import type { StoredSweeps } from "../../engine/instrument.ts";
import { exportFlows } from "./export/export_flows.ts";
import { flowReport } from "./report/flow_report.ts";

export const storedFlows: StoredSweeps = {
  attempts: (results, sweep) => results.flowRunsOf(sweep).length,
  report: flowReport,
  export: (results, sweep, terms) => exportFlows(results, results.flowSweep(sweep), terms),
};
