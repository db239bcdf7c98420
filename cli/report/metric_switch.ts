// The report's choice of the metric that lanes are compared by: what depends on it stands in the page once for each metric, and a row
// of radio buttons shows one. By style alone, so that it works without a script, in print and from the keyboard. Draws no figure.

import { html, Markup } from "../../extension/figures/markup.ts";
import { isUserTiming } from "../base/user_timing_name.ts";
import { comparedMetric, type MetricChoice, metricChoices } from "../results/verdict/compared_metric.ts";

/** Beside the chosen metric: each has its own tables and figures in the page. */
export const mostUserTimings = 3;

interface ByMetric {
  readonly metric: MetricChoice;
}

/** In the page's style, which is the same for all reports: marks and measures, whose names are the pages', have numbers there. */
const ownNames = Array.from({ length: mostUserTimings + 1 }, (_, index) => `own-${index + 1}`);

/** What each is called in the page. */
function partNames(views: readonly ByMetric[]): ReadonlyMap<MetricChoice, string> {
  const own = views.map(({ metric }) => metric).filter(isUserTiming);
  return new Map(
    views.map(({ metric }) => [metric, isUserTiming(metric) ? (ownNames[own.indexOf(metric)] ?? "own") : metric]),
  );
}

/** Where there is a switch, all but the chosen metric's parts are hidden; without one there is nothing to hide. */
export const metricSwitchCss = [...metricChoices, ...ownNames]
  .map((name) => `body:has(#by-${name}:not(:checked)) [data-metric="${name}"]{display:none}\n`)
  .join("");

/** Null where there is one metric. The first one is chosen. */
export function metricSwitch(views: readonly ByMetric[]): Markup | null {
  if (views.length < 2) return null;
  const names = partNames(views);
  const buttons = views.map(({ metric }, index) => {
    const { title, noun } = comparedMetric(metric);
    return html`<label title="${noun}"><input type="radio" name="metric" id="by-${names.get(metric) ?? metric}"${index === 0 && html` checked`}> ${title}</label>`;
  });
  return html`<fieldset class="by-metric"><legend>Lanes compared by</legend>${buttons}</fieldset>`;
}

/** Figures of several metrics are saved side by side. */
const namedFiles = ({ text }: Markup, name: string): Markup =>
  new Markup(text.replaceAll(' data-file="', ` data-file="${name}-`));

/** The same part for each metric, the first one's as it is; null where the first has nothing to show. */
export function forEachMetric<T extends ByMetric>(
  views: readonly T[],
  render: (view: T, isFirst: boolean) => Markup | null,
): Markup | null {
  const [first, ...others] = views;
  const shown = first ? render(first, true) : null;
  if (!first || shown === null || others.length === 0) return shown;
  const names = partNames(views);
  const parts = others.map((view) => {
    const name = names.get(view.metric) ?? view.metric;
    const part =
      render(view, false) ?? html`<p class="soft">Nothing to show by ${comparedMetric(view.metric).noun}.</p>`;
    return html`<div data-metric="${name}">${namedFiles(part, name)}</div>`;
  });
  return html`<div data-metric="${names.get(first.metric) ?? first.metric}">${shown}</div>${parts}`;
}
