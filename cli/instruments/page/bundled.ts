// A sweep of pages as `trilane bundle` takes it. Loaded with the report's figures, for which other commands do not pay.

import { reportOf } from "../../report/report.ts";
import { csvLines } from "../../results/export/csv.ts";
import type { BundledSweeps } from "../../sweep/bundle/bundled_sweeps.ts";

export const bundledPages: BundledSweeps = {
  isUnnamed: true,
  nouns: ["load", "loads"],
  title: null,
  noRerun: null,
  planSchema: "sweep-plan",
  report: (results, sweep) => reportOf(results, sweep),
  rows: (results, sweep) => {
    const films = results.filmedLoadsOf(sweep);
    return [...csvLines(results.sweep(sweep).plan, results.cellsOf(sweep), results.loadsOf(sweep), films)].join("");
  },
};
