// Stored sweeps of fetches, as `trilane report` and `export` take them.
import type { StoredSweeps } from "../../engine/instrument.ts";
import { exportFetches } from "./export/export_fetches.ts";
import { systemsOf } from "./prefixes/option.ts";
import { fetchReport } from "./report/fetch_report.ts";

export const storedFetches: StoredSweeps = {
  attempts: (results, sweep) => results.fetchesOf(sweep).length,
  report: (results, sweep, given) => fetchReport(results, sweep, systemsOf(given)),
  export: (results, sweep, terms) => exportFetches(results, results.fetchSweep(sweep), terms),
};
