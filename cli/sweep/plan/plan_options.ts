// The options by which a command decides something of a plan of page loads: each is declared here once, and set in the plan by
// planChoiceOf(). A command names those that it has.
import type { PlanCrossTraffic, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { type Declared, flag, number, repeated } from "../../base/option.ts";
import type { OptionTable, ValueOf } from "../../base/option_table.ts";
import { userTimingName } from "../../base/user_timing_name.ts";
import { formatFlow } from "../../link/flows/flow_words.ts";
import { readMix } from "../../link/flows/mix.ts";
import { kernelControllers } from "../../link/flows/transports.ts";
import { type MetricChoice, metricChoices } from "../../results/verdict/compared_metric.ts";
import { planRange } from "./plan_range.ts";
import { toleranceOf, toleranceOption } from "./tolerance.ts";
import { stoppingChoiceOf, stoppingRules, untilOptions } from "./until.ts";

/** `usual`: what it is if it is not given. */
const metricOption = (usual: string) => ({
  choices: metricChoices,
  orMatching: { pattern: userTimingName, words: "mark:NAME or measure:NAME" },
  describe: `the metric to compare lanes by (default: ${usual}; si: Speed Index; every load is then filmed; mark:NAME, measure:NAME: the page's own, of User Timing)`,
});

/** Made when a command defines its options: ranges are read from the plan's schema. */
const planOptions = () =>
  ({
    ...untilOptions(),
    metric: metricOption("plt, or the plan's"),
    films: number(planRange("films"), {
      describe: "film N further loads of each lane, for filmstrip and Speed Index; averages leave them out",
    }),
    tolerance: toleranceOption("a load before it is invalid: a share of its PLT"),
    "retry-for": number(planRange("retry_for_s", "seconds"), {
      rare: true,
      describe:
        "how long to repeat loads whose link the machine held up (default: a quarter of what the loads take, at least 15 s)",
    }),
    "cross-traffic": repeated(
      "a bulk flow that shares the link with each load, written as for `trilane flows --flow` (tcp:bbr); repeat it for more",
      { placeholder: "FLOW" },
    ),
    "page-start": number(planRange("page_start_s", "seconds"), {
      rare: true,
      describe: "with --cross-traffic: how long the flows have run when the page begins (default: 5)",
    }),
    strict: flag("a load is invalid if any request before its load event, even a beacon, is not in the recording"),
    seed: number(planRange("seed"), { default: 1, rare: true, describe: "decides the order of loads and the losses" }),
    retries: number(planRange("retries"), {
      default: 2,
      rare: true,
      describe: "how often an invalid load is repeated",
    }),
    timeout: number(planRange("timeout_s", "seconds"), {
      default: 60,
      describe: "how long a load may take before it fails",
    }),
    settle: number(planRange("settle_ms", "ms"), {
      default: 0,
      rare: true,
      describe: "watch the page at least this long after its load event, and until it is quiet",
    }),
  }) as const satisfies Readonly<Record<string, Declared>>;

type Rows = ReturnType<typeof planOptions>;

export type PlanOptions = {
  [Name in keyof Rows]: Name extends "metric" ? MetricChoice | undefined : ValueOf<Rows[Name]>;
};

/** For `with` of a command's table: the named options, in this order. */
export function plansOptions<const Name extends keyof Rows>(...names: readonly Name[]) {
  return (table: OptionTable<unknown>) => {
    const rows = planOptions();
    for (const name of names) table.option(name, rows[name]);
    if (stoppingRules.every((rule) => table.options.has(rule))) table.exclude(...stoppingRules);
    return table as OptionTable<Pick<PlanOptions, Name>>;
  };
}

/** Of a command that reads what ran. */
export const defineStoredMetric = (table: OptionTable<unknown>) =>
  table.option("metric", metricOption("what the sweep compared by")) as OptionTable<Pick<PlanOptions, "metric">>;

type Given = Partial<PlanOptions>;

function crossTrafficOf({ "cross-traffic": words = [], "page-start": page_start_s }: Given) {
  if (words.length === 0) {
    if (page_start_s !== undefined)
      throw new UserError(
        "--page-start: is for a page that loads during --cross-traffic, and there is none: give both, or neither",
      );
    return undefined;
  }
  const flows = readMix(words, kernelControllers()).map(formatFlow) as PlanCrossTraffic["flows"];
  return { flows, ...(page_start_s === undefined ? {} : { page_start_s }) };
}

type PlanChoice = Pick<
  SweepPlan,
  | ("until" | "time_limit_s" | "metric" | "films" | "tolerance" | "retry_for_s" | "cross_traffic" | "strict")
  | ("seed" | "retries" | "timeout_s" | "settle_ms")
>;

/** What the options decide of a plan: nothing of what is not given. UserError for words that contradict each other or a flow that cannot be. */
export function planChoiceOf(options: Given): Partial<PlanChoice> {
  const { tolerance } = options;
  const choice: { [Name in keyof PlanChoice]: PlanChoice[Name] | undefined } = {
    ...stoppingChoiceOf(options),
    metric: options.metric,
    films: options.films,
    tolerance: tolerance === undefined ? undefined : toleranceOf(tolerance),
    retry_for_s: options["retry-for"],
    cross_traffic: crossTrafficOf(options),
    strict: options.strict || undefined,
    seed: options.seed,
    retries: options.retries,
    timeout_s: options.timeout,
    settle_ms: options.settle,
  };
  return Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined)) as Partial<PlanChoice>;
}
