// Metrics of a load in dilated time -> undilated ones. In dilated time (trilane-dilate) the network is as slow as it should be,
// but the browser computes on K times as fast a machine, by its own clock: computation that the load event waited for counts for
// a K-th. The critical path tells it apart; what is missing of it is added to PLT, and to each other metric what was computed
// before it. On the path a page's timers look like computation, and are not: no more than the CPU time of its main thread's tasks
// is taken for it, spread over the path. Pure.
//
// What that leaves: computation beside the network, which at K times the speed holds nothing up, and without dilation might
// have; and the browser's and the servers' own work on a request, which the path counts as network (1 to 3 ms a request).
// The times of requests stay those of dilated time.
import { metricFacts, pageMetrics } from "../../../extension/capture/metric_facts.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { isOverTcp, type LaneLabel, laneOf } from "../../base/lanes.ts";
import { laneServing } from "../serving/lane_serving.ts";
import { servingInDilatedTime } from "../serving/serving.ts";
import { criticalPath, type Segment } from "./critical_path.ts";

type DilatedPlan = Pick<SweepPlan, "dilate" | "serving" | "settings"> & { readonly lanes: readonly LaneLabel[] };

/** What the path computed up to a moment. */
export function computedBefore(segments: readonly Segment[], at_ms: number): number {
  return segments
    .filter(({ activity }) => activity === "computation")
    .reduce((sum, { from_ms, to_ms }) => sum + Math.max(0, Math.min(to_ms, at_ms) - from_ms), 0);
}

/**
 * The load with its metrics as without dilation, and what was added; one that was not dilated as it is. `tasks_ms`: CPU
 * time of its main thread's tasks while it loaded, on the lab's clock as all its times; null: not told.
 */
export function withUndilatedMetrics(load: PageLoad, dilation: number, tasks_ms: number | null): PageLoad {
  if (dilation === 1) return load;
  const facts = load.log._trilane;
  const segments = criticalPath(load)?.segments ?? [];
  const path_ms = computedBefore(segments, Number.POSITIVE_INFINITY);
  const share = tasks_ms === null || tasks_ms >= path_ms ? 1 : tasks_ms / path_ms;
  const added_ms = (at_ms: number): number => (dilation - 1) * share * computedBefore(segments, at_ms);
  const metrics = { ...facts.metrics };
  for (const name of pageMetrics) {
    const dilated_ms = facts.metrics[name] ?? null;
    if (metricFacts[name].kind === "moment" && dilated_ms !== null) metrics[name] = dilated_ms + added_ms(dilated_ms);
  }
  if (metrics.tbt_ms !== undefined && metrics.tbt_ms !== null) {
    metrics.tbt_ms = null;
    metrics.unavailable = {
      ...metrics.unavailable,
      tbt_ms: `in dilated time a task is long from ${50 * dilation} ms on`,
    };
  }
  const { plt_ms } = facts.metrics;
  return {
    log: {
      ...load.log,
      pages: load.log.pages.map((page) => ({
        ...page,
        pageTimings: { onContentLoad: metrics.dcl_ms ?? -1, onLoad: metrics.plt_ms ?? -1 },
      })) as PageLoad["log"]["pages"],
      _trilane: { ...facts, metrics, added_computation_ms: plt_ms === null ? 0 : added_ms(plt_ms) },
    },
  };
}

/** Whether Reno took the place that CUBIC has in undilated time, on a lane that has TCP. */
export function hasRenoForCubic(plan: DilatedPlan): boolean {
  return plan.lanes.some((label) => {
    const served = laneServing(plan, label);
    return isOverTcp(laneOf(label)) && servingInDilatedTime(served, plan.dilate ?? 1) !== served;
  });
}

/** For people, beside a verdict; null where time was not dilated. */
export function dilationSentence(plan: DilatedPlan): string | null {
  const { dilate = 1 } = plan;
  if (dilate === 1) return null;
  const reno = hasRenoForCubic(plan) ? " TCP ran Reno, because the kernel's CUBIC cannot be dilated." : "";
  return `Time was dilated ${dilate} times (--dilate): the times are those of the network as asked, computed from a slower one.${reno}`;
}
