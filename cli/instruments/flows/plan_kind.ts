// What commands that take plans and sweeps of any instrument know of flows.

import { plainLanes } from "../../base/lanes.ts";
import { count } from "../../base/numbers.ts";
import type { PlanKind } from "../../engine/plan_kind.ts";
import { questionOf } from "../../sweep/plan/detect_option.ts";
import { countLinks } from "../../sweep/plan/plan_links.ts";
import { flowColumns, flowFormats } from "./export/csv.ts";
import { seriesColumns } from "./export/series_csv.ts";
import { describeFlows, flowPlanLines } from "./plan/describe.ts";
import { pageSizeOf } from "./plan/page.ts";
import { flowPlanDigest, flowPlanOf, readFlowPlan, sharedFlows, shippedFlowPlans } from "./plan/plan.ts";
import { flowSweeps, type StoredFlowPlan } from "./store/stored_plan.ts";
import { flowStudies } from "./studies/all.ts";

export const flowPlans: PlanKind = {
  name: "flows",
  shippedPlans: shippedFlowPlans,
  isPlan: (document) => Object.hasOwn(document, "mixes"),
  studies: flowStudies,
  sweeps: "flows",
  attempts: "runs",
  sharedCells: (plan) => countLinks(plan as StoredFlowPlan),
  span: ({ plan }) => {
    const { page, lanes = plainLanes, mixes } = plan as StoredFlowPlan;
    return { pages: page === undefined ? 0 : 1, lanes: page === undefined ? [] : [...lanes], mixes: mixes.length };
  },
  spanned: ({ mixes = 0 }) => count(mixes, "mix", "mixes"),
  formats: flowFormats,
  formatWords:
    "Of flows csv: a row per run and flow; series: what they did over time; json; flent: files for flent's plotter.",
  columns: [
    { of: "Of a sweep of flows", columns: flowColumns },
    { of: "Of its series", columns: seriesColumns },
  ],
  stored: async () => (await import("./stored.ts")).storedFlows,
  read: (pathOrName, changes, options) => {
    const given = readFlowPlan(pathOrName);
    const plan = Object.keys(changes).length === 0 ? given : flowPlanOf({ ...given, ...changes }, pathOrName);
    return {
      describe: async (home, source) => {
        const question = questionOf(options);
        const size = plan.page === undefined ? null : await pageSizeOf(home, source, plan.page, null);
        const document = describeFlows(plan, size);
        const seconds = (repetitions: number): number => describeFlows({ ...plan, repetitions }, size).expected_s;
        const { withDetection } = await import("../../sweep/plan/detect_comparisons.ts");
        return await withDetection({ document, lines: flowPlanLines(plan, document) }, home, question, async () =>
          (await import("./stored.ts")).plannedFlowComparisons(plan, seconds),
        );
      },
      execute: async (terms) => {
        const [{ execute }, { flowInstrument }] = await Promise.all([
          import("../../engine/execute.ts"),
          import("./run/instrument.ts"),
        ]);
        return await execute(terms, flowInstrument({ ...terms, plan }));
      },
      shared: async () => sharedFlows(plan),
      newestSweep: (results) => results.newestOf(flowSweeps, flowPlanDigest(plan)),
    };
  },
};
