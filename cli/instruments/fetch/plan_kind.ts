// Plans of fetches, as `trilane sweep` takes them beside those of pages.
import { execute } from "../../engine/execute.ts";
import type { PlanKind } from "../../engine/instrument.ts";
import { describeFetches, fetchPlanLines } from "./plan/describe.ts";
import { readyStudyPlan } from "./plan/page.ts";
import { fetchPlanOf, readFetchPlan, shippedFetchPlans } from "./plan/plan.ts";
import { fetchInstrument } from "./run/instrument.ts";

export const fetchPlans: PlanKind = {
  name: "fetch",
  shippedPlans: shippedFetchPlans,
  isPlan: (document) =>
    !Object.hasOwn(document, "pages") &&
    !Object.hasOwn(document, "mixes") &&
    (Object.hasOwn(document, "objects") || Object.hasOwn(document, "page")),
  // A fetch leaves its record alone.
  lacks: ["evidence"],
  read: (pathOrName, runs) => {
    const given = readFetchPlan(pathOrName);
    const asked = runs === undefined ? given : fetchPlanOf({ ...given, repetitions: runs }, pathOrName);
    return {
      describe: async () => {
        const document = describeFetches(asked);
        return { document, lines: fetchPlanLines(asked, document) };
      },
      execute: async (terms) =>
        await execute(terms, fetchInstrument({ ...terms, ...(await readyStudyPlan(terms.home, asked)) })),
    };
  },
};
