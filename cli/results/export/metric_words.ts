// What each number of a load is called and means, for the report's table and the exports' columns: the metrics', as
// schemas/metrics.schema.json has them, and the counts'. Computes none.
import {
  computedFacts,
  type MetricFacts,
  metricFacts,
  videoFacts,
  videoMetrics,
  visualFacts,
} from "../../../extension/capture/metric_facts.ts";
import type { FilmedLoad, Load } from "../store/results.ts";

type Words = Pick<MetricFacts, "title" | "meaning">;

const counts = {
  requests: { title: "requests", meaning: "requests of the page" },
  bytes: { title: "bytes", meaning: "bytes received, headers included" },
  connections: { title: "connections", meaning: "transport connections" },
} as const satisfies Partial<Record<keyof Load, Words>>;

export const loadMetrics = { ...metricFacts, ...computedFacts, ...videoFacts, ...counts } satisfies Partial<
  Record<keyof Load, Words>
>;

export type LoadMetric = keyof typeof loadMetrics;

export const filmMetrics: Readonly<Record<FilmMetric, Words>> = visualFacts;

export type FilmMetric = keyof typeof visualFacts & keyof FilmedLoad;

/** Of a video, for help. */
export const videoMetricLines = videoMetrics.map((name) => `  ${name.padEnd(20)} ${videoFacts[name].meaning}`);
