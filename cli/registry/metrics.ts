// Everything that is measured, of every subject, as rows of one kind: its name in data, title, meaning and unit. The rows stand in the
// schemas (metrics, flow-result, fetch-record, command-record). Computes none of them.
import {
  type ComputedMetric,
  computedFacts,
  type MetricFacts,
  metricFacts,
  type PageMetric,
  type VideoMetric,
  type VisualMetric,
  videoFacts,
  visualFacts,
} from "../../extension/capture/metric_facts.ts";
import commandSchema from "../../schemas/command-record.schema.json" with { type: "json" };
import fetchSchema from "../../schemas/fetch-record.schema.json" with { type: "json" };
import flowSchema from "../../schemas/flow-result.schema.json" with { type: "json" };
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import type { Unit } from "./units.ts";

export interface Metric {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
  /** null: a score has none. */
  readonly unit: Unit | null;
  /** `later`: a run without it did not get there in its time, which is more than every value, not nothing. */
  readonly absent?: "later";
  /** The greatest that it can be; absent: there is no limit. */
  readonly maximum?: number;
}

/** With a unit, as all have that are measured by a program of ours. */
export type MeasuredMetric = Metric & { readonly unit: Unit };

export type Rows<Name extends string, Row extends Metric = Metric> = Readonly<Record<Name, Row>>;

const rows = <Name extends string, Row extends Metric>(entries: readonly (readonly [string, Row])[]) =>
  Object.fromEntries(entries) as Rows<Name, Row>;

const unitOfKind: Readonly<Record<MetricFacts["kind"], Unit | null>> = {
  moment: "ms",
  duration: "ms",
  cpu: "ms",
  rate: "bit/s",
  score: null,
};

function loadRows<Name extends string>(facts: Readonly<Record<Name, MetricFacts>>): Rows<Name, Metric & MetricFacts> {
  const all = Object.entries<MetricFacts>(facts);
  return rows(all.map(([name, its]) => [name, { ...its, unit: unitOfKind[its.kind] }]));
}

/** A schema's properties: of some `metric` says what they are called. */
type Registered = Readonly<
  Record<string, { readonly metric?: object; readonly description?: string; readonly maximum?: number }>
>;

/** Of a schema's properties, those that say what they are called: for an instrument that keeps its rows to itself, too. */
export function measuredRows<Name extends string>(properties: unknown): Rows<Name, MeasuredMetric> {
  return rows(
    Object.entries(properties as Registered).flatMap(([name, { metric, description: meaning, maximum }]) =>
      metric ? [[name, { meaning, ...metric, ...(maximum === undefined ? {} : { maximum }) } as MeasuredMetric]] : [],
    ),
  );
}

const { flow_metrics, group_metrics, direction_metrics, ping_metrics } = flowSchema.definitions;
const computedOfFetch = fetchSchema.definitions.computed_metrics.properties;

type WithMetric<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { metric: unknown } ? Name : never;
}[keyof Properties];

export type FlowMetric = keyof typeof flow_metrics.properties;
export type GroupMetric = keyof typeof group_metrics.properties;
export type DirectionMetric = keyof typeof direction_metrics.properties;
export type PingMetric = keyof typeof ping_metrics.properties;
type RecordedFetchMetric = WithMetric<typeof fetchSchema.properties> & keyof FetchRecord;
const { process: commandProcess, counted: commandTraffic } = commandSchema.definitions;

/** Of the command and its processes. */
type ProcessMetric = WithMetric<typeof commandProcess.properties>;
/** Of its link. */
type TrafficMetric = keyof typeof commandTraffic.properties;
export type CommandMetric = ProcessMetric | TrafficMetric;

export type FetchMetric = RecordedFetchMetric | keyof typeof computedOfFetch;

const counts = {
  requests: { title: "requests", meaning: "requests of the page", unit: "times" },
  bytes: { title: "bytes", meaning: "bytes received, headers included", unit: "bytes" },
  connections: { title: "connections", meaning: "transport connections", unit: "times" },
} as const satisfies Rows<string>;

/** By what they are of; each subject's in the order in which people read them. */
export const metrics = {
  page: loadRows<PageMetric>(metricFacts),
  computed: loadRows<ComputedMetric>(computedFacts),
  video: loadRows<VideoMetric>(videoFacts),
  film: loadRows<VisualMetric>(visualFacts),
  counts,
  flow: measuredRows<FlowMetric>(flow_metrics.properties),
  group: measuredRows<GroupMetric>(group_metrics.properties),
  direction: measuredRows<DirectionMetric>(direction_metrics.properties),
  ping: measuredRows<PingMetric>(ping_metrics.properties),
  command: measuredRows<CommandMetric>({ ...commandProcess.properties, ...commandTraffic.properties }),
  fetch: measuredRows<FetchMetric>({ ...fetchSchema.properties, ...computedOfFetch }),
} as const;

export type Subject = keyof typeof metrics;
