// The metrics of schemas/metrics.schema.json: what each is called and means, for the extension, the exports, the results and
// the report. Which there are, and their words, the schema says. Computes none.
import type { Metrics } from "../../schemas/generated/metrics.ts";
import schema from "../../schemas/metrics.schema.json" with { type: "json" };

const { unavailable: _unavailable, ...ofPage } = schema.properties;
const { computed, video, visual } = schema.definitions;

/** What the page reports; then what is computed of a stored load, of a video that it played, and of a film. */
export type PageMetric = keyof typeof ofPage;
export type ComputedMetric = keyof typeof computed.properties;
export type VideoMetric = keyof typeof video.properties;
export type VisualMetric = keyof typeof visual.properties;

export interface MetricFacts {
  /** As people say it; the key is its name in data. */
  readonly title: string;
  readonly meaning: string;
  /** A moment is a time since the navigation began, a duration another time, cpu a CPU time, a rate in bit/s; a score has no unit. */
  readonly kind: "moment" | "duration" | "cpu" | "rate" | "score";
  /** What `--metric` calls it, and sentences: only of those that loads may be compared by. */
  readonly choice?: string;
  readonly noun?: string;
  /** Where HAR files of other programs have it: the page's fields, those of its pageTimings after a slash. */
  readonly in_har?: readonly string[];
}

type Registered<Name extends string> = Record<Name, { readonly metric: unknown }>;

function factsOf<Name extends string>(properties: Registered<Name>): Readonly<Record<Name, MetricFacts>> {
  const all = Object.entries<{ readonly metric: unknown }>(properties);
  return Object.fromEntries(all.map(([name, { metric }]) => [name, metric])) as Record<Name, MetricFacts>;
}

/** In the order in which people read them. */
export const metricFacts = factsOf<PageMetric>(ofPage);
export const computedFacts = factsOf<ComputedMetric>(computed.properties);
export const videoFacts = factsOf<VideoMetric>(video.properties);
export const visualFacts = factsOf<VisualMetric>(visual.properties);

export const pageMetrics = Object.keys(metricFacts) as readonly PageMetric[];
export const computedMetrics = Object.keys(computedFacts) as readonly ComputedMetric[];
export const videoMetrics = Object.keys(videoFacts) as readonly VideoMetric[];
export const visualMetrics = Object.keys(visualFacts) as readonly VisualMetric[];

/** Whether every page load has it; the others came later. */
export const isFirst = (name: PageMetric): name is FirstMetric => schema.required.includes(name);
export const firstMetrics: readonly FirstMetric[] = pageMetrics.filter(isFirst);
type FirstMetric = {
  [Name in PageMetric]: Record<never, never> extends Pick<Metrics, Name> ? never : Name;
}[PageMetric];
