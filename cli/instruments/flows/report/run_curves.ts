// A run's records as the curves of its figure: rates from what receivers counted, windows and round-trip times from what senders
// sampled, delays and drops from the shaper's bins. Pure; times are milliseconds since the run began.
import { countThrough, extremes, median } from "../../../base/quantile.ts";
import type { Band, Curve } from "../../../report/figures/curve.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import type { SampledColumn } from "../records/series.ts";

/** Places of bins of one length, from the run's beginning to its end. */
export interface Bins {
  readonly length_ms: number;
  readonly count: number;
}

interface Lifetime {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** When a flow could send; null: it never could. */
function lifetimeOf({ near, far, start_ns, run }: FlowRecords, flow: number): Lifetime | null {
  const ends = [near.flows[flow], far.flows[flow]];
  const sender = run.flows[flow]?.direction === "down" ? ends[1] : ends[0];
  const times = (of: (end: NonNullable<(typeof ends)[number]>) => number | null): number[] =>
    ends.flatMap((end) => (end ? (of(end) ?? []) : []));
  const from_ns = sender?.started_ns ?? extremes(times((end) => end.started_ns))?.least ?? null;
  if (from_ns === null) return null;
  const to_ns = extremes(times((end) => end.ended_ns))?.greatest ?? near.end_ns;
  return { from_ms: (from_ns - start_ns) / 1e6, to_ms: (to_ns - start_ns) / 1e6 };
}

/** A cumulative count between two of its samples, as if it rose evenly; 0 before the first. */
function countedAt(times: Float64Array, counts: Float64Array, at_ms: number): number {
  const before = countThrough(times, at_ms) - 1;
  if (before < 0) return 0;
  const [low, high] = [counts[before] as number, counts[before + 1]];
  const from = times[before] as number;
  const until = times[before + 1];
  if (high === undefined || until === undefined || until <= from) return low;
  return low + ((high - low) * (at_ms - from)) / (until - from);
}

const centre = ({ length_ms }: Bins, index: number): number => (index + 0.5) * length_ms;

const centres = (bins: Bins): Float64Array => Float64Array.from({ length: bins.count }, (_, bin) => centre(bins, bin));

/** In each bin the sum of a column at these times. What lies outside of the bins, and what is no number, is not in it. */
function sumIn(
  bins: Bins,
  times: ArrayLike<number>,
  column: (index: number) => number,
  sums = new Float64Array(bins.count),
) {
  for (let index = 0; index < times.length; index++) {
    const bin = Math.floor((times[index] as number) / bins.length_ms);
    const each = column(index);
    if (bin >= 0 && bin < bins.count && Number.isFinite(each)) sums[bin] = (sums[bin] as number) + each;
  }
  return sums;
}

/** Gaps where `counts` is 0. */
const meanIn = (bins: Bins, sums: Float64Array, counts: Float64Array): Curve => ({
  time_ms: centres(bins),
  value: sums.map((sum, bin) => (counts[bin] === 0 ? Number.NaN : sum / (counts[bin] as number))),
});

/**
 * Bit/s that the receivers' applications got around the middle of each bin, of the flows together: over `over_ms`, or as much of it as a
 * flow ran. A gap where none of them did.
 */
export function rateCurve(records: FlowRecords, members: readonly number[], bins: Bins, over_ms: number): Curve {
  const time_ms = new Float64Array(bins.count);
  const value = new Float64Array(bins.count).fill(Number.NaN);
  const lives = members.map((flow) => ({ flow, life: lifetimeOf(records, flow) }));
  for (let bin = 0; bin < bins.count; bin++) {
    const at = centre(bins, bin);
    time_ms[bin] = at;
    for (const { flow, life } of lives) {
      if (!life || life.from_ms > at || life.to_ms < at) continue;
      const series = records.samples[flow]?.receiver;
      if (!series || series.time_ms.length === 0) continue;
      // Near its begin and end a flow's rate is over its first and last stretch of that length.
      const from = Math.max(life.from_ms, Math.min(at - over_ms / 2, life.to_ms - over_ms));
      const to = Math.min(life.to_ms, from + over_ms);
      if (to <= from) continue;
      const bytes =
        countedAt(series.time_ms, series.received_bytes, to) - countedAt(series.time_ms, series.received_bytes, from);
      const before = value[bin] as number;
      value[bin] = (Number.isNaN(before) ? 0 : before) + (Math.max(0, bytes) * 8000) / (to - from);
    }
  }
  return { time_ms, value };
}

/** So many times the usual interval without a sample: its end was not looked at meanwhile, and what was in between is unknown. */
const gapIntervals = 4;

/** Broken where samples are missing: a line straight across would show what was not seen. */
export function brokenAtGaps({ time_ms, value }: Curve): Curve {
  const at = Array.from(time_ms);
  const intervals = at.slice(1).map((time, index) => time - (at[index] as number));
  if (intervals.length < 2) return { time_ms, value };
  const longest_ms = gapIntervals * median(intervals);
  const [times, values]: [number[], number[]] = [[], []];
  for (const [index, time] of at.entries()) {
    const before = at[index - 1];
    if (before !== undefined && time - before > longest_ms) {
      times.push((before + time) / 2);
      values.push(Number.NaN);
    }
    times.push(time);
    values.push(value[index] as number);
  }
  return { time_ms: times, value: values };
}

type SenderColumn = Extract<SampledColumn, "cwnd_bytes" | "srtt_ns">;

/** What a flow's sender sampled, while it could send; broken where samples are missing. */
export function senderCurve(records: FlowRecords, flow: number, column: SenderColumn, by = 1): Curve {
  const series = records.samples[flow]?.sender;
  const life = lifetimeOf(records, flow);
  if (!series || !life) return { time_ms: [], value: [] };
  const from = Math.max(0, countThrough(series.time_ms, life.from_ms - 1e-6));
  const to = countThrough(series.time_ms, life.to_ms);
  return brokenAtGaps({
    time_ms: series.time_ms.subarray(from, to),
    value: series[column].subarray(from, to).map((each) => each * by),
  });
}

/** A curve's mean in each bin; a gap where it has no value. */
export function binned({ time_ms, value }: Curve, bins: Bins): Curve {
  const at = (index: number): number => value[index] as number;
  const counts = sumIn(bins, time_ms, (index) => (Number.isFinite(at(index)) ? 1 : 0));
  return meanIn(bins, sumIn(bins, time_ms, at), counts);
}

/** A curve's sum in each bin; 0 where it has no value. */
export const summed = ({ time_ms, value }: Curve, bins: Bins): Curve => ({
  time_ms: centres(bins),
  value: sumIn(bins, time_ms, (index) => value[index] as number),
});

function acrossBins<T>(curves: readonly Curve[], bins: Bins, of: (values: number[]) => T): T[] {
  return Array.from({ length: bins.count }, (_, bin) =>
    of(curves.flatMap(({ value }) => (Number.isFinite(value[bin]) ? [value[bin] as number] : []))),
  );
}

/** Of curves over the same bins: their median, where any has a value. */
export function medianCurve(curves: readonly Curve[], bins: Bins): Curve {
  return {
    time_ms: centres(bins),
    value: acrossBins(curves, bins, (values) => (values.length === 0 ? Number.NaN : median(values))),
  };
}

/** Of curves over the same bins: from the least to the greatest; null where there are fewer than two. */
export function bandOf(curves: readonly Curve[], bins: Bins): Band | null {
  if (curves.length < 2) return null;
  const ends = acrossBins(curves, bins, extremes);
  return {
    time_ms: centres(bins),
    low: ends.map((end) => end?.least ?? Number.NaN),
    high: ends.map((end) => end?.greatest ?? Number.NaN),
  };
}

/** Packets of these flows that the bottleneck dropped, at the begin of each bin of the shaper that has any. */
export function dropCurve(records: FlowRecords, members: readonly number[]): Curve {
  const dropped = new Map<number, number>();
  for (const flow of members) {
    const side = records.run.flows[flow]?.direction;
    const bins = side && records.bins[flow]?.[side];
    if (!bins) continue;
    for (let index = 0; index < bins.time_ms.length; index++) {
      const packets = bins.dropped_packets[index] as number;
      const at = bins.time_ms[index] as number;
      if (packets > 0) dropped.set(at, (dropped.get(at) ?? 0) + packets);
    }
  }
  const sorted = [...dropped].sort(([a], [b]) => a - b);
  return { time_ms: sorted.map(([at]) => at), value: sorted.map(([, packets]) => packets) };
}

/** Mean time in the bottleneck of the packets of all flows that left it one way in each bin, in ms; a gap where none did. */
export function queueCurve(records: FlowRecords, side: "down" | "up", bins: Bins): Curve {
  const delays_ns = new Float64Array(bins.count);
  const packets = new Float64Array(bins.count);
  for (const flow of records.bins) {
    const { time_ms, queue_delay_sum_ns, left_packets } = flow[side];
    sumIn(bins, time_ms, (index) => queue_delay_sum_ns[index] as number, delays_ns);
    sumIn(bins, time_ms, (index) => left_packets[index] as number, packets);
  }
  const { time_ms, value } = meanIn(bins, delays_ns, packets);
  return { time_ms, value: Float64Array.from(value, (delay_ns) => delay_ns / 1e6) };
}
