// What commands that take plans and sweeps of any instrument know of page loads.

import { join } from "node:path";
import type { PlanKind } from "../../engine/plan_kind.ts";
import { columns } from "../../results/export/csv.ts";
import type { Sweep } from "../../results/store/results.ts";
import { studies } from "../../results/studies/all.ts";
import { countPlaces } from "../../sweep/plan/places.ts";
import { shippedPlans } from "../../sweep/plan/plan.ts";
import { defineStoredMetric } from "../../sweep/plan/plan_options.ts";
import { type PagePlanOptions, readPagePlan } from "./plan/read.ts";
import { type StudyOptions, studyPages } from "./plan/study_pages.ts";

export const pageFormats = ["har", "csv", "json", "race", "p1203"] as const;

export const pagePlans: PlanKind = {
  name: "race",
  shippedPlans,
  isPlan: (document) => Object.hasOwn(document, "pages"),
  takes: () => true,
  read: (plan, _changes, options) => readPagePlan({ ...(options as PagePlanOptions), plan }),
  sweeps: "pages",
  attempts: "loads",
  sharedCells: (plan) => countPlaces(plan as Sweep["plan"]),
  reference: join(import.meta.dirname, "plan", "reference.json"),
  storedOptions: [{ of: ["report"], define: defineStoredMetric, names: ["metric"] }],
  formats: pageFormats,
  formatWords:
    "Of loads har: requests; csv: a row each; json: all but requests; race: a race with one load of each lane. Of videos p1203: the input of ITU-T P.1203 (schemas/p1203.schema.json), whose models score H.264 and no Opus.",
  columns: [{ of: "Columns of the CSV; an empty field is unavailable", columns }],
  studies,
  studyOptions: (study, options) => studyPages(study, options as StudyOptions),
  // As they are stored: what a machine of several ran has some of the plan's pages.
  span: (sweep, results) => ({
    pages: new Set(results.cellsOf(sweep.id).map(({ page }) => page)).size,
    lanes: [...(sweep as Sweep).plan.lanes],
  }),
  spanned: ({ pages }) => String(pages),
  stored: async () => (await import("./stored.ts")).storedPages,
};
