// What commands that take plans and sweeps of any instrument know of fetches.
import { count } from "../../base/numbers.ts";
import { schemaTexts } from "../../base/schema_error.ts";
import type { PlanKind } from "../../engine/plan_kind.ts";
import { questionOf } from "../../sweep/plan/detect_option.ts";
import { fetchColumns, fetchFormats } from "./export/csv.ts";
import { describeFetches, fetchPlanLines, withObjects } from "./plan/describe.ts";
import { plannedFetches, readyNamedPlan } from "./plan/page.ts";
import { fetchPlanDigest, fetchPlanOf, readFetchPlan, shippedFetchPlans } from "./plan/plan.ts";
import { sharedFetchCells, sharedFetches } from "./plan/shares.ts";
import { definePrefixes } from "./prefixes/option.ts";
import { fetchSweeps, type StoredFetchPlan } from "./store/stored_plan.ts";
import { fetchStudies } from "./studies/all.ts";

const members = (schema: string): string[] =>
  Object.keys(
    (JSON.parse(schemaTexts(schema).get(`${schema}.schema.json`) ?? "{}") as { properties: object }).properties,
  );

/** `page` may also be meant for `pages`: then other members are of plans of page loads. */
function isOfPageLoads(document: object): boolean {
  const ofFetches = members("fetch-plan");
  return members("sweep-plan").some((name) => !ofFetches.includes(name) && Object.hasOwn(document, name));
}

export const fetchPlans: PlanKind = {
  name: "fetch",
  shippedPlans: shippedFetchPlans,
  isPlan: (document) =>
    !Object.hasOwn(document, "pages") &&
    !Object.hasOwn(document, "mixes") &&
    (Object.hasOwn(document, "objects") || (Object.hasOwn(document, "page") && !isOfPageLoads(document))),
  studies: fetchStudies,
  sweeps: "fetches",
  attempts: "fetches",
  sharedCells: (plan) => sharedFetchCells(plan as StoredFetchPlan),
  storedOptions: [{ of: ["report", "export"], define: definePrefixes, names: ["prefixes", "as-names"] }],
  span: ({ plan }) => {
    const { page, objects, lanes } = plan as StoredFetchPlan;
    return { pages: page === undefined ? 0 : 1, objects: objects.length, lanes: [...lanes] };
  },
  spanned: ({ objects = 0 }) => count(objects, "object"),
  formats: fetchFormats,
  formatWords: "Of fetches csv: a row each; json.",
  columns: [{ of: "Of a sweep of fetches", columns: fetchColumns }],
  stored: async () => (await import("./stored.ts")).storedFetches,
  read: (pathOrName, changes, options) => {
    const given = readFetchPlan(pathOrName);
    const plan = Object.keys(changes).length === 0 ? given : fetchPlanOf({ ...given, ...changes }, pathOrName);
    // Its recording is known once it is ready.
    let digest: string | null = null;
    return {
      describe: async (home, source) => {
        const question = questionOf(options);
        const planned = await plannedFetches(home, source, plan);
        const document = describeFetches(planned);
        const seconds = (repetitions: number): number =>
          describeFetches({ ...planned, plan: { ...planned.plan, repetitions } }).expected_s;
        const { withDetection } = await import("../../sweep/plan/detect_comparisons.ts");
        return await withDetection(
          { document, lines: fetchPlanLines(planned.plan, document) },
          home,
          question,
          async () => (await import("./stored.ts")).plannedFetchComparisons(withObjects(planned).plan, seconds),
        );
      },
      execute: async (terms) => {
        const [{ execute }, { fetchInstrument }] = await Promise.all([
          import("../../engine/execute.ts"),
          import("./run/instrument.ts"),
        ]);
        const ready = await readyNamedPlan(terms.home, terms.source, plan);
        digest = fetchPlanDigest(ready.plan, ready.recording?.digest ?? null);
        return await execute(terms, fetchInstrument({ ...terms, ...ready }));
      },
      shared: async () => sharedFetches(plan),
      newestSweep: (results) => (digest === null ? null : results.newestOf(fetchSweeps, digest)),
    };
  },
};
