// The report's section on the pages that each lane helps and hurts most, with what sets them apart. Assembles; the ranking is
// cli/results/verdict/page_groups.ts's.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { endsOf } from "../base/interval.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatSize } from "../base/numbers.ts";
import { figures } from "../registry/units.ts";
import type { PublishedExtreme, Study } from "../results/studies/study.ts";
import { direction, improvement } from "../results/verdict/comparison.ts";
import { contrast, type GroupContrast, pageGroups, type RankedPage } from "../results/verdict/page_groups.ts";
import { pairedCells } from "../results/verdict/paired_cells.ts";
import type { LanePair } from "../results/verdict/sample.ts";
import type { ReportData } from "./data.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { readingKey } from "./figures/parts.ts";
import { improvementText, marksEnd, whiskerMarkup } from "./figures/whisker.ts";
import { type PageTraits, pageTraits } from "./page_traits.ts";

interface Trait {
  readonly key: keyof PageTraits;
  readonly head: string;
  readonly kind: "ratio" | "difference";
  readonly text: (value: number) => string;
}

const size = (value: number): string => formatSize(Math.round(value));
const share = (value: number): string => `${Math.round(value * 100)} %`;

const traits: readonly Trait[] = [
  { key: "requests", head: "requests", kind: "ratio", text: figures },
  { key: "bytes", head: "bytes", kind: "ratio", text: size },
  { key: "objectBytes", head: "mean object", kind: "ratio", text: size },
  { key: "hosts", head: "hosts", kind: "ratio", text: figures },
  { key: "servers", head: "servers", kind: "ratio", text: figures },
  { key: "h1Connections", head: "h1 connections", kind: "ratio", text: figures },
  { key: "images", head: "images", kind: "difference", text: share },
  { key: "scripts", head: "scripts", kind: "difference", text: share },
  { key: "https", head: "HTTPS", kind: "difference", text: share },
];

