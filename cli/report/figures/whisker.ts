// An improvement with its interval as a dot and a whisker on a small axis around 0, for tables.
import { html, type Markup } from "../../../extension/figures/markup.ts";
import type { Interval } from "../../base/interval.ts";
import { formatPercents, limitSign, percentRange, withMinus } from "../../base/numbers.ts";
import { direction, type Improvement, limitOf } from "../../results/verdict/comparison.ts";

/** Where an axis of marks ends, the same to both sides of 0, so that so many per cent are on it: round. */
export function marksEnd(percents: readonly number[]): number {
  const most = Math.max(...percents.map(Math.abs));
  return [5, 10, 20, 30, 50, 75, 100].find((end) => end >= most) ?? 100;
}

const width = 110;
const height = 18;

/** `way`: faster, slower or unclear, or of-lane in a lane's colours. */
export function effectMark(
  { percent, interval }: { readonly percent: number; readonly interval: Interval | null },
  way: string,
  end: number,
): Markup {
  const at = (value: number): number => width / 2 + (Math.max(-end, Math.min(end, value)) / end) * (width / 2 - 6);
  const whisker =
    interval &&
    html`<line class="whisker" x1="${at(interval.low)}" x2="${Math.max(at(interval.high), at(interval.low) + 1)}" y1="9" y2="9"/>`;
  const mark = interval ? "point" : "point hollow";
  const x = at(percent);
  // Beyond the axis: pointing there from its end.
  const dot =
    Math.abs(percent) > end
      ? html`<path class="${mark}" d="M${x} 4.5v9l${Math.sign(percent) * 5} -4.5z"/>`
      : html`<circle class="${mark}" cx="${x}" cy="9" r="4"/>`;
  return html`<svg class="dw ${way}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true"><line class="zero" x1="${width / 2}" x2="${width / 2}" y1="1" y2="17"/>${whisker}${dot}</svg>`;
}

export function whiskerMarkup(result: Improvement, end: number): Markup {
  const { percent, interval } = result;
  return percent === null ? html`` : effectMark({ percent, interval }, direction(result), end);
}

/** `14 % (11 to 17)`; `≤ 14 % (17 or less)` where only a limit is known. */
export function improvementText(result: Improvement): string {
  if (result.percent === null) return result.gap ? "not compared" : "–";
  const text = formatPercents(result.percent, result.interval);
  const range = withMinus(percentRange(text));
  const percent = `${limitSign(result.percent, limitOf(result))}${withMinus(text.percent)} %`;
  return result.interval ? `${percent} (${range})` : percent;
}
