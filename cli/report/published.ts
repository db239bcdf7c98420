// The report's section that sets a study's published figures beside ours. Takes comparisons, computes none.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { agreementSentence, type ComparedFigure } from "../results/studies/agreement.ts";
import type { ComparedSpread } from "../results/studies/spread.ts";
import type { Study } from "../results/studies/study.ts";
import { comparableFacts } from "../results/verdict/compared_metric.ts";
import { equivalence_percent } from "../results/verdict/verdict.ts";
import { linkCell } from "./figures/parts.ts";
import { improvementText } from "./figures/whisker.ts";

function publishedText({ published: { percent, sign, times, quantile } }: ComparedFigure): string {
  const at = quantile === undefined ? "" : ` (${Math.round(100 * quantile)}th percentile over pages)`;
  const beside = times ? ` (${times.lane}, ${times.over})` : at;
  if (percent !== null) return `${percent < 0 ? "−" : ""}${Math.abs(percent)} %${beside}`;
  return sign > 0 ? "faster" : sign < 0 ? "slower" : "equal";
}

const percentText = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

function spreadText({ variation, interval, loads }: ComparedSpread): string {
  if (variation === null) return "too few loads";
  const range = interval ? ` (${percentText(interval.low)} to ${percentText(interval.high)})` : "";
  return `${percentText(variation)}${range}, ${loads} loads`;
}

function spreadTable(spreads: readonly ComparedSpread[]): Markup | null {
  if (spreads.length === 0) return null;
  const rows = spreads.map(
    (spread) =>
      html`<tr data-link="${spread.published.link}"><th scope="row">${spread.published.lane}</th>${linkCell(spread.published.link)}<td>${spread.published.published}</td><td>${spread.published.than_what}</td><td>${spreadText(spread)}</td><td>${spread.agreement}</td></tr>`,
  );
  return html`<div class="scroll"><table><caption>Standard deviation over mean of the page load times of ${spreads[0]?.published.page ?? ""}: published, the study's own comparison, and ours with its 95 % interval.</caption><thead><tr><th scope="col">Lane</th><th scope="col">Link</th><th scope="col">Published</th><th scope="col">Less than</th><th scope="col">Ours</th><th scope="col">Sign</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** What one browser's loads say of the study's figures. */
interface PublishedSide {
  /** Empty: the sweep has one browser. */
  readonly name: string;
  readonly figures: readonly ComparedFigure[];
  readonly spreads?: readonly ComparedSpread[];
}

const keyOf = ({ published: { pair, page, link, metric, quantile } }: ComparedFigure): string =>
  JSON.stringify([pair, page, link, metric, quantile]);

/** All figures that a side has, with each side's own. */
function figuresTable(sides: readonly PublishedSide[]): Markup {
  const bySide = sides.map(({ figures }) => new Map(figures.map((figure) => [keyOf(figure), figure])));
  const all = [...new Map(sides.flatMap(({ figures }) => figures).map((figure) => [keyOf(figure), figure]))];
  const rows = all.map(([key, figure]) => {
    const ours = bySide.map((of) => {
      const own = of.get(key);
      return own
        ? html`<td class="num" data-sort="${String(own.ours.percent ?? "")}">${improvementText(own.ours)}</td><td>${own.agreement}</td>`
        : html`<td class="num" data-sort="">none</td><td>not loaded</td>`;
    });
    return html`<tr data-link="${figure.published.link ?? ""}"><th scope="row">${figure.published.pair.lane} over ${figure.published.pair.over}${figure.published.metric !== undefined && html`, ${comparableFacts[figure.published.metric].title}`}</th>${linkCell(figure.published.link ?? "all links", figure.published.page === null ? "" : `${figure.published.page}, `)}<td class="num" data-sort="${String(figure.published.percent ?? figure.published.sign)}">${publishedText(figure)}</td>${ours}</tr>`;
  });
  const heads = sides.map(
    ({ name }) => html`<th scope="col" class="num">Ours${name !== "" && html`, ${name}`}</th><th scope="col">Sign</th>`,
  );
  return html`<details><summary>All ${String(all.length)} figures</summary><div class="scroll"><table class="sortable"><caption>Improvement in %: published, and ours with its 95 % interval; positive: faster. Undecided: our interval includes 0, or there is none. Where the published value is 0, ours agrees within ${String(equivalence_percent)} % of 0.</caption><thead><tr><th scope="col">Lanes</th><th scope="col">Link</th><th scope="col" class="num">Published</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

/** Null where the plan is no study's. */
export function publishedSection(study: Study | null, sides: readonly PublishedSide[]): Markup | null {
  if (!study) return null;
  const terms = html`<p class="soft">${study.reference}. ${study.differs}</p>`;
  const sentences = sides.flatMap(({ name, figures, spreads = [] }) => {
    const found = agreementSentence([...figures, ...spreads]);
    return found === null ? [] : [name === "" ? found : `${name}: ${found}`];
  });
  if (sentences.length === 0) return html`<p>The study gives no figures to compare with.</p>${terms}`;
  const tables = sides.map(({ name, spreads = [] }) => {
    const table = spreadTable(spreads);
    return table && html`${name !== "" && html`<p>${name}</p>`}${table}`;
  });
  const hasFigures = sides.some(({ figures }) => figures.length > 0);
  return html`${sentences.map((sentence) => html`<p>${sentence}</p>`)}${terms}${hasFigures && figuresTable(sides)}${tables}`;
}
