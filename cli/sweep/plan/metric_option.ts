// `--metric`: by what lanes are compared, as an option of race, sweep, report and compare. What follows from it is
// cli/results/verdict/compared_metric.ts's.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { type MetricChoice, metricChoices } from "../../results/verdict/compared_metric.ts";

export interface MetricOptions {
  metric: MetricChoice | undefined;
}

/** `usual`: what it is where it is not given. */
const metricOption = (usual: string) => ({
  choices: metricChoices,
  describe: `the metric to compare lanes by (default: ${usual}; si: Speed Index; every load is then filmed)`,
});

/** Of what runs loads. */
export function defineMetric<T>(table: OptionTable<T>): OptionTable<T & MetricOptions> {
  return table.option("metric", metricOption("plt, or the plan's"));
}

/** Of what reads those that ran. */
export function defineStoredMetric<T>(table: OptionTable<T>): OptionTable<T & MetricOptions> {
  return table.option("metric", metricOption("what the sweep asked for"));
}

/** What a plan says of it; nothing where the option is not given. */
export function metricOf({ metric }: MetricOptions): Pick<SweepPlan, "metric"> {
  return metric === undefined ? {} : { metric };
}
