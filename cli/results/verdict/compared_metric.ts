// By which metric lanes are compared: the page load time, unless `--metric` says otherwise. The choice is made once, where loads become
// the samples of the statistics, which know one measured time a load; and the words for it stand here. Computes nothing.
import {
  type MetricFacts,
  metricFacts,
  type PageMetric,
  pageMetrics,
  type VideoMetric,
  videoFacts,
  videoMetrics,
} from "../../../extension/capture/metric_facts.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { isUserTiming, ownName, type UserTimingName } from "../../base/user_timing_name.ts";
import { isUnanswered } from "../../load/time_out.ts";
import { type Sample, timedOut } from "./sample.ts";

/** As in a plan. */
export type MetricChoice = NonNullable<SweepPlan["metric"]>;

export type AnyMetric = PageMetric | VideoMetric;

/** What all are called and mean. */
export const comparableFacts: Readonly<Record<AnyMetric, MetricFacts>> = { ...metricFacts, ...videoFacts };
const all: readonly AnyMetric[] = [...pageMetrics, ...videoMetrics];

/** All of `--metric`, in the order in which people read them. */
export const metricChoices = all.flatMap((name) => (comparableFacts[name].choice ?? []) as MetricChoice | []);

/** Of videos alone. */
export const isOfVideo = (choice: MetricChoice): boolean =>
  !isUserTiming(choice) && videoMetrics.some((name) => comparableFacts[name].choice === choice);

/** Unless one is requested. */
export const usualMetric: MetricChoice = "plt";

export interface ComparedMetric {
  /** Its name in data: `lcp_ms`. */
  readonly name: AnyMetric | UserTimingName;
  /** `LCP` */
  readonly title: string;
  /** `largest contentful paint` */
  readonly noun: string;
}

export function comparedMetric(choice: MetricChoice = usualMetric): ComparedMetric {
  if (isUserTiming(choice)) return { name: choice, title: choice, noun: userTimingNoun(choice) };
  const name = all.find((each) => comparableFacts[each].choice === choice);
  const { title, noun }: Partial<MetricFacts> = name ? comparableFacts[name] : {};
  if (!name || !title || !noun) throw new Error(`schemas/metrics.schema.json has no metric of the choice ${choice}`);
  return { name, title, noun };
}

const userTimingNoun = (name: UserTimingName): string =>
  `the page's ${name.startsWith("mark:") ? "mark" : "measure"} "${ownName(name)}"`;

const kindOf = (name: AnyMetric | UserTimingName): MetricFacts["kind"] => {
  if (!isUserTiming(name)) return comparableFacts[name].kind;
  return name.startsWith("mark:") ? "moment" : "duration";
};

/** What a load that has metrics says of them. */
export type Measured = Sample & { readonly [Name in AnyMetric]?: number | null } & {
  /** Of its responses. */
  readonly bytes?: number | null;
  readonly user_timings?: Readonly<Partial<Record<UserTimingName, number>>>;
};

const measuredOf = (load: Measured, name: AnyMetric | UserTimingName): number | null =>
  (isUserTiming(name) ? load.user_timings?.[name] : load[name]) ?? null;

/**
 * Loads with the metric's time as their measured one. One that is valid and does not have it is left out of the comparison, with this
 * as its reason. One that timed out has its first byte, first paint and start of a video if they had come by then; all that had not
 * is slower than all others'.
 */
export function samplesOf<T extends Measured>(loads: readonly T[], choice: MetricChoice = usualMetric): readonly T[] {
  return choice === usualMetric ? loads : samplesBy(loads, comparedMetric(choice).name);
}

/** Once these have come they are known, even if the load times out later. */
const early: readonly (AnyMetric | UserTimingName)[] = ["ttfb_ms", "dcl_ms", "fcp_ms", "startup_delay_ms"];

/** Of a load that timed out without a metric of `early`: whether that had not come by then. Else its page was not queried. */
function isLate({ ttfb_ms = null, bytes, reasons }: Measured, name: AnyMetric | UserTimingName): boolean {
  if (bytes === 0) return true;
  if (name === "startup_delay_ms") return !isUnanswered(reasons);
  return name !== "ttfb_ms" && ttfb_ms !== null;
}

/** Of what the page waited for CPUs until its load event, the part that a moment before it has; other quantities have none. */
function estimateUpTo(load: Measured, name: AnyMetric | UserTimingName): number | null {
  const { plt_ms, disturbance_estimate_ms } = load;
  const value_ms = name === "plt_ms" ? null : measuredOf(load, name);
  if (!disturbance_estimate_ms || !plt_ms || !value_ms || kindOf(name) !== "moment") return null;
  return disturbance_estimate_ms * Math.min(1, value_ms / plt_ms);
}

/** The same by any metric, of those too that `--metric` does not take. */
export function samplesBy<T extends Measured>(loads: readonly T[], name: AnyMetric | UserTimingName): readonly T[] {
  const title = isUserTiming(name) ? name : comparableFacts[name].title;
  return loads.map((load): T => {
    const value_ms = measuredOf(load, name);
    const sample = { ...load, plt_ms: value_ms, disturbance_estimate_ms: estimateUpTo(load, name) };
    if (load.status === "valid" && value_ms === null) return { ...sample, ...leftOut(lacksMetric(title)) };
    if (!early.includes(name) || !timedOut(load)) return sample;
    if (value_ms !== null) return { ...sample, status: "valid", reasons: [] };
    return isLate(load, name) ? sample : { ...sample, ...leftOut(unknownMetric(title)) };
  });
}

const leftOut = (reason: string) => ({ status: "invalid", reasons: [reason] }) as const;
const lacksMetric = (title: string): string => `no ${title}`;
const unknownMetric = (title: string): string => `timed out, ${title} not known`;

/** Whether it is for its metric alone that a sample is left out. */
export function hasNoTime({ reasons: [reason] }: Pick<Sample, "reasons">, choice: MetricChoice = usualMetric): boolean {
  const { title } = comparedMetric(choice);
  return reason === lacksMetric(title) || reason === unknownMetric(title);
}

/** `By LCP, h3 is 14 % faster than h2.`; by the page load time as it is. */
export function named(sentence: string, choice: MetricChoice = usualMetric): string {
  if (choice === usualMetric) return sentence;
  const within = sentence.replace(/^(?:No|On|Too) /, (word) => word.toLowerCase());
  return `By ${comparedMetric(choice).title}, ${within}`;
}
