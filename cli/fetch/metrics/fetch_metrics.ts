// What is measured of a fetch: each metric's name in data, title, meaning and unit, as schemas/fetch-record.schema.json has them, and its
// value in a record. Pure.

import schema from "../../../schemas/fetch-record.schema.json" with { type: "json" };
import type { FetchRecord } from "../../../schemas/generated/fetch_record.ts";

export interface FetchMetricFacts {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
  readonly unit: "bit/s" | "bytes" | "ms" | "packets" | "times" | "us";
}

interface Registered {
  readonly description: string;
  readonly metric: Pick<FetchMetricFacts, "title" | "unit">;
}

const { properties } = schema;
const computed = schema.definitions.computed_metrics.properties;

type WithMetric<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { metric: unknown } ? Name : never;
}[keyof Properties];
type RecordedMetric = WithMetric<typeof properties> & keyof FetchRecord;
export type FetchMetric = RecordedMetric | keyof typeof computed;

function factsOf(all: Readonly<Record<string, unknown>>): [string, FetchMetricFacts][] {
  return Object.entries(all).flatMap(([name, property]) => {
    const { description: meaning, metric } = property as Registered;
    return metric ? [[name, { ...metric, meaning }]] : [];
  });
}

/** In the order in which people read them. */
export const fetchMetrics = Object.fromEntries([...factsOf(properties), ...factsOf(computed)]) as Readonly<
  Record<FetchMetric, FetchMetricFacts>
>;
export const fetchMetricNames = Object.keys(fetchMetrics) as FetchMetric[];

/** Of less, what came at once with the first byte is too much of it. */
const leastRated_bytes = 100_000;

/** Bits over ms; null: there is no time. */
const rate_bps = (bytes: number, time_ms: number): number | null => (time_ms > 0 ? (bytes * 8000) / time_ms : null);

function throughput_bps({ body_bytes, download_ms }: FetchRecord): number | null {
  return body_bytes === null || download_ms === null ? null : rate_bps(body_bytes, download_ms);
}

function receiveRate_bps({ body_bytes, download_ms, first_byte_ms }: FetchRecord): number | null {
  if (body_bytes === null || download_ms === null || first_byte_ms === null) return null;
  return body_bytes < leastRated_bytes ? null : rate_bps(body_bytes, download_ms - first_byte_ms);
}

/** null: the record has none. */
export function metricOf(record: FetchRecord, name: FetchMetric): number | null {
  if (name === "throughput_bps") return throughput_bps(record);
  if (name === "receive_rate_bps") return receiveRate_bps(record);
  return record[name];
}

/** Why a record has no value of a metric. */
export function missingReason(record: FetchRecord, name: FetchMetric): string {
  if (record.unavailable[name] !== undefined) return record.unavailable[name];
  return name === "receive_rate_bps" ? "bodies of less than 100 kB have none" : "the object did not come";
}
