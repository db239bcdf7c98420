// Stored sweeps of flows, as `trilane report` and `export` take them, and `plan` if they show how much the runs of a plan vary.

import type { StoredSweeps } from "../../engine/plan_kind.ts";
import { urlMasking } from "../../sweep/bundle/masking.ts";
import type { PlannedComparisons } from "../../sweep/plan/detect_comparisons.ts";
import { comparedFlows } from "./answer/compared.ts";
import { comparedTogether, flowStopping, partsByMix, type RuledFlowRun, ruledFlows } from "./answer/contrasts.ts";
import { flowCsvLines } from "./export/csv.ts";
import { exportFlows } from "./export/export_flows.ts";
import { exportedRuns } from "./export/exported_run.ts";
import { cellsOf, type FlowPlan } from "./plan/plan.ts";
import { flowReport } from "./report/flow_report.ts";
import { type FlowCell, flowCellsOf, flowRunsOf } from "./store/flow_runs.ts";
import { flowSweeps, type StoredFlowPlan } from "./store/stored_plan.ts";
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

function contrastedCells(plan: StoredFlowPlan, cells: readonly Pick<FlowCell, "id" | "mix" | "link" | "lane">[]) {
  const parts = partsByMix(plan);
  return cells.map((cell) => ({ ...cell, parts: parts.get(cell.mix) ?? [] }));
}

/** `seconds`: that so many runs of the plan take. */
export function plannedFlowComparisons(
  plan: FlowPlan,
  seconds: (runs: number) => number,
): PlannedComparisons<RuledFlowRun> {
  const cells = contrastedCells(
    plan,
    cellsOf(plan).map((cell, id) => ({ ...cell, id })),
  );
  return {
    ...{ plan, seconds, noun: "runs", ruled: ruledFlows(cells), together: comparedTogether(cells) },
    stored: (results, id) => {
      const sweep = results.sweepOf(flowSweeps, id);
      return flowStopping(sweep, contrastedCells(sweep.plan, flowCellsOf(results, id)), flowRunsOf(results, id));
    },
  };
}
