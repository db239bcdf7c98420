// The table `load_metric` of the results: what is told of a load beside the columns of `load`, and what is computed of its
// requests when it is stored. Used by the results' owner alone.
import type { DatabaseSync } from "node:sqlite";
import type { ComputedMetric, VideoMetric } from "../../../extension/capture/metric_facts.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { UserTimingName } from "../../base/user_timing_name.ts";
import { criticalPath } from "../../load/metrics/critical_path.ts";
import { optimalOfLoad_ms } from "../../load/metrics/optimal_load.ts";
import { movesCost } from "../../load/metrics/path_moves.ts";
import { videoMetricsOf } from "../../load/metrics/video/video_metrics.ts";
import { type LaterMetric, laterMetrics, loadMetricColumns, userTimingsColumn } from "./metric_columns.ts";

type Values<Name extends string> = Readonly<Record<Name, number | null>>;

/** Null: unavailable, or stored before it was told. */
export type LoadMetrics = Values<LaterMetric | ComputedMetric | VideoMetric>;

/** CPU times are from the navigation to the load event; network and computation, of the critical path, are the page load time. */
function computedOf(load: PageLoad): Values<ComputedMetric> {
  const { cpu } = load.log._trilane;
  const path = criticalPath(load);
  const moves = movesCost(load);
  return {
    browser_cpu_ms: cpu?.load.browser_ms ?? null,
    server_cpu_ms: cpu?.load.server_ms ?? null,
    shaper_cpu_ms: cpu?.load.shaper_ms ?? null,
    network_ms: path?.network_ms ?? null,
    computation_ms: path?.computation_ms ?? null,
    optimal_ms: optimalOfLoad_ms(load),
    disturbance_estimate_ms: load.log._trilane.disturbance?.estimate_ms ?? null,
    fallback_ms: load.log._trilane.fallback?.time_ms ?? null,
    moved_first_byte_ms: moves?.moved_first_byte_ms ?? null,
    path_moves: moves?.path_moves ?? null,
    reconnections: moves?.reconnections ?? null,
  };
}

function loadMetricsOf(load: PageLoad): LoadMetrics {
  const { metrics, video } = load.log._trilane;
  const later = Object.fromEntries(laterMetrics.map((name) => [name, metrics[name] ?? null]));
  return { ...(later as Values<LaterMetric>), ...computedOf(load), ...videoMetricsOf(video ?? null) };
}

/** By `mark:NAME` and `measure:NAME`, in ms. */
export type UserTimings = Readonly<Record<UserTimingName, number>>;

function userTimingsText({ log }: PageLoad): string | null {
  const { user_timings = [] } = log._trilane;
  const timings = Object.fromEntries(user_timings.map(({ kind, name, value_ms }) => [`${kind}:${name}`, value_ms]));
  return user_timings.length === 0 ? null : JSON.stringify(timings);
}

export function addLoadMetrics(database: DatabaseSync, load: number, pageLoad: PageLoad): void {
  const metrics = loadMetricsOf(pageLoad);
  const places = loadMetricColumns.map(() => "?").join(", ");
  database
    .prepare(
      `INSERT INTO load_metric (load, ${loadMetricColumns.join(", ")}, ${userTimingsColumn}) VALUES (?, ${places}, ?)`,
    )
    .run(load, ...loadMetricColumns.map((column) => metrics[column]), userTimingsText(pageLoad));
}
