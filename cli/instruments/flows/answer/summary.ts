// What the valid runs of one cell (a mix of flows on a link) say together: each metric's median and 95 % interval over runs. The run is
// the unit: of a group's flows, which share one run's luck, a run counts their mean. Pure.
import type { FlowResult, FlowResultGroup, Reasons } from "../../../../schemas/generated/flow_result.ts";
import { mean } from "../../../base/quantile.ts";
import {
  type DirectionMetric,
  type FlowMetric,
  type GroupMetric,
  type MeasuredMetric,
  metrics,
  type PingMetric,
} from "../../../registry/metrics.ts";
import { type MetricSummary, type RunValue, summarizeMetric } from "../../../results/stats/metric_summary.ts";

export interface GroupSummary
  extends Pick<FlowResultGroup, "group" | "transport" | "congestion" | "paced" | "direction" | "flows"> {
  /** Of the group as a whole. */
  readonly all: Readonly<Record<GroupMetric, MetricSummary>>;
  /** Of one of its flows: their mean in each run. */
  readonly each: Readonly<Record<FlowMetric, MetricSummary>>;
}

export interface FlowSummary {
  readonly runs: number;
  readonly groups: readonly GroupSummary[];
  /** null: no flow sends this way. */
  readonly down: Readonly<Record<DirectionMetric, MetricSummary>> | null;
  readonly up: Readonly<Record<DirectionMetric, MetricSummary>> | null;
  readonly ping: Readonly<Record<PingMetric, MetricSummary>> | null;
}

interface Measured<Name extends string> {
  readonly metrics: Readonly<Partial<Record<Name, number | null>>>;
  readonly unavailable: Reasons;
}

/** A metric in one run: of several flows their mean, and missing where one flow's is. */
function valueIn<Name extends string>(name: Name, sets: readonly Measured<Name>[]): RunValue {
  // Results of before a metric lack it.
  const without = sets.find(({ metrics }) => typeof metrics[name] !== "number");
  if (without || sets.length === 0) return { reason: without?.unavailable[name] ?? "not measured" };
  return { value: mean(sets.map(({ metrics }) => metrics[name] as number)) };
}

/** `runs`: of each run what is averaged within it. */
function summarizeAll<Name extends string>(
  facts: Readonly<Record<Name, MeasuredMetric>>,
  runs: readonly (readonly Measured<Name>[])[],
): Record<Name, MetricSummary> {
  const names = Object.keys(facts) as Name[];
  const summaries = names.map((name): [Name, MetricSummary] => [
    name,
    summarizeMetric(
      runs.map((sets) => valueIn(name, sets)),
      facts[name],
    ),
  ]);
  return Object.fromEntries(summaries) as Record<Name, MetricSummary>;
}

/** Of a metric that each run has once; null where no run has it. */
function onceEach<Name extends string>(
  facts: Readonly<Record<Name, MeasuredMetric>>,
  runs: readonly (Measured<Name> | null)[],
): Record<Name, MetricSummary> | null {
  return runs.every((run) => run === null)
    ? null
    : summarizeAll(
        facts,
        runs.map((run) => (run === null ? [] : [run])),
      );
}

/** `results`: of the valid runs of one cell, whose mix they share. */
export function summarizeRuns(results: readonly FlowResult[]): FlowSummary {
  const groups = (results[0]?.groups ?? []).map(
    ({ group, transport, congestion, paced, direction, flows }): GroupSummary => ({
      ...{ group, transport, congestion, ...(paced ? { paced } : {}), direction, flows },
      all: summarizeAll(
        metrics.group,
        results.map((run) => run.groups.filter((its) => its.group === group)),
      ),
      each: summarizeAll(
        metrics.flow,
        results.map((run) => run.flows.filter((flow) => flow.group === group)),
      ),
    }),
  );
  return {
    runs: results.length,
    groups,
    down: onceEach(
      metrics.direction,
      results.map(({ down }) => down),
    ),
    up: onceEach(
      metrics.direction,
      results.map(({ up }) => up),
    ),
    ping: onceEach(
      metrics.ping,
      results.map(({ ping }) => ping),
    ),
  };
}
