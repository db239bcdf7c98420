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
import type { LinkTraits } from "../../link/traits.ts";
import type { Sample } from "./sample.ts";
import { type SweepVerdict, sweepVerdict } from "./sweep_verdict.ts";

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
  videoMetrics.some((name) => comparableFacts[name].choice === choice);

/** Unless one is asked for. */
export const usualMetric: MetricChoice = "plt";

export interface ComparedMetric {
  /** Its name in data: `lcp_ms`. */
  readonly name: AnyMetric;
  /** `LCP` */
  readonly title: string;
  /** `largest contentful paint` */
  readonly noun: string;
}

export function comparedMetric(choice: MetricChoice = usualMetric): ComparedMetric {
  const name = all.find((each) => comparableFacts[each].choice === choice);
  const { title, noun }: Partial<MetricFacts> = name ? comparableFacts[name] : {};
  if (!name || !title || !noun) throw new Error(`schemas/metrics.schema.json has no metric of the choice ${choice}`);
  return { name, title, noun };
}

/** What a load that has metrics tells of them. */
export type Measured = Sample & { readonly [Name in AnyMetric]?: number | null };

/**
 * Loads with the metric's time as their measured one. One that is valid and does not have it is left out of the comparison, with this
 * as its reason; of one that timed out all metrics count as slower than all others.
 */
export function samplesOf<T extends Measured>(loads: readonly T[], choice: MetricChoice = usualMetric): readonly T[] {
  return choice === usualMetric ? loads : samplesBy(loads, comparedMetric(choice).name);
}

/** The same by any metric, of those too that `--metric` does not take. */
export function samplesBy<T extends Measured>(loads: readonly T[], name: AnyMetric): readonly T[] {
  const { title } = comparableFacts[name];
  return loads.map((load) => {
    const value_ms = load[name] ?? null;
    const lacks = load.status === "valid" && value_ms === null;
    return {
      ...load,
      plt_ms: value_ms,
      ...(lacks ? { status: "invalid" as const, reasons: [lacksMetric(title)] } : {}),
    };
  });
}

const lacksMetric = (title: string): string => `no ${title}`;

/** Whether a sample is valid but for its metric. */
export function hasNoTime({ reasons }: Pick<Sample, "reasons">, choice: MetricChoice = usualMetric): boolean {
  return reasons[0] === lacksMetric(comparedMetric(choice).title);
}

/** `By LCP, h3 is 14 % faster than h2.`; by the page load time as it is. */
export function named(sentence: string, choice: MetricChoice = usualMetric): string {
  if (choice === usualMetric) return sentence;
  const within = sentence.replace(/^(?:No|On|Too) /, (word) => word.toLowerCase());
  return `By ${comparedMetric(choice).title}, ${within}`;
}

/** The verdict of samplesOf these loads, its sentences naming the metric. */
export function verdictBy(
  choice: MetricChoice | undefined,
  loads: readonly Measured[],
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): SweepVerdict {
  const verdict = sweepVerdict(samplesOf(loads, choice), links, seed);
  if (choice === undefined || choice === usualMetric) return verdict;
  return {
    ...verdict,
    scope: `${verdict.scope}, compared by ${comparedMetric(choice).noun}`,
    pairs: verdict.pairs.map((pair) => ({ ...pair, sentence: named(pair.sentence, choice) })),
  };
}
