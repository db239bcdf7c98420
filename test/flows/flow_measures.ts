// Numbers of a flow run after its beginning, for comparisons with theory and with other tools: rates over a span of time, shares, packets
// in a round trip. Pure; cli/instruments/flows/metrics has what users see.
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import type { BinSeries } from "../../cli/instruments/flows/records/series.ts";

/** The default of --flow-bin. */
const bin_ms = 50;

/** Milliseconds since the run's start. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** The value at the last tick up to then; 0 before the first. */
function valueAt(time_ms: ArrayLike<number>, values: ArrayLike<number>, at_ms: number): number {
  let found = 0;
  for (let i = 0; i < time_ms.length && (time_ms[i] as number) <= at_ms; i++) found = values[i] as number;
  return found;
}

/** What the receiver's application had, in bit/s. */
export function goodput_bps({ samples }: FlowRecords, flow: number, { from_ms, to_ms }: Span): number {
  const receiver = samples[flow]?.receiver;
  if (!receiver) throw new Error(`the run has no flow ${flow}`);
  const at = (time_ms: number): number => valueAt(receiver.time_ms, receiver.received_bytes, time_ms);
  return ((at(to_ms) - at(from_ms)) * 8) / ((to_ms - from_ms) / 1000);
}

/** What a flow sent through the link in one direction over the whole bins within a span, and how long those are together. */
export function sentInBins(
  bins: BinSeries,
  { from_ms, to_ms }: Span,
): { bytes: number; packets: number; queued_ns: number; seconds: number } {
  const offset_ms = (bins.time_ms[0] ?? 0) % bin_ms;
  const first_ms = Math.ceil((from_ms - offset_ms) / bin_ms) * bin_ms + offset_ms;
  const end_ms = Math.floor((to_ms - offset_ms) / bin_ms) * bin_ms + offset_ms;
  let [bytes, packets, queued_ns] = [0, 0, 0];
  for (let i = 0; i < bins.time_ms.length; i++) {
    // By its middle: milliseconds are rounded.
    const middle_ms = (bins.time_ms[i] as number) + bin_ms / 2;
    if (middle_ms < first_ms || middle_ms > end_ms) continue;
    bytes += bins.left_bytes[i] as number;
    packets += bins.left_packets[i] as number;
    queued_ns += bins.queue_delay_sum_ns[i] as number;
  }
  return { bytes, packets, queued_ns, seconds: (end_ms - first_ms) / 1000 };
}

/** Share of a constant rate that the run's flows used downwards. */
export function utilization({ bins }: FlowRecords, rate_bps: number, span: Span): number {
  const rates = bins.map(({ down }) => {
    const { bytes, seconds } = sentInBins(down, span);
    return (bytes * 8) / seconds;
  });
  return rates.reduce((sum, rate) => sum + rate, 0) / rate_bps;
}

/** How long a flow's packets took at the link on their way down, in the mean: the queue, and their own serialization. */
export function meanQueue_ms({ bins }: FlowRecords, flow: number, span: Span): number {
  const at = bins[flow];
  if (!at) throw new Error(`the run has no flow ${flow}`);
  const { queued_ns, packets } = sentInBins(at.down, span);
  return queued_ns / packets / 1e6;
}

/** What a flow sends down within a round trip in the mean: its rate in packets times the mean of its round trips. */
export function packetsPerRtt({ bins, samples }: FlowRecords, flow: number, span: Span): number {
  const [at, sender] = [bins[flow], samples[flow]?.sender];
  if (!at || !sender) throw new Error(`the run has no flow ${flow}`);
  const { packets, seconds } = sentInBins(at.down, span);
  const rtts_ns = Array.from(sender.srtt_ns).filter((rtt_ns, i) => {
    const time_ms = sender.time_ms[i] as number;
    return time_ms >= span.from_ms && time_ms <= span.to_ms && !Number.isNaN(rtt_ns);
  });
  return ((packets / seconds) * rtts_ns.reduce((sum, rtt_ns) => sum + rtt_ns, 0)) / rtts_ns.length / 1e9;
}

/** Jain's index of fairness: 1 where all are alike, 1/n where one has all. */
export function jain(rates: readonly number[]): number {
  const sum = rates.reduce((total, rate) => total + rate, 0);
  const squares = rates.reduce((total, rate) => total + rate * rate, 0);
  return (sum * sum) / (rates.length * squares);
}
