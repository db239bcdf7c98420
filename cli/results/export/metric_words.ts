// What each metric of a load is called and means, for the report's table and the exports' columns. Computes none.
import { metricFacts } from "../../../extension/capture/metric_facts.ts";
import type { FilmedLoad, Load } from "../store/results.ts";

interface Words {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
}

export const loadMetrics = {
  ...metricFacts,
  network_ms: {
    title: "of it network",
    meaning: "of the page load time what the critical path spent on requests",
  },
  computation_ms: {
    title: "of it computation",
    meaning: "the rest of the page load time: the critical path without a request, the browser's own work",
  },
  optimal_ms: {
    title: "optimum",
    meaning: "least page load time on this link: bytes over rate, and the round trips needed",
  },
  browser_cpu_ms: {
    title: "CPU, browser",
    meaning: "CPU time of the browser, all its processes, from navigation to load event",
  },
  server_cpu_ms: { title: "CPU, server", meaning: "the same of trilane-replay" },
  shaper_cpu_ms: { title: "CPU, shaper", meaning: "the same of trilane-shaper" },
  requests: { title: "requests", meaning: "requests of the page" },
  bytes: { title: "bytes", meaning: "bytes received, headers included" },
  connections: { title: "connections", meaning: "transport connections" },
} as const satisfies Partial<Record<keyof Load, Words>>;

export type LoadMetric = keyof typeof loadMetrics;

export const filmMetrics = {
  speed_index_ms: { title: "Speed Index", meaning: "of a filmed load: the mean time at which what is seen came" },
  visually_complete_85_ms: { title: "85 % complete", meaning: "of a filmed load: 85 % of what is seen had come" },
  visually_complete_95_ms: { title: "95 % complete", meaning: "the same, 95 %" },
  visually_complete_100_ms: { title: "visually complete", meaning: "the same, all" },
} as const satisfies Partial<Record<keyof FilmedLoad, Words>>;

export type FilmMetric = keyof typeof filmMetrics;
