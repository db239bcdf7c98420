// The series of one flow: what each of its ends sampled (trilane-flows), and what the shaper counted of it in each bin. From the columns
// of record files; times become milliseconds since the run's start. Pure; computes no metric.
import { type Columns, groupRecords } from "../../../base/record_file.ts";

/** As trilane-flows writes them, behind `time_ns` and `flow`. Bytes are the application's, cumulative. */
export const sampledColumns = [
  "sent_bytes",
  "received_bytes",
  "cwnd_bytes",
  "ssthresh_bytes",
  "srtt_ns",
  "min_rtt_ns",
  "in_flight_bytes",
  "lost_packets",
  "retransmitted_bytes",
  "delivery_bps",
  "pacing_bps",
] as const;
export type SampledColumn = (typeof sampledColumns)[number];
export const sampleFileColumns = ["time_ns", "flow", ...sampledColumns] as const;

/** As the shaper writes them, behind `time_ns` (the bin's begin), `flow` and `direction`. */
export const binColumns = [
  "arrived_bytes",
  "left_bytes",
  "queue_peak_bytes",
  "queue_delay_sum_ns",
  "left_packets",
  "dropped_packets",
  "marked_packets",
  "lost_packets",
] as const;
type BinColumn = (typeof binColumns)[number];
export const binFileColumns = ["time_ns", "flow", "direction", ...binColumns] as const;

/** Values of equal length, ascending in `time_ms` since the run's start; NaN is unavailable. Ticks may be missing. */
export type Series<Name extends string> = Readonly<Record<Name | "time_ms", Float64Array>>;
/** One end's view of a flow. */
export type SampleSeries = Series<SampledColumn>;
/** One flow in one direction at the bottleneck; bins in which nothing of it happened are missing. */
export type BinSeries = Series<BinColumn>;

function seriesOf<Name extends string>(
  columns: Columns<Name | "time_ns">,
  names: readonly Name[],
  start_ns: number,
): Series<Name> {
  const time_ms = columns.time_ns.map((time_ns) => (time_ns - start_ns) / 1e6);
  const values = names.map((name): [Name, Float64Array] => [name, columns[name]]);
  return { ...Object.fromEntries(values), time_ms } as Series<Name>;
}

/** What an end sampled, for each flow of the run; empty for one that never was there. */
export function sampleSeries(
  columns: Columns<(typeof sampleFileColumns)[number]>,
  flows: number,
  start_ns: number,
): SampleSeries[] {
  const groups = groupRecords(columns, flows, (index) => columns.flow[index] ?? -1);
  return groups.map((group) => seriesOf(group, sampledColumns, start_ns));
}

export interface FlowBins {
  readonly down: BinSeries;
  readonly up: BinSeries;
}

/** By the flows' places in the shaper's counters, `counted` of them. */
export function binSeries(
  columns: Columns<(typeof binFileColumns)[number]>,
  counted: number,
  start_ns: number,
): FlowBins[] {
  const keyOf = (index: number): number => (columns.flow[index] ?? -1) * 2 + (columns.direction[index] ?? 0);
  const groups = groupRecords(columns, counted * 2, keyOf).map((group) => seriesOf(group, binColumns, start_ns));
  return Array.from({ length: counted }, (_, flow) => ({
    down: groups[flow * 2] as BinSeries,
    up: groups[flow * 2 + 1] as BinSeries,
  }));
}

/** One flow's bins, of the several ports that it had: what happened in a bin at all of them. A peak is at most so high. */
export function joinBins(series: readonly BinSeries[]): BinSeries {
  if (series.length < 2) return series[0] ?? emptySeries(binColumns);
  const times = [...new Set(series.flatMap(({ time_ms }) => Array.from(time_ms)))].toSorted((a, b) => a - b);
  const places = new Map(times.map((time_ms, place) => [time_ms, place]));
  const joined = Object.fromEntries(binColumns.map((name) => [name, new Float64Array(times.length)]));
  for (const one of series)
    for (const [bin, time_ms] of one.time_ms.entries())
      for (const name of binColumns) {
        const column = joined[name] as Float64Array;
        const place = places.get(time_ms) as number;
        column[place] = (column[place] as number) + (one[name][bin] as number);
      }
  return { ...joined, time_ms: Float64Array.from(times) } as BinSeries;
}

/** A series without a single record. */
export function emptySeries<Name extends string>(names: readonly Name[]): Series<Name> {
  const values = ["time_ms", ...names].map((name) => [name, new Float64Array(0)]);
  return Object.fromEntries(values) as Series<Name>;
}
