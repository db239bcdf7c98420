// Stored sweeps of pages, as `trilane report`, `export`, `compare` and `bundle` take them.

import type { StoredSweeps } from "../../engine/plan_kind.ts";
import type { MetricChoice } from "../../results/verdict/compared_metric.ts";
import { comparedPages } from "./answer/compared.ts";

export const storedPages: StoredSweeps = {
  report: async (results, sweep, { metric }: { readonly metric?: MetricChoice | undefined }) =>
    (await import("../../report/report.ts")).reportOf(results, sweep, metric),
  run: comparedPages,
  export: async (results, sweep, terms) => await (await import("./export_loads.ts")).exportLoads(results, sweep, terms),
  bundled: async () => (await import("./bundled.ts")).bundledPages,
  rerun: async (request, terms) => await (await import("./plan/rerun.ts")).rerunPages(request, terms),
};
