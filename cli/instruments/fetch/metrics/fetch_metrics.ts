// The value of each metric of a fetch in its record, and why it is missing. What each is called and means is cli/registry/metrics.ts. Pure.
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { type FetchMetric, metrics } from "../../../registry/metrics.ts";

export const fetchMetricNames = Object.keys(metrics.fetch) as FetchMetric[];

/** Of less, what came at once with the first byte is too much of it. */
const leastRated_bytes = 100_000;

/** Bits over ms; null: there is nothing to rate, or no time. */
const rate_bps = (bytes: number, time_ms: number): number | null =>
  bytes > 0 && time_ms > 0 ? (bytes * 8000) / time_ms : null;

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
  if (name === "receive_rate_bps") return "bodies of less than 100 kB have none";
  return record.error === null && record.body_bytes === 0 ? "an empty body has none" : "the object did not come";
}
