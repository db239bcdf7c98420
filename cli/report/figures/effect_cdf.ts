// The pages' effects as a distribution: for each page a dot with its 95 % interval, in the order of their size, over the band in
// which the share of pages like these lies. Draws given numbers.

import { drawing, shareTicks, uprightGrid } from "../../../extension/figures/axes.ts";
import { coordinate, html, type Markup } from "../../../extension/figures/markup.ts";
import { roundScale } from "../../../extension/figures/scale.ts";
import { endsOf } from "../../base/interval.ts";
import { middleCut } from "../../base/middle_cut.ts";
import { count, formatProbability } from "../../base/numbers.ts";
import type { PageEffect, PageEffects } from "../../results/verdict/page_effects.ts";
import { savedFigure } from "./figure_file.ts";
import { readingKey } from "./parts.ts";
import { improvementText } from "./whisker.ts";

const width = 640;
const left = 52;
const right = width - 20;
const top = 30;
/** For each page a line, so that whiskers do not lie on one another, within what a screen shows. */
const rowHeight = { most: 22, least: 3 } as const;
const plotHeight = { least: 180, most: 460 } as const;
/** A page far off would leave no room for the others: the axis ends there for what is so many times as far as the quartiles. */
const reach = 4;

/** The values that the axis must hold, without the ends of intervals that are far beyond the effects. */
function axisValues(pages: readonly PageEffect[]): number[] {
  const effects = pages.map(({ effect }) => effect.percent);
  const typical = effects.map(Math.abs).sort((a, b) => a - b)[Math.floor(0.75 * (effects.length - 1))] ?? 0;
  const end = Math.max(2, typical * reach);
  const ends = pages.flatMap(({ effect }) => [effect.percent, effect.interval?.low ?? 0, effect.interval?.high ?? 0]);
  return [0, ...ends.map((value) => Math.max(-end, Math.min(end, value)))];
}

/** `7 of 12 pages are faster, 1 is slower, 4 show no difference`. */
function namedSentence({ pair, pages, helped, hurt }: PageEffects): string {
  const rest = pages.length - helped - hurt;
  const are = (of: number): string => (of === 1 ? "is" : "are");
  const parts = [
    `${helped} of ${count(pages.length, "page")} ${are(helped)} faster over ${pair.lane} than over ${pair.over}`,
    hurt > 0 && `${hurt} ${are(hurt)} slower`,
    rest > 0 && `${rest} ${rest === 1 ? "shows" : "show"} no difference`,
  ].filter((part) => part !== false);
  return `${parts.join(", ")}.`;
}

const key = readingKey(
  "A page is called faster or slower by a test of its medians, link by link, after Benjamini and Hochberg’s correction for the number of pages: of those called so, 5 % at most are expected to be called wrongly. So a page’s own interval may leave out 0 and the page still be pale. The band is exact (Clopper and Pearson), 95 % at each point. Holm’s probabilities are in the CSV.",
);

export function effectCdfFigure(effects: PageEffects): Markup {
  const { pair, pages } = effects;
  const n = pages.length;
  const plot = Math.max(plotHeight.least, Math.min(plotHeight.most, n * rowHeight.most));
  const bottom = top + plot;
  const height = bottom + 48;
  const scale = roundScale(axisValues(pages), left, right);
  const x = (percent: number): number => scale.at(Math.max(scale.low, Math.min(scale.high, percent)));
  const y = (share: number): number => bottom - share * plot;
  const grid = uprightGrid(scale, top, bottom, { hasZero: true });
  const shares = shareTicks.map(
    (share) => html`<text class="axis end" x="${left - 6}" y="${y(share) + 4}">${String(share)}</text>`,
  );
  // From each page's effect to the next one's the share stays.
  const edge = (end: "low" | "high"): string[] =>
    pages.flatMap(({ effect, share }, index) => {
      const until = pages[index + 1]?.effect.percent ?? scale.high;
      return [effect.percent, until].map((at) => `${coordinate(x(at))} ${coordinate(y(share[end]))}`);
    });
  const band = html`<path class="band" d="M${edge("high").join("L")}L${edge("low").reverse().join("L")}Z"/>`;
  const rows = pages.map(({ page, effect, named, holm }, index) => {
    const at = y((index + 0.5) / n);
    const whisker =
      effect.interval &&
      html`<line class="whisker" x1="${x(effect.interval.low)}" x2="${x(effect.interval.high)}" y1="${at}" y2="${at}"/>`;
    const sentence = `${page}: ${improvementText(effect)}${named ? `, ${named}` : ""}, p ${formatProbability(holm)} (Holm)`;
    const mark = effect.interval ? "point" : "point hollow";
    const size = n > plot / (2 * rowHeight.least) ? 2 : 4;
    return html`<g class="dw ${named === "helped" ? "faster" : named === "hurt" ? "slower" : "unclear"}"><title>${sentence}</title>${whisker}<circle class="${mark}" cx="${x(effect.percent)}" cy="${at}" r="${size}"/></g>`;
  });
  const name = `${pair.lane} over ${pair.over}`;
  const sentence = namedSentence(effects);
  const label = `Effects of ${name} page by page: ${sentence}`;
  const drawn = drawing(
    { look: "plot effects", label, width, height },
    html`<text class="lane" x="${left}" y="18">${name}</text>${band}${grid}${shares}${rows}<text class="axis mid" x="${(left + right) / 2}" y="${height - 14}">improvement of the page’s median, %</text>`,
  );
  const figure = html`<figure><p>${sentence}</p>${drawn}<figcaption>Each dot: a page over all links, with its own 95 % interval; dark: faster or slower. Left: share of pages with such an effect or less, and its band for pages like these.</figcaption>${key}</figure>`;
  return savedFigure(figure, {
    name: ["effects-over-pages", pair.lane, "over", pair.over],
    columns: [
      ...["lane", "over", "page", "improvement_percent", "low_percent", "high_percent"],
      ...["probability", "holm", "benjamini_hochberg", "named", "share_of_pages", "share_low", "share_high"],
    ],
    rows: pages.map(({ page, effect, probability, holm, benjaminiHochberg, named, share }, index) => [
      ...[pair.lane, pair.over, middleCut(page, 200), effect.percent],
      ...[...endsOf(effect.interval), probability, holm, benjaminiHochberg, named],
      ...[(index + 1) / n, share.low, share.high],
    ]),
  });
}
