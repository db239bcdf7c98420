// One run's result (schemas/flow-result.schema.json) from its records: each metric's file is asked, and what cannot be said has its
// reason. Pure; reads no file, and compares no runs (summary.ts does).
import type { FlowResult, FlowResultFlow, FlowResultGroup } from "../../../schemas/generated/flow_result.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { type Direction, measureDirection, ratesTogether } from "./direction_metrics.ts";
import { type MeasuredFlow, measureFlow, withShare } from "./flow_metrics.ts";
import { type FlowMetric, type GroupMetric, isNumber, type Measured, metricSet, missing } from "./measured.ts";
import { measurePing } from "./ping.ts";
import { shares } from "./share.ts";

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

/** A sum over flows, at most `greatest`, which rounding might pass; missing where one of them is. */
function sumOf(flows: readonly MeasuredFlow[], metric: FlowMetric, greatest = Number.POSITIVE_INFINITY): Measured {
  const values = flows.map(({ measured }) => measured[metric]);
  const none = values.find((value) => !isNumber(value));
  return (
    none ??
    Math.min(
      greatest,
      values.filter(isNumber).reduce((sum, value) => sum + value, 0),
    )
  );
}

function measureGroup(
  flows: readonly MeasuredFlow[],
  { group, transport, congestion, paced, direction }: FlowResultFlow,
): FlowResultGroup {
  const measured: Record<GroupMetric, Measured> = {
    goodput_bps: sumOf(flows, "goodput_bps"),
    share: sumOf(flows, "share", 1),
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
