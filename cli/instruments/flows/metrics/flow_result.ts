// One run's result (schemas/flow-result.schema.json) from its records: each metric's file is used, and what cannot be said has its
// reason. Pure; reads no file, and compares no runs (summary.ts does).

import type { FlowPing } from "../../../../schemas/generated/flow_report.ts";
import type { FlowResult, FlowResultFlow, FlowResultGroup } from "../../../../schemas/generated/flow_result.ts";
import { quantile } from "../../../base/quantile.ts";
import type { GroupMetric, PingMetric } from "../../../registry/metrics.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { lengthOf } from "./cumulative.ts";
import { type Direction, measureDirection, ratesTogether, unionOf } from "./direction_metrics.ts";
import { shares } from "./fairness.ts";
import { type MeasuredFlow, measureFlow, withShare } from "./flow_metrics.ts";
import { isNumber, known, type Measured, metricSet, missing } from "./measured.ts";
import { goodput_bps } from "./rates.ts";

/** With their shares of their directions. */
function measureFlows(records: FlowRecords, groupOf: readonly number[]): MeasuredFlow[] {
  const flows = groupOf.map((group, flow) => measureFlow(records, flow, group));
  for (const sending of Map.groupBy(flows, ({ result }) => result.direction).values()) {
    const together = ratesTogether(sending);
    const ofFlows: Measured[] = "reason" in together ? [] : shares(together.rates);
    sending.forEach((flow, place) => {
      const none = "reason" in together ? together.reason : "not measured";
      flows[flow.result.flow] = withShare(flow, ofFlows[place] ?? missing(none));
    });
  }
  return flows;
}

/** What a group's flows have in the time in which any of them runs; missing where one of them has none. */
function goodputOf(flows: readonly MeasuredFlow[]): Measured {
  const none = flows.map(({ measured }) => measured.goodput_bps).find((value) => !isNumber(value));
  if (none !== undefined) return none;
  const ran = flows.flatMap(({ ran: its }) => its ?? []);
  // Not the sum of their goodputs: flows that end one after the other would have more together than the link carries.
  const received_bytes = ran.reduce((bytes, its) => bytes + its.received_bytes, 0);
  const to_ms = unionOf(ran.map(({ span }) => span)).reduce((sum, span) => sum + lengthOf(span), 0);
  return goodput_bps(received_bytes, { from_ms: 0, to_ms });
}

/** At most 1, which rounding might pass; missing where one of them is. */
function shareOf(flows: readonly MeasuredFlow[]): Measured {
  const ofFlows = flows.map(({ measured }) => measured.share);
  const sum = ofFlows.filter(isNumber).reduce((total, value) => total + value, 0);
  return ofFlows.find((value) => !isNumber(value)) ?? Math.min(1, sum);
}

function measureGroup(
  flows: readonly MeasuredFlow[],
  { group, transport, congestion, paced, direction }: FlowResultFlow,
): FlowResultGroup {
  const measured: Record<GroupMetric, Measured> = {
    goodput_bps: goodputOf(flows),
    share: shareOf(flows),
  };
  const kind = { transport, congestion, ...(paced ? { paced } : {}), direction };
  return { group, ...kind, flows: flows.length, ...metricSet(measured) };
}

/**
 * `groupOf`: of each flow of the run, which `--flow` of the mix it is of, from 0. RangeError where the records do not have as many
 * flows.
 */
export function flowResult(records: FlowRecords, groupOf: readonly number[]): FlowResult {
  if (groupOf.length !== records.run.flows.length)
    throw new RangeError(`${records.run.flows.length} flows were run, not ${groupOf.length}`);
  const flows = measureFlows(records, groupOf);
  const sending = (direction: Direction): MeasuredFlow[] =>
    flows.filter(({ result }) => result.direction === direction);
  const groups = Map.groupBy(flows, ({ result }) => result.group);
  const { near, far, shaper, run } = records;
  return {
    schema: "trilane/flow-result/1",
    run_ms: (near.end_ns - near.start_ns) / 1e6,
    flows: flows.map(({ result }) => result),
    groups: [...groups.entries()]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([, its]) => (its[0] ? measureGroup(its, its[0].result) : [])),
    down: measureDirection(records, "down", sending("down")),
    up: measureDirection(records, "up", sending("up")),
    ping: run.ping_ms === null ? null : metricSet(measurePing(near.ping ?? { sent: 0, received: 0, replies: [] })),
    near_cpu_ms: near.cpu_ms,
    far_cpu_ms: far.cpu_ms,
    shaper_cpu_ms: shaper.cpu_ns / 1e6,
  };
}

// Round trips of the small packets beside the flows: what an interactive application would feel (as flent's rrul). Pure.

function measurePing({ sent, received, replies }: FlowPing): Record<PingMetric, Measured> {
  const rtts_ms = replies.map(({ rtt_ns }) => rtt_ns / 1e6);
  const at = (probability: number): Measured =>
    rtts_ms.length * (1 - probability) < 1
      ? missing(`${rtts_ms.length} replies are too few for it`)
      : quantile(rtts_ms, probability);
  return {
    ping_p50_ms: at(0.5),
    ping_p95_ms: at(0.95),
    ping_p99_ms: at(0.99),
    ping_lost: known(sent > 0 ? 1 - received / sent : null, "none was sent"),
  };
}
