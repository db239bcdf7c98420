// One metric over several runs: its median and 95 % interval, or why there is none. Pure; what a metric means stands in
// cli/registry/metrics.ts.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import { median } from "../../base/quantile.ts";
import type { MeasuredMetric } from "../../registry/metrics.ts";
import { medianInterval } from "./median_interval.ts";

/** A run's value, or why it has none. */
export type RunValue = { readonly value: number } | { readonly reason: string };

export interface MetricSummary {
  /** Runs that have a value. */
  readonly runs: number;
  readonly median: number | null;
  /** 95 %, from order statistics (stats/median_interval.ts). */
  readonly interval: Interval | null;
  /** Why median or interval is null. */
  readonly reason: string | null;
}

/** What rounding or the interval of few runs would put beyond the greatest possible value lies at it. */
function clamped({ low, high }: Interval, maximum: number | undefined): Interval {
  return maximum === undefined ? { low, high } : { low: Math.min(low, maximum), high: Math.min(high, maximum) };
}

/** Larger than every value, and still a number to interpolate with. */
const never = 1e300;

/** Of runs of one cell. Values of one unit, whatever it is. */
export function summarizeMetric(
  runs: readonly RunValue[],
  { absent, maximum }: Pick<MeasuredMetric, "absent" | "maximum">,
): MetricSummary {
  const values = runs.flatMap((run) => ("value" in run ? run.value : []));
  const reasons = runs.flatMap((run) => ("reason" in run ? run.reason : []));
  const [reason = "there are no valid runs"] = reasons;
  if (values.length === 0) return { runs: 0, median: null, interval: null, reason };
  const isLater = absent === "later" && reasons.length > 0;
  const all = isLater ? [...values, ...reasons.map(() => never)] : values;
  const greatest = Math.max(...values);
  const middle = median(all);
  const few = `an interval needs ${minimumUnits} runs: there ${all.length === 1 ? "is" : "are"} ${all.length}`;
  const interval = medianInterval(all);
  const late = `${reasons.length} of ${count(all.length, "run")}: ${reason}`;
  if (isLater && middle > greatest) return { runs: values.length, median: null, interval: null, reason: late };
  if (interval === null) return { runs: values.length, median: middle, interval, reason: few };
  // Five runs' interval ends a little beyond the last: without runs that are later still, that is no lateness.
  if (isLater && interval.high > greatest) return { runs: values.length, median: middle, interval: null, reason: late };
  return { runs: values.length, median: middle, interval: clamped(interval, maximum), reason: null };
}
