// The report's section on what medians hide: effects page by page, the slowest loads, and where effects vary. Assembles; the numbers
// are cli/results/verdict/beyond_median.ts's. Nothing to show: no section.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { endsOf } from "../base/interval.ts";
import { count, formatPercents, formatTime, withMinus } from "../base/numbers.ts";
import { type BeyondMedian, beyondMedian, type LinkTails } from "../results/verdict/beyond_median.ts";
import { type ComponentName, type EffectComponents, fewestLevels } from "../results/verdict/effect_components.ts";
import { quantileName, type TailDifference, tailQuantiles } from "../results/verdict/tail_differences.ts";
import type { ReportData } from "./data.ts";
import { effectCdfFigure } from "./figures/effect_cdf.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { readingKey } from "./figures/parts.ts";

/** Of a grid of a hundred links; all are in the CSV. */
const mostRows = 30;

function tailCells({ lane_ms, over_ms, percent, interval, reason }: TailDifference): Markup {
  if (percent === null || lane_ms === null || over_ms === null)
    return html`<td class="none" colspan="3">${reason?.split(":")[0] ?? "–"}</td>`;
  const text = formatPercents(percent, interval);
  const range = interval
    ? html` (${withMinus(text.low)} to ${withMinus(text.high)})`
    : html` <small>${reason ?? "no interval"}</small>`;
  return html`<td class="num">${formatTime(over_ms)}</td><td class="num">${formatTime(lane_ms)}</td><td class="imp">${withMinus(text.percent)} %${range}</td>`;
}

/** Null where no link has loads enough. */
function tailFigure(ofPair: readonly LinkTails[]): Markup | null {
  const [first] = ofPair;
  const known = ofPair.filter(({ tails }) => tails.some(({ percent }) => percent !== null));
  if (!first || known.length === 0) return null;
  const { lane, over } = first.pair;
  const rows = known
    .slice(0, mostRows)
    .map(({ link, tails }) => html`<tr><th scope="row">${link}</th>${tails.map(tailCells)}</tr>`);
  const heads = tailQuantiles.map(
    (quantile) =>
      html`<th scope="col" class="num">${quantileName(quantile)} ${over}</th><th scope="col" class="num">${lane}</th><th scope="col" class="imp">${lane} over ${over}</th>`,
  );
  const less = ofPair.length - known.length;
  const notShown = known.length - rows.length;
  const figure = html`<figure><h3>The slowest loads: ${lane} over ${over}</h3><div class="scroll"><table class="beyond"><thead><tr><th scope="col">Link</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div><figcaption>What 90 and 95 % of the loads of ${count(first.pages, "page")} take at most, and the improvement with an interval of 95 % or more, for these pages.${less > 0 && ` Too few runs: ${count(less, "link")}.`}${notShown > 0 && ` ${count(notShown, "further link")}: in the CSV.`}</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["tails", lane, "over", over],
    columns: [
      ...["link", "quantile", "loads", "over_ms", "lane_ms", "improvement_percent"],
      ...["low_percent", "high_percent", "reason"],
    ],
    rows: ofPair.flatMap(({ link, tails }) =>
      tails.map(({ quantile, loads, over_ms, lane_ms, percent, interval, reason }) => [
        ...[link, quantile, loads, over_ms, lane_ms, percent, ...endsOf(interval), reason],
      ]),
    ),
  });
}

const meanings: Readonly<Record<ComponentName, readonly [name: string, more: string]>> = {
  page: ["from page to page", "more pages"],
  link: ["from link to link", "more links"],
  "page on link": ["from one page on a link to another", "more pages or links"],
  occasion: ["from one occasion to the next", "runs at other times"],
  residual: ["between runs", "more runs"],
};

const componentKey = readingKey(
  "By moments for unbalanced data (Henderson’s method 1), of log(PLT ratio) block by block. An occasion is one pass over all pages and links. Shares of the mean’s variance are for pages and links like these.",
);

const percentPoints = (sd: number): string => `${sd < 10 ? sd.toFixed(1) : Math.round(sd)} %`;

/** `Effects vary most from page to page (4.1 %), so more pages would make the mean surest.` */
function componentSentence({ components }: EffectComponents): string | null {
  const most = components.reduce((one, other) => (other.share > one.share ? other : one));
  if (most.share === 0) return null;
  const [where, more] = meanings[most.name];
  return `${Math.round(most.share * 100)} % of the mean’s uncertainty is from how effects vary ${where}: ${more} would narrow it most.`;
}

/** One table of all pairs: what their effects vary with stands once. */
function componentFigure(found: readonly EffectComponents[]): Markup | null {
  const [first] = found;
  if (!first) return null;
  const names = found.map(({ pair }) => `${pair.lane} over ${pair.over}`);
  const rows = first.components.map(({ name, levels }) => {
    const of = found.flatMap(({ components }) => components.filter((each) => each.name === name));
    return html`<tr><th scope="row">${meanings[name][0]}</th><td class="num">${String(levels)}${name !== "residual" && levels < fewestLevels && html` <small>rough</small>`}</td>${of.map(({ sd_percent, share }) => html`<td class="num">${percentPoints(sd_percent)} <small>${Math.round(share * 100)} %</small></td>`)}</tr>`;
  });
  const sentences = found.map((each, index) => {
    const sentence = componentSentence(each);
    return sentence && html`<p>${names[index]}: ${sentence}</p>`;
  });
  const figure = html`<figure><h3>Where the effect varies</h3>${sentences}<div class="scroll"><table class="beyond"><thead><tr><th scope="col">The effect varies</th><th scope="col" class="num">of them</th>${names.map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div><figcaption>Standard deviation of the effect, and its share of the mean’s variance (small); 0 %: no more than chance. Rough: fewer than ${String(fewestLevels)} of them.</figcaption>${componentKey}</figure>`;
  return savedFigure(figure, {
    name: ["variance-components"],
    columns: ["lane", "over", "component", "levels", "sd_percent", "share_of_mean_variance"],
    rows: found.flatMap(({ pair, components }) =>
      components.map(({ name, levels, sd_percent, share }) => [pair.lane, pair.over, name, levels, sd_percent, share]),
    ),
  });
}

function figuresOf({ effects, tails, components }: BeyondMedian): Markup[] {
  const tailsOfPairs = [...Map.groupBy(tails, ({ pair }) => JSON.stringify(pair)).values()];
  return [
    ...effects.map(effectCdfFigure),
    ...tailsOfPairs.flatMap((ofPair) => tailFigure(ofPair) ?? []),
    ...[componentFigure(components) ?? []].flat(),
  ];
}

/** Null where pages, runs and links are too few for all of it. */
export function beyondSection({ loads, sweep }: ReportData): Markup | null {
  const figures = figuresOf(beyondMedian(loads, sweep.seed));
  if (figures.length === 0) return null;
  return html`<div class="side-by-side">${figures}</div>`;
}
