// A number, or why there is none. What each number is called and means stands in schemas/flow-result.schema.json. No arithmetic.
import schema from "../../../schemas/flow-result.schema.json" with { type: "json" };

export interface Missing {
  readonly missing: string;
}

/** Never NaN or infinite: what cannot be computed is missing, with the reason. */
export type Measured = number | Missing;

export const missing = (reason: string): Missing => ({ missing: reason });
export const isNumber = (measured: Measured): measured is number => typeof measured === "number";

/** `value`, where it is a number. */
export function known(value: number | null | undefined, reason: string): Measured {
  return typeof value === "number" && Number.isFinite(value) ? value : missing(reason);
}

export interface MetricSet<Name extends string> {
  readonly metrics: Record<Name, number | null>;
  /** By the metric's name: why it is null. */
  readonly unavailable: Record<string, string>;
}

/** As results are stored: numbers and nulls, and each null's reason. */
export function metricSet<Name extends string>(measured: Readonly<Record<Name, Measured>>): MetricSet<Name> {
  const all = Object.entries<Measured>(measured) as [Name, Measured][];
  const metrics = Object.fromEntries(all.map(([name, value]) => [name, isNumber(value) ? value : null]));
  const reasons = all.flatMap(([name, value]) => (isNumber(value) ? [] : [[name, value.missing]]));
  return { metrics: metrics as Record<Name, number | null>, unavailable: Object.fromEntries(reasons) };
}

const { flow_metrics, group_metrics, direction_metrics, ping_metrics } = schema.definitions;

export type FlowMetric = keyof typeof flow_metrics.properties;
export type GroupMetric = keyof typeof group_metrics.properties;
export type DirectionMetric = keyof typeof direction_metrics.properties;
export type PingMetric = keyof typeof ping_metrics.properties;

export interface FlowMetricFacts {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
  readonly unit: "bit/s" | "bytes" | "ms" | "packets" | "moves" | "ratio";
  /** `later`: a run without it did not get there in its time, which is more than every value, not nothing. */
  readonly absent?: "later";
  /** The greatest that it can be, where there is one. */
  readonly maximum: number | null;
}

type Registered<Name extends string> = Record<Name, { readonly metric: unknown; readonly maximum?: number }>;

function factsOf<Name extends string>(properties: Registered<Name>): Readonly<Record<Name, FlowMetricFacts>> {
  const all = Object.entries<{ readonly metric: unknown; readonly maximum?: number }>(properties);
  const facts = all.map(([name, { metric, maximum }]) => [name, { ...(metric as object), maximum: maximum ?? null }]);
  return Object.fromEntries(facts) as Record<Name, FlowMetricFacts>;
}

/** In the order in which people read them. */
export const flowMetrics = factsOf<FlowMetric>(flow_metrics.properties);
export const groupMetrics = factsOf<GroupMetric>(group_metrics.properties);
export const directionMetrics = factsOf<DirectionMetric>(direction_metrics.properties);
export const pingMetrics = factsOf<PingMetric>(ping_metrics.properties);
