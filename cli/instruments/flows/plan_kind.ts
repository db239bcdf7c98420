// Plans of flows, as `trilane sweep` takes them beside those of pages.
import { execute } from "../../engine/execute.ts";
import type { PlanKind } from "../../engine/instrument.ts";
import { describeFlows, flowPlanLines } from "./plan/describe.ts";
import { pageSizeOf } from "./plan/page.ts";
import { flowPlanOf, readFlowPlan, shippedFlowPlans } from "./plan/plan.ts";
import { flowInstrument } from "./run/instrument.ts";

export const flowPlans: PlanKind = {
  name: "flows",
  shippedPlans: shippedFlowPlans,
  isPlan: (document) => Object.hasOwn(document, "mixes"),
  lacks: [],
  read: (pathOrName, runs) => {
    const given = readFlowPlan(pathOrName);
    const plan = runs === undefined ? given : flowPlanOf({ ...given, repetitions: runs }, pathOrName);
    return {
      describe: async (home) => {
        const document = describeFlows(plan, plan.page === undefined ? null : await pageSizeOf(home, plan.page, null));
        return { document, lines: flowPlanLines(plan, document) };
      },
      execute: (terms) => execute(terms, flowInstrument({ ...terms, plan })),
    };
  },
};
