// All metrics of one direction of a run: its flows together, and the link. Pure.
import type { FlowResultDirection } from "../../../../schemas/generated/flow_result.ts";
import { quantile } from "../../../base/quantile.ts";
import type { DirectionMetric } from "../../../registry/metrics.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import type { BinSeries } from "../records/series.ts";
import { commonSpan, lengthOf, rateOver, type Span } from "./cumulative.ts";
import { convergence_ms, jainBySecond, jainIndex, leastOverGreatest, shareRatio } from "./fairness.ts";
import type { MeasuredFlow } from "./flow_metrics.ts";
import { known, type Measured, metricSet, missing } from "./measured.ts";
import { type Capacity, goodput_bps, lossRatio, utilization } from "./rates.ts";

export type Direction = "down" | "up";

/** Overlapping spans become one; in order. */
export function unionOf(spans: readonly Span[]): Span[] {
  const union: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from_ms - b.from_ms)) {
    const last = union.at(-1);
    if (last && span.from_ms <= last.to_ms)
      union[union.length - 1] = { ...last, to_ms: Math.max(last.to_ms, span.to_ms) };
    else union.push(span);
  }
  return union;
}

function capacityOf({ shaper, counters }: Pick<FlowRecords, "shaper" | "counters">, direction: Direction): Capacity {
  const { rate_bps, rate_steps, trace, onoff } = shaper.link[direction];
  const { capacity_bytes, link_bytes } = counters[direction];
  if (rate_steps || trace || onoff || shaper.changes || shaper.link.switch)
    return { kind: "summed", capacity_bytes, link_bytes };
  return rate_bps === null ? { kind: "unlimited" } : { kind: "rate", rate_bps };
}

/** IP bytes that the link sent while flows used it: all but those of the run's flows before and after. */
function sentWhileUsed({ counters, bins }: FlowRecords, direction: Direction, spans: readonly Span[]): number {
  const isUsed = (at_ms: number): boolean => spans.some(({ from_ms, to_ms }) => at_ms >= from_ms && at_ms < to_ms);
  const outside = (series: BinSeries): number =>
    series.left_bytes.reduce((sum, bytes, bin) => sum + (isUsed(series.time_ms[bin] as number) ? 0 : bytes), 0);
  // Counters and bins are read at two moments.
  return Math.max(
    0,
    bins.reduce((bytes, flow) => bytes - outside(flow[direction]), counters[direction].link_bytes),
  );
}

/** What all flows of a direction have of it while they all run: their rates, or why there are none. */
export function ratesTogether(flows: readonly MeasuredFlow[]): { span: Span; rates: number[] } | { reason: string } {
  const failed = flows.find(({ ran }) => ran === null);
  if (failed)
    return { reason: `flow ${failed.result.flow} ${failed.result.state === "failed" ? "failed" : "never ran"}` };
  const span = commonSpan(flows.flatMap(({ ran }) => ran?.span ?? []));
  if (!span) return { reason: "its flows never ran all at once" };
  return { span, rates: flows.flatMap(({ ran }) => (ran ? rateOver(ran.counter, span) : [])) };
}

/** Null where no flow was to send this way. */
export function measureDirection(
  records: FlowRecords,
  direction: Direction,
  flows: readonly MeasuredFlow[],
): FlowResultDirection | null {
  if (flows.length === 0) return null;
  const ran = flows.flatMap(({ ran: its }) => its ?? []);
  const used = unionOf(flows.flatMap(({ asking }) => asking ?? []));
  const whole = { from_ms: 0, to_ms: used.reduce((sum, span) => sum + lengthOf(span), 0) };
  const together = ratesTogether(flows);
  const inCommon = (of: (rates: number[], span: Span) => Measured): Measured =>
    "reason" in together ? missing(together.reason) : of(together.rates, together.span);
  const bySecond = jainBySecond(ran);
  const groups = (rates: readonly number[]): number[][] => {
    const places = Map.groupBy(rates.keys(), (place) => flows[place]?.result.group);
    return [...places.values()].map((ofGroup) => ofGroup.map((place) => rates[place] as number));
  };
  const atLink = records.counters[direction];
  const delay = (probability: number, delay_ns: number | null): Measured =>
    atLink.sent_packets * (1 - probability) < 1
      ? missing(`${atLink.sent_packets} packets are too few for it`)
      : known(delay_ns === null ? null : delay_ns / 1e6, "no packet left the link");
  const { p50, p95, p99 } = atLink.queue_delay_ns;
  const measured: Record<DirectionMetric, Measured> = {
    goodput_bps:
      ran.length === 0
        ? missing("no flow ran")
        : goodput_bps(
            ran.reduce((sum, { received_bytes }) => sum + received_bytes, 0),
            {
              from_ms: Math.min(...ran.map(({ span }) => span.from_ms)),
              to_ms: Math.max(...ran.map(({ span }) => span.to_ms)),
            },
          ),
    utilization: utilization(sentWhileUsed(records, direction, used), capacityOf(records, direction), whole),
    loss_ratio: lossRatio(atLink),
    queue_delay_p50_ms: delay(0.5, p50),
    queue_delay_p95_ms: delay(0.95, p95),
    queue_delay_p99_ms: delay(0.99, p99),
    jain: inCommon(jainIndex),
    jain_second_median:
      bySecond.length === 0
        ? missing("there is no whole second in which two of its flows ran")
        : quantile(
            bySecond.map(([, index]) => index),
            0.5,
          ),
    min_max_ratio: inCommon(leastOverGreatest),
    share_ratio: inCommon((rates) => shareRatio(groups(rates))),
    convergence_ms: inCommon((_, span) =>
      convergence_ms(
        ran.map(({ counter }) => counter),
        span,
      ),
    ),
  };
  const span = "span" in together ? together.span : null;
  return {
    flows: flows.length,
    together_from_ms: span?.from_ms ?? null,
    together_to_ms: span?.to_ms ?? null,
    jain_by_second: bySecond,
    ...metricSet(measured),
  };
}
