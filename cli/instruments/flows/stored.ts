// Stored sweeps of flows, as `trilane report` and `export` take them.

import type { StoredSweeps } from "../../engine/plan_kind.ts";
import { urlMasking } from "../../sweep/bundle/masking.ts";
import { comparedFlows } from "./answer/compared.ts";
import { flowCsvLines } from "./export/csv.ts";
import { exportFlows } from "./export/export_flows.ts";
import { exportedRuns } from "./export/exported_run.ts";
import { flowReport } from "./report/flow_report.ts";
import { flowCellsOf, flowRunsOf } from "./store/flow_runs.ts";
import { flowSweeps } from "./store/stored_plan.ts";
import { flowStudies } from "./studies/all.ts";
import { comparedFlowFigures } from "./studies/flow_agreement.ts";

export const storedFlows: StoredSweeps = {
  report: flowReport,
  run: (results, sweep) =>
    comparedFlows(
      results.sweepOf(flowSweeps, sweep),
      flowCellsOf(results, sweep),
      flowRunsOf(results, sweep),
      results.recordingOf(sweep),
    ),
  studyFigures: (results, sweep, name) => {
    const study = flowStudies.find((each) => each.name === name);
    return study ? comparedFlowFigures(study, flowRunsOf(results, sweep), results.sweepOf(flowSweeps, sweep).seed) : [];
  },
  export: (results, sweep, terms) => exportFlows(results, results.sweepOf(flowSweeps, sweep), terms),
  bundled: async () => ({
    nouns: ["run", "runs"],
    title: "Bulk flows",
    noRerun: "its flows are not run from a bundle: run its plan.json by `trilane sweep`",
    planSchema: "flow-plan",
    report: flowReport,
    rows: (results, sweep) =>
      [...flowCsvLines(exportedRuns(flowCellsOf(results, sweep), flowRunsOf(results, sweep)))].join(""),
    masking: urlMasking,
  }),
};
