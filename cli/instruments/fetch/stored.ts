// Stored sweeps of fetches, as `trilane report` and `export` take them, and `plan` if they show how much the fetches of a plan vary.

import type { StoredSweeps } from "../../engine/plan_kind.ts";
import { urlMasking } from "../../sweep/bundle/masking.ts";
import type { PlannedComparisons } from "../../sweep/plan/detect_comparisons.ts";
import { comparedFetches } from "./answer/compared.ts";
import { type RuledFetch, ruledFetches } from "./answer/comparison.ts";
import { fetchesByPurpose } from "./answer/summary.ts";
import { comparedTogether, fetchStopping } from "./answer/verdict.ts";
import { fetchCsvLines } from "./export/csv.ts";
import { exportFetches } from "./export/export_fetches.ts";
import { type FetchPlan, fetchCellsOf } from "./plan/plan.ts";
import { systemsOf } from "./prefixes/option.ts";
import { fetchReport } from "./report/fetch_report.ts";
import { fetchesOf, storedFetchCellsOf } from "./store/fetch_runs.ts";
import { fetchSweeps } from "./store/stored_plan.ts";
import { fetchStudies } from "./studies/all.ts";
import { comparedFetchFigures } from "./studies/fetch_agreement.ts";

export const storedFetches: StoredSweeps = {
  report: (results, sweep, given) => fetchReport(results, sweep, systemsOf(given)),
  run: (results, sweep) =>
    comparedFetches(
      results.sweepOf(fetchSweeps, sweep),
      storedFetchCellsOf(results, sweep),
      fetchesOf(results, sweep),
      results.recordingOf(sweep),
    ),
  studyFigures: (results, id, name) => {
    const study = fetchStudies.find((each) => each.name === name);
    const { plan, seed } = results.sweepOf(fetchSweeps, id);
    return study ? comparedFetchFigures(study, fetchesByPurpose(fetchesOf(results, id), plan.repetitions), seed) : [];
  },
  export: (results, sweep, terms) => exportFetches(results, results.sweepOf(fetchSweeps, sweep), terms),
  bundled: async () => ({
    nouns: ["fetch", "fetches"],
    title: "Objects, fetched,",
    noRerun: "its objects are not fetched from a bundle: run its plan.json by `trilane sweep`",
    planSchema: "fetch-plan",
    report: (results, sweep) => fetchReport(results, sweep, null),
    rows: (results, sweep) => [...fetchCsvLines(fetchesOf(results, sweep), null)].join(""),
    masking: urlMasking,
  }),
};

/** `seconds`: that so many runs of the plan take. */
export function plannedFetchComparisons(
  plan: FetchPlan,
  seconds: (runs: number) => number,
): PlannedComparisons<RuledFetch> {
  const ruled = ruledFetches(fetchCellsOf(plan).map((cell, id) => ({ ...cell, id, sweep: 0 })));
  return {
    ...{ plan, seconds, noun: "fetches", ruled, together: comparedTogether(ruled.comparisons) },
    stored: (results, id) =>
      fetchStopping(results.sweepOf(fetchSweeps, id), storedFetchCellsOf(results, id), fetchesOf(results, id)),
  };
}
