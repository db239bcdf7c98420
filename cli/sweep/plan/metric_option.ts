// `--metric`: by what lanes are compared, as an option of race, sweep, report and compare. What follows from it is
// cli/results/verdict/compared_metric.ts's.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { userTimingName } from "../../base/user_timing_name.ts";
import { type MetricChoice, metricChoices } from "../../results/verdict/compared_metric.ts";

export interface MetricOptions {
  metric: MetricChoice | undefined;
}

/** `usual`: what it is where it is not given. */
const metricOption = (usual: string) => ({
  choices: metricChoices,
  orMatching: { pattern: userTimingName, words: "mark:NAME or measure:NAME" },
  describe: `the metric to compare lanes by (default: ${usual}; si: Speed Index; every load is then filmed; mark:NAME, measure:NAME: the page's own, of User Timing)`,
});

/** Of what runs loads. */
export function defineMetric<T>(table: OptionTable<T>): OptionTable<T & MetricOptions> {
  return table.option("metric", metricOption("plt, or the plan's")) as unknown as OptionTable<T & MetricOptions>;
}

/** Of what reads those that ran. */
export function defineStoredMetric<T>(table: OptionTable<T>): OptionTable<T & MetricOptions> {
  return table.option("metric", metricOption("what the sweep asked for")) as unknown as OptionTable<T & MetricOptions>;
}

/** What a plan says of it; nothing where the option is not given. */
export function metricOf({ metric }: MetricOptions): Pick<SweepPlan, "metric"> {
  return metric === undefined ? {} : { metric };
}
