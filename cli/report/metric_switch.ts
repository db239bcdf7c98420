// The report's choice of the metric that lanes are compared by: what depends on it stands in the page once for each metric, and a row
// of radio buttons shows one. By style alone, so that it works without a script, in print and from the keyboard. Draws no figure.
import { html, Markup } from "../../extension/figures/markup.ts";
import { comparedMetric, type MetricChoice, metricChoices } from "../results/verdict/compared_metric.ts";

export interface ByMetric {
  readonly metric: MetricChoice;
}

const buttonOf = (metric: MetricChoice): string => `by-${metric}`;

/** Where there is a switch, all but the chosen metric's parts are hidden; without one there is nothing to hide. */
export const metricSwitchCss = metricChoices
  .map((metric) => `body:has(#${buttonOf(metric)}:not(:checked)) [data-metric="${metric}"]{display:none}\n`)
  .join("");

/** Null where there is one metric. The first one is chosen. */
export function metricSwitch(views: readonly ByMetric[]): Markup | null {
  if (views.length < 2) return null;
  const buttons = views.map(({ metric }, index) => {
    const { title, noun } = comparedMetric(metric);
    return html`<label title="${noun}"><input type="radio" name="metric" id="${buttonOf(metric)}"${index === 0 && html` checked`}> ${title}</label>`;
  });
  return html`<fieldset class="by-metric"><legend>Lanes compared by</legend>${buttons}</fieldset>`;
}

/** Figures of several metrics are saved side by side. */
const namedFiles = ({ text }: Markup, metric: MetricChoice): Markup =>
  new Markup(text.replaceAll(' data-file="', ` data-file="${metric}-`));

/** The same part for each metric, the first one's as it is; null where the first has nothing to show. */
export function forEachMetric<T extends ByMetric>(
  views: readonly T[],
  render: (view: T, isFirst: boolean) => Markup | null,
): Markup | null {
  const [first, ...others] = views;
  const shown = first ? render(first, true) : null;
  if (!first || shown === null || others.length === 0) return shown;
  const parts = others.map((view) => {
    const part =
      render(view, false) ?? html`<p class="soft">Nothing to show by ${comparedMetric(view.metric).noun}.</p>`;
    return html`<div data-metric="${view.metric}">${namedFiles(part, view.metric)}</div>`;
  });
  return html`<div data-metric="${first.metric}">${shown}</div>${parts}`;
}
