// All metrics of one flow of a run, each by its own file. Pure.
import type { FlowResultFlow } from "../../../../schemas/generated/flow_result.ts";
import type { FlowMetric } from "../../../registry/metrics.ts";
import { countsAtLink, type FlowRecords } from "../records/flow_records.ts";
import { type Counter, ratesBySecond, type Span } from "./cumulative.ts";
import { endsOf, receivedCounter, since, spanOf, stateOf } from "./flow_spans.ts";
import { known, type Measured, metricSet, missing } from "./measured.ts";
import { queueDelay_ms } from "./queue_delay.ts";
import {
  goodput_bps,
  longestSilence_ms,
  lossRatio,
  progress_ms,
  rateVariation,
  received_bps,
  tenths,
} from "./rates.ts";
import { largestWindowCut, minimumRtt_ms, rttQuantile_ms, windowMedian_bytes, within } from "./sender.ts";

export interface MeasuredFlow {
  readonly result: FlowResultFlow;
  readonly measured: Readonly<Record<FlowMetric, Measured>>;
  /** null: it never ran. */
  readonly ran: { readonly counter: Counter; readonly span: Span; readonly received_bytes: number } | null;
  /** From its first packet; null: it sent none. */
  readonly asking: Span | null;
}

const after_ms = (from_ns: number | null, to_ns: number | null): number | null =>
  from_ns === null || to_ns === null ? null : (to_ns - from_ns) / 1e6;

/** What the sender's samples say of the path and the window. */
function fromSender(records: FlowRecords, flow: number, span: Span) {
  const sender = records.samples[flow]?.sender;
  const column = (name: "cwnd_bytes" | "srtt_ns" | "min_rtt_ns"): Float64Array =>
    sender ? within(sender.time_ms, sender[name], span) : new Float64Array(0);
  const srtt_ns = column("srtt_ns");
  return {
    rtt_p50_ms: rttQuantile_ms(srtt_ns, 0.5),
    rtt_p95_ms: rttQuantile_ms(srtt_ns, 0.95),
    min_rtt_ms: minimumRtt_ms(column("min_rtt_ns")),
    window_median_bytes: windowMedian_bytes(column("cwnd_bytes")),
    largest_window_cut: sender ? largestWindowCut(sender) : missing("the sender was not sampled"),
  };
}

type Progress = NonNullable<FlowResultFlow["progress_ms"]>;

function progressOf(size_bytes: number | null, counter: Counter | null, began_ms: number | null) {
  if (size_bytes === null) return {};
  if (!counter || began_ms === null) return { progress_ms: Array<null>(tenths).fill(null) as unknown as Progress };
  return { progress_ms: progress_ms(counter, size_bytes, began_ms) as Progress };
}

/** Its share of its direction is what only all flows together tell: see `withShare`. */
export function measureFlow(records: FlowRecords, flow: number, group: number): MeasuredFlow {
  const ends = endsOf(records, flow);
  const { planned, near, sender, receiver } = ends;
  const { direction } = planned;
  const { state, error } = stateOf(ends);
  const span = spanOf(records, ends);
  const began_ms = since(records, near.connect_begin_ns);
  const asking = began_ms !== null && span ? { from_ms: began_ms, to_ms: span.to_ms } : null;
  const counter = span && receivedCounter(records, flow, span);
  const atLink = countsAtLink(records, flow, direction);
  const never = missing(state === "failed" ? `it failed: ${error ?? "no reason given"}` : "it never began");
  const bins = records.bins[flow]?.[direction];
  const delay = (probability: number): Measured => (bins ? queueDelay_ms(bins, probability) : never);
  // A flow that broke off has no goodput to be compared with that of others: it did not do what was planned.
  const whole = (value: () => Measured): Measured => (state === "failed" || !span ? never : value());
  const sized = (): Measured => {
    if (planned.size_bytes === null) return missing("it has no size to complete");
    if (state !== "ended") return missing(`it was cut off before it had all ${planned.size_bytes} bytes`);
    return known(after_ms(near.connect_begin_ns, receiver.ended_ns), "its end was not noted");
  };
  const measured: Record<FlowMetric, Measured> = {
    goodput_bps: whole(() => goodput_bps(receiver.received_bytes, span as Span)),
    received_bps: whole(() => received_bps(atLink?.received_bytes ?? null, asking ?? (span as Span))),
    share: missing("not compared with others"),
    loss_ratio: lossRatio(atLink),
    lost_packets: known(sender.packets_lost, "the sender does not count them"),
    retransmitted_bytes: known(sender.retransmitted_bytes, "the sender does not count them"),
    queue_delay_p50_ms: delay(0.5),
    queue_delay_p95_ms: delay(0.95),
    queue_delay_p99_ms: delay(0.99),
    ...(span
      ? fromSender(records, flow, span)
      : {
          rtt_p50_ms: never,
          rtt_p95_ms: never,
          min_rtt_ms: never,
          window_median_bytes: never,
          largest_window_cut: never,
        }),
    rate_variation: whole(() => rateVariation(ratesBySecond(counter as Counter, span as Span))),
    connect_ms: known(after_ms(near.connect_begin_ns, near.connected_ns), "it never connected"),
    first_byte_ms: known(after_ms(near.connect_begin_ns, receiver.first_byte_ns), "its receiver had no byte"),
    longest_silence_ms: whole(() => longestSilence_ms(counter as Counter)),
    moves_made: known(near.migrations?.made, "it was not to move"),
    completion_ms: whole(sized),
    sender_cpu_ms: known(sender.cpu_ms, "not counted for each flow"),
    receiver_cpu_ms: known(receiver.cpu_ms, "not counted for each flow"),
  };
  const result: FlowResultFlow = {
    flow,
    group,
    transport: planned.transport,
    congestion: planned.congestion,
    ...(planned.paced ? { paced: planned.paced } : {}),
    congestion_used: sender.congestion,
    direction,
    size_bytes: planned.size_bytes,
    state,
    error,
    from_ms: span?.from_ms ?? null,
    to_ms: span?.to_ms ?? null,
    ...progressOf(planned.size_bytes, counter, began_ms),
    ...metricSet(measured),
  };
  const ran = span && counter && state !== "failed" ? { counter, span, received_bytes: receiver.received_bytes } : null;
  return { result, measured, ran, asking };
}

export function withShare(flow: MeasuredFlow, share: Measured): MeasuredFlow {
  const measured = { ...flow.measured, share };
  return { ...flow, measured, result: { ...flow.result, ...metricSet(measured) } };
}
