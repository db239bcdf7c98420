// The table `load_metric` of the results: what is told of a load beside the columns of `load`, and what is computed of its
// requests when it is stored. Used by the results' owner alone.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { criticalPath } from "../metrics/critical_path.ts";
import { optimalOfLoad_ms } from "../metrics/optimal_load.ts";

/** Null: unavailable, or stored before it was told. CPU times are from the navigation to the load event. */
export interface LoadMetrics {
  readonly cls: number | null;
  readonly tbt_ms: number | null;
  readonly browser_cpu_ms: number | null;
  readonly server_cpu_ms: number | null;
  readonly shaper_cpu_ms: number | null;
  /** Of the critical path; with computation_ms the page load time. */
  readonly network_ms: number | null;
  readonly computation_ms: number | null;
  readonly optimal_ms: number | null;
}

export const loadMetricColumns = [
  "cls",
  "tbt_ms",
  "browser_cpu_ms",
  "server_cpu_ms",
  "shaper_cpu_ms",
  "network_ms",
  "computation_ms",
  "optimal_ms",
] as const satisfies readonly (keyof LoadMetrics)[];

export function loadMetricsOf(load: PageLoad): LoadMetrics {
  const { metrics, cpu } = load.log._trilane;
  const path = criticalPath(load);
  return {
    cls: metrics.cls ?? null,
    tbt_ms: metrics.tbt_ms ?? null,
    browser_cpu_ms: cpu?.load.browser_ms ?? null,
    server_cpu_ms: cpu?.load.server_ms ?? null,
    shaper_cpu_ms: cpu?.load.shaper_ms ?? null,
    network_ms: path?.network_ms ?? null,
    computation_ms: path?.computation_ms ?? null,
    optimal_ms: optimalOfLoad_ms(load),
  };
}

export function addLoadMetrics(database: DatabaseSync, load: number, pageLoad: PageLoad): void {
  const metrics = loadMetricsOf(pageLoad);
  const places = loadMetricColumns.map(() => "?").join(", ");
  database
    .prepare(`INSERT INTO load_metric (load, ${loadMetricColumns.join(", ")}) VALUES (?, ${places})`)
    .run(load, ...loadMetricColumns.map((column) => metrics[column]));
}
