// An improvement with its interval as a dot and a whisker on a small axis around 0, for tables.
import { html, type Markup } from "../../../extension/figures/markup.ts";
import { formatPercents } from "../../base/numbers.ts";
import { direction, type Improvement } from "../../results/verdict/comparison.ts";

const width = 110;
const height = 18;

export function whiskerMarkup(result: Improvement, end: number): Markup {
  if (result.percent === null) return html``;
  const at = (percent: number): number => width / 2 + (Math.max(-end, Math.min(end, percent)) / end) * (width / 2 - 6);
  const whisker =
    result.interval &&
    html`<line class="whisker" x1="${at(result.interval.low)}" x2="${Math.max(at(result.interval.high), at(result.interval.low) + 1)}" y1="9" y2="9"/>`;
  const mark = result.interval ? "point" : "point hollow";
  const x = at(result.percent);
  // Beyond the axis: pointing there from its end.
  const dot =
    Math.abs(result.percent) > end
      ? html`<path class="${mark}" d="M${x} 4.5v9l${Math.sign(result.percent) * 5} -4.5z"/>`
      : html`<circle class="${mark}" cx="${x}" cy="9" r="4"/>`;
  return html`<svg class="dw ${direction(result)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true"><line class="zero" x1="${width / 2}" x2="${width / 2}" y1="1" y2="17"/>${whisker}${dot}</svg>`;
}

/** `14 % (11 to 17)`. */
export function improvementText(result: Improvement): string {
  if (result.percent === null) return result.gap ? "not compared" : "–";
  const text = formatPercents(result.percent, result.interval);
  const signed = (number: string): string => number.replace("-", "−");
  return result.interval
    ? `${signed(text.percent)} % (${signed(text.low)} to ${signed(text.high)})`
    : `${signed(text.percent)} %`;
}
