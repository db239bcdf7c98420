// Stored sweeps of flows, as `trilane report` and `export` take them.
import type { StoredSweeps } from "../../engine/instrument.ts";
import { exportFlows } from "./export/export_flows.ts";
import { flowReport } from "./report/flow_report.ts";
import { flowStudies } from "./studies/all.ts";
import { comparedFlowFigures } from "./studies/flow_agreement.ts";

export const storedFlows: StoredSweeps = {
  attempts: (results, sweep) => results.flowRunsOf(sweep).length,
  report: flowReport,
  compared: (results, sweep, name) => {
    const study = flowStudies.find((each) => each.name === name);
    return study ? comparedFlowFigures(study, results.flowRunsOf(sweep), results.flowSweep(sweep).seed) : [];
  },
  export: (results, sweep, terms) => exportFlows(results, results.flowSweep(sweep), terms),
};
