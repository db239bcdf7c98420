// `--metric`: by what lanes are compared, as an option of race, sweep, report and compare. What follows from it is
// cli/results/verdict/compared_metric.ts's.
import type { Argv } from "yargs";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import type { Declared } from "../../base/option.ts";
import { type MetricChoice, metricChoices } from "../../results/verdict/compared_metric.ts";

export interface MetricOptions {
  metric: MetricChoice | undefined;
}

/** `usual`: what it is where it is not given. */
const metricOption = (usual: string): Declared & { type: "string" } => ({
  type: "string",
  choices: metricChoices,
  describe: `the metric to compare lanes by (default: ${usual}; si: Speed Index; every load is then filmed)`,
});

/** Of what runs loads. */
export function defineMetric<T>(yargs: Argv<T>): Argv<T & MetricOptions> {
  return yargs.option("metric", metricOption("plt, or the plan's")) as unknown as Argv<T & MetricOptions>;
}

/** Of what reads those that ran. */
export function defineStoredMetric<T>(yargs: Argv<T>): Argv<T & MetricOptions> {
  return yargs.option("metric", metricOption("what the sweep asked for")) as unknown as Argv<T & MetricOptions>;
}

/** What a plan says of it; nothing where the option is not given. */
export function metricOf({ metric }: MetricOptions): Pick<SweepPlan, "metric"> {
  return metric === undefined ? {} : { metric };
}
