// What the results hold of a page load beside its document, computed once when it is stored: its metrics and counts, which browser it ran with,
// how much of its recording it requested, and what the machine may have added to it. Used by the results' owner alone.
import {
  type ComputedMetric,
  computedMetrics,
  firstMetrics,
  isFirst,
  type PageMetric,
  pageMetrics,
  videoMetrics,
} from "../../../extension/capture/metric_facts.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { keptBrowser } from "../../base/browser_words.ts";
import type { UserTimingName } from "../../base/user_timing_name.ts";
import { excess_ms } from "../../load/disturbance.ts";
import { criticalPath } from "../../load/metrics/critical_path.ts";
import { optimalOfLoad_ms } from "../../load/metrics/optimal_load.ts";
import { movesCost } from "../../load/metrics/path_moves.ts";
import { videoMetricsOf } from "../../load/metrics/video/video_metrics.ts";
import { type Observations, observationsIn } from "./attempt_rows.ts";
import { storedJson } from "./stored_json.ts";
import type { Row } from "./sweep_rows.ts";

type Values<Name extends string> = Readonly<Record<Name, number | null>>;

type LaterMetric = Exclude<PageMetric, (typeof firstMetrics)[number]>;

const laterMetrics = pageMetrics.filter((name): name is LaterMetric => !isFirst(name));

const countNames = ["requests", "bytes", "connections", "matched", "fuzzy", "missed", "failed", "off_lane"] as const;

/** How much of its recording a load requested: shares of requests and bytes, from 0 to 1; what it was expected to; what has no answer. */
const coverageNames = [
  "coverage_requests",
  "coverage_bytes",
  "recorded_requests",
  "recorded_bytes",
  "beyond_reports",
  "beyond_other",
  "beyond_failed",
] as const;

/** What the machine may have added, at most, beyond a calm machine's; of it at the link, and without a CPU; up to which the load counts. */
const disturbanceNames = ["disturbance_ms", "disturbance_link_ms", "disturbance_cpu_ms", "tolerated_ms"] as const;

/** Its version, and the SHA-256 of its program's file, in hexadecimal. */
const browserNames = ["browser_version", "browser_sha256"] as const;

/** In the order in which loads have them. */
export const loadObservations = [
  ...firstMetrics,
  ...countNames,
  ...laterMetrics,
  ...computedMetrics,
  ...videoMetrics,
  ...browserNames,
  ...coverageNames,
  ...disturbanceNames,
] as const;

type BrowserName = (typeof browserNames)[number];
type LoadBrowser = Readonly<Record<BrowserName, string | null>>;
type Coverage = Values<(typeof coverageNames)[number]>;
type Disturbance = Values<(typeof disturbanceNames)[number]>;

/** Null: unavailable (a load that failed has little), or stored before it was computed. */
export type LoadObservations = Values<Exclude<(typeof loadObservations)[number], BrowserName>> & LoadBrowser;

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

function browserOf({ browser: { name, version }, _trilane: { environment } }: PageLoad["log"]): Partial<LoadBrowser> {
  if (version === "") return {};
  return { browser_version: keptBrowser(name, version), browser_sha256: environment.browser_sha256 ?? null };
}

function coverageOf({ _trilane: { coverage } }: PageLoad["log"]): Partial<Coverage> {
  if (!coverage) return {};
  const { requests, bytes, recorded, beyond } = coverage;
  return {
    coverage_requests: requests,
    coverage_bytes: bytes,
    recorded_requests: recorded.requests,
    recorded_bytes: recorded.bytes,
    beyond_reports: beyond.reports,
    beyond_other: beyond.other,
    beyond_failed: beyond.failed,
  };
}

function disturbanceOf({ _trilane: { disturbance } }: PageLoad["log"]): Partial<Disturbance> {
  if (!disturbance) return {};
  const { link_ms, cpu_ms, calm_ms, tolerated_ms } = disturbance;
  return {
    disturbance_ms: excess_ms(disturbance),
    disturbance_link_ms: link_ms,
    disturbance_cpu_ms: cpu_ms === null ? null : Math.max(0, cpu_ms - calm_ms),
    tolerated_ms,
  };
}

/** By `mark:NAME` and `measure:NAME`, in ms. */
export type UserTimings = Readonly<Record<UserTimingName, number>>;

/** The page's marks and measures, as JSON. Their names are the page's, so they are no metrics. */
export const userTimingsName = "user_timings";

/** Observations that are texts; all others are numbers. */
export const textObservations: readonly string[] = [...browserNames, userTimingsName];

function userTimingsText({ _trilane: { user_timings = [] } }: PageLoad["log"]): string | null {
  const timings = Object.fromEntries(user_timings.map(({ kind, name, value_ms }) => [`${kind}:${name}`, value_ms]));
  return user_timings.length === 0 ? null : JSON.stringify(timings);
}

export function observationsOf(load: PageLoad): Observations {
  const { log } = load;
  const { metrics, counts, video } = log._trilane;
  const known: Partial<LoadObservations> = {
    ...(Object.fromEntries(pageMetrics.map((name) => [name, metrics[name] ?? null])) as Values<PageMetric>),
    ...counts,
    ...computedOf(load),
    ...videoMetricsOf(video ?? null),
    ...browserOf(log),
    ...coverageOf(log),
    ...disturbanceOf(log),
  };
  const listed = Object.fromEntries(loadObservations.map((name) => [name, known[name] ?? null]));
  return { ...listed, [userTimingsName]: userTimingsText(log) };
}

/** Of a row with `observationsColumn`. */
export function loadObservationsOf(row: Row): LoadObservations & { readonly user_timings?: UserTimings } {
  const found = observationsIn(row);
  const listed = Object.fromEntries(loadObservations.map((name) => [name, found[name] ?? null]));
  const timings = found[userTimingsName];
  return {
    ...(listed as unknown as LoadObservations),
    ...(typeof timings === "string"
      ? { user_timings: storedJson(timings, "observation.user_timings") as UserTimings }
      : {}),
  };
}