function changeMarkup({ helped, hurt, change, interval }: GroupContrast, kind: Trait["kind"]): Markup {
  if (change === null) return html`–`;
  if (helped === hurt && (interval === null || interval.low === interval.high)) return html`same`;
  const times = (value: number): string => (value < 10 ? value.toFixed(2) : figures(value));
  const points = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value * 100))}`;
  const text = kind === "ratio" ? times : points;
  const range = interval && html`<small>${text(interval.low)} to ${text(interval.high)}</small>`;
  return html`${kind === "ratio" ? `× ${times(change)}` : `${points(change)} points`}${range}`;
}

interface Terms {
  readonly data: ReportData;
  readonly pair: LanePair;
  readonly traitsOf: (page: string) => PageTraits;
  readonly target: (page: string) => string;
  readonly study: Study | null;
}

const signed = (percent: number): string => `${percent < 0 ? "−" : ""}${Math.abs(percent)} %`;

/** The rows of a study that lists such pages too, for the same two lanes. */
function publishedRows({ pair, study }: Pick<Terms, "pair" | "study">): Markup | null {
  const found = study?.contrast;
  if (!study || !found || found.pair.lane !== pair.lane || found.pair.over !== pair.over) return null;
  const columns = String(traits.length + 2);
  const row = (extreme: PublishedExtreme): Markup => {
    const own: Partial<Record<Trait["key"], number>> = { ...extreme };
    return html`<tr><th scope="row">${extreme.side} most</th><td>${signed(extreme.percent)}</td>${traits.map(
      ({ key, text }) => html`<td class="num">${own[key] === undefined ? "–" : text(own[key])}</td>`,
    )}</tr>`;
  };
  const changes: Partial<Record<Trait["key"], number>> = found.changes;
  const change = (key: Trait["key"]): string => {
    const times = changes[key];
    if (times === undefined) return "–";
    return key === "https" ? `${Math.round((times - 1) * 100)} % more` : `× ${times.toFixed(2)}`;
  };
  return html`<tbody><tr class="part"><th colspan="${columns}" scope="rowgroup">Published: ${study.name}, QUIC over HTTP/1.1, mean over all links</th></tr>${found.extremes.map(row)}<tr class="sum"><th scope="row">its ten helped against its ten hurt</th><td></td>${traits.map(({ key }) => html`<td class="num">${change(key)}</td>`)}</tr></tbody>`;
}

/** Of pages wholly over HTTPS and of the others: only there do all lanes have TLS. Null where all pages are of one kind. */
function httpsFigure({ data, pair, traitsOf }: Terms): Markup | null {
  const cells = pairedCells(data.loads, pair);
  const groups = [true, false].map((isHttps) => {
    const own = cells.filter(({ page }) => ((traitsOf(page).https ?? Number.NaN) === 1) === isHttps);
    return { isHttps, cells: own, pages: new Set(own.map(({ page }) => page)).size };
  });
  if (groups.some(({ pages }) => pages === 0)) return null;
  const rows = groups.map(({ isHttps, cells: own, pages }) => ({
    name: isHttps ? "all by HTTPS" : "in part or wholly by HTTP",
    pages,
    result: improvement(own, pair, data.sweep.seed),
  }));
  const end = 50;
  const name = `${pair.lane} over ${pair.over}`;
  const figure = html`<figure><table><caption>${name} on pages recorded wholly over HTTPS, and on the others${pair.over === "h1" ? ", whose http:// origins h1 speaks to without TLS" : ""}</caption><thead><tr><th scope="col">Pages</th><th scope="col" class="num">n</th><th scope="col" class="imp">${name}</th></tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row">${row.name}</th><td class="num">${String(row.pages)}</td><td class="imp ${direction(row.result)}"><span>${improvementText(row.result)}</span>${whiskerMarkup(row.result, end)}</td></tr>`,
  )}</tbody></table></figure>`;
  return savedFigure(figure, {
    name: ["https-pages", pair.lane, "over", pair.over],
    columns: ["pages", "n", "improvement_percent", "low", "high"],
    rows: rows.map(({ name: kind, pages, result }) => [kind, pages, result.percent, ...endsOf(result.interval)]),
  });
}

function pairFigure({ data, pair, traitsOf, target, study }: Terms): Markup | null {
  const groups = pageGroups(pairedCells(data.loads, pair));
  if (!groups) return null;
  const { helped, hurt, pages } = groups;
  const end = marksEnd([...helped, ...hurt].map(({ percent }) => percent));
  const row = ({ page, cells }: RankedPage): Markup => {
    const result = improvement(cells, pair, data.sweep.seed);
    const own = traitsOf(page);
    return html`<tr><th scope="row"><a href="#${target(page)}" title="${page}">${middleCut(page, 40)}</a></th><td class="imp ${direction(result)}"><span>${improvementText(result)}</span>${whiskerMarkup(result, end)}</td>${traits.map(
      ({ key, text }) => html`<td class="num">${own[key] === undefined ? "–" : text(own[key])}</td>`,
    )}</tr>`;
  };
  const valuesOf = (group: readonly RankedPage[], key: Trait["key"]): number[] =>
    group.flatMap(({ page }) => traitsOf(page)[key] ?? []);
  const contrasts = traits.map((trait) => ({
    trait,
    found: contrast(valuesOf(helped, trait.key), valuesOf(hurt, trait.key), trait.kind, data.sweep.seed),
  }));
  const meanOf = (group: readonly RankedPage[]): string => {
    const mean = group.reduce((sum, { percent }) => sum + percent, 0) / group.length;
    return `${mean < 0 ? "−" : ""}${Math.abs(mean).toFixed(Math.abs(mean) < 1 ? 1 : 0)} %`;
  };
  const meanRow = (name: string, group: readonly RankedPage[], side: "helped" | "hurt"): Markup =>
    html`<tr class="sum"><th scope="row">${name}</th><td>${meanOf(group)}</td>${contrasts.map(
      ({ trait, found }) => html`<td class="num">${found ? trait.text(found[side]) : "–"}</td>`,
    )}</tr>`;
  const changes = html`<tr class="sum"><th scope="row">helped against hurt</th><td></td>${contrasts.map(
    ({ trait, found }) => html`<td class="num">${found ? changeMarkup(found, trait.kind) : "–"}</td>`,
  )}</tr>`;
  const n = helped.length;
  const sureness = contrasts.some(({ found }) => found?.interval)
    ? "below it the 95 % interval, by resampling pages"
    : `without an interval: that takes five pages in each group, twenty in all`;
  const name = `${pair.lane} over ${pair.over}`;
  const figure = html`<figure><h3>${name}</h3><div class="scroll"><table class="helped"><thead><tr><th scope="col">Page</th><th scope="col" class="imp">${name}</th>${traits.map(({ head }) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead><tbody><tr class="part"><th colspan="${String(traits.length + 2)}" scope="rowgroup">Helped most</th></tr>${helped.map(row)}</tbody><tbody><tr class="part"><th colspan="${String(traits.length + 2)}" scope="rowgroup">Hurt most, or helped least</th></tr>${hurt.map(row)}</tbody>${publishedRows({ pair, study })}<tfoot>${meanRow(`mean of the ${n} helped`, helped, "helped")}${meanRow(`mean of the ${n} hurt`, hurt, "hurt")}${changes}</tfoot></table></div><figcaption>The ${count(n, "page")} at each end of ${String(pages)}, by the improvement of the median page load time over all links. They are chosen by the outcome itself, so what sets them apart is a hint, not a cause.</figcaption>${readingKey(`Improvement: geometric mean over links of the ratios of medians, with its 95 % interval over blocks; coloured: this page’s own test shows a difference, not corrected for the number of pages. Last line: the helped pages’ mean over the hurt ones’, of shares the difference; ${sureness}.`)}</figure>`;
  return savedFigure(figure, {
    name: ["helped-and-hurt", pair.lane, "over", pair.over],
    columns: ["group", "page", "improvement_percent", ...traits.map(({ key }) => key)],
    rows: [
      ...helped.map((page) => ({ group: "helped", ...page })),
      ...hurt.map((page) => ({ group: "hurt", ...page })),
    ].map(({ group, page, percent }) => [
      group,
      page,
      percent,
      ...traits.map(({ key }) => traitsOf(page)[key] ?? null),
    ]),
  });
}

/** Null for pages too few to make groups of (page_groups.ts). */
export function helpedSection(
  data: ReportData,
  pairs: readonly LanePair[],
  target: (page: string) => string,
  study: Study | null = null,
): Markup | null {
  const byPage = Map.groupBy(data.loads, ({ page }) => page);
  if (byPage.size < 2 || pairs.length === 0) return null;
  const known = new Map<string, PageTraits>();
  const traitsOf = (page: string): PageTraits => {
    const found = known.get(page) ?? pageTraits(byPage.get(page) ?? [], data.requestTraits.get(page));
    known.set(page, found);
    return found;
  };
  const terms = { data, traitsOf, target, study };
  const figures = pairs.flatMap((pair) => pairFigure({ ...terms, pair }) ?? []);
  figures.push(...pairs.flatMap((pair) => httpsFigure({ ...terms, pair }) ?? []));
  return figures.length === 0 ? null : html`${figures}`;
}
