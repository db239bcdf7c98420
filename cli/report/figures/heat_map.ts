// The improvement of one lane over another across bandwidth and RTT: one map for each pair of lanes, side by side on one scale,
// a row of them for each facet (loss rate, queue, ...). Takes improvements, computes none.

import { improvementStep, improvementSteps, stepClass } from "../../../extension/figures/colours.ts";
import { html, type Markup } from "../../../extension/figures/markup.ts";
import { endsOf } from "../../base/interval.ts";
import { count, formatMedian, formatPercents, formatProbability, limitSign, percentRange } from "../../base/numbers.ts";
import { significanceLevel } from "../../results/stats/multiplicity.ts";
import type { CorrectedTest } from "../../results/verdict/cell_significance.ts";
import { direction, type Improvement, limitOf } from "../../results/verdict/comparison.ts";
import type { CellMedians } from "../../results/verdict/paired_cells.ts";
import type { LanePair } from "../../results/verdict/sample.ts";
import { savedFigure } from "./figure_file.ts";
import type { LinkGrid } from "./link_axes.ts";

export interface HeatCell {
  readonly link: string;
  readonly improvement: Improvement;
  /** Medians in ms where they are of one page, and which is only known to be longer; null where cells sum up pages. */
  readonly medians: Pick<CellMedians, "lane" | "over" | "isAtLeast"> | null;
  /** Over all cells that are looked at together; null: nothing to test. */
  readonly test: CorrectedTest | null;
  /** Short (`h3 0/15`) and whole reason where there is no improvement to show, with the loads that were left out. */
  readonly empty: { readonly short: string; readonly reason: string; readonly leftOut: number } | null;
  /** Fragment of the section that shows the cell's loads. */
  readonly target: string;
}

export interface HeatMaps {
  readonly pair: LanePair;
  readonly cells: ReadonlyMap<string, HeatCell>;
}

const rowLabelWidth = 50;
const cellHeight = 26;
const top = 24;

/** The number at which all maps' colours end: round, the same to both sides of 0. */
export function scaleEnd(maps: readonly HeatMaps[]): number {
  const sizes = maps
    .flatMap((map) => [...map.cells.values()])
    .flatMap(({ improvement }) => (improvement.percent === null ? [] : [Math.abs(improvement.percent)]))
    .sort((a, b) => a - b);
  // One wild cell must not pale all others: the colours of the last twentieth may saturate.
  const most = sizes[Math.ceil(sizes.length * 0.95) - 1] ?? 0;
  return [10, 20, 30, 40, 50, 75, 100].find((end) => end >= most) ?? 100;
}

/** Whether a cell's difference is one, and the same way round, also when it is counted how many cells there are. */
export function isCorrected({ improvement, test }: HeatCell): boolean {
  return test !== null && test.direction === direction(improvement) && test.holm <= significanceLevel;
}

/** What hover and focus tell about a cell, as a line. */
export function cellStory(cell: HeatCell, grid: LinkGrid): string {
  const place = grid.places.get(cell.link);
  const { lane, over } = cell.improvement.pair;
  const where = `${lane} over ${over}, ${place?.row} Mbit/s, ${grid.columnTitle === "loss" ? "loss " : ""}${place?.column}${
    grid.columnTitle === "loss" ? "" : " ms RTT"
  }${place?.facet ? `, ${place.facet}` : ""}`;
  if (cell.empty) return `${where}: ${cell.empty.reason}`;
  const { percent, interval, n, pages, reason } = cell.improvement;
  if (percent === null) return `${where}: ${reason}`;
  const text = formatPercents(percent, interval);
  const sure = interval ? `(95 %: ${percentRange(text)})` : `(no interval: ${reason})`;
  const corrected = cell.test
    ? `; p ${formatProbability(cell.test.probability)}, corrected ${formatProbability(cell.test.holm)}`
    : "";
  const medianOf = (medians: NonNullable<HeatCell["medians"]>, side: "lane" | "over"): string =>
    formatMedian(medians[side], medians.isAtLeast === side);
  const medians = cell.medians
    ? `; medians ${lane} ${medianOf(cell.medians, "lane")}, ${over} ${medianOf(cell.medians, "over")}`
    : `; ${count(pages, "page")}`;
  const limit = limitSign(percent, limitOf(cell.improvement));
  return `${where}: ${limit}${text.percent} % ${sure}${corrected}${medians}; loads ${lane} ${n.lane}, ${over} ${n.over}`;
}

/** The number in a cell: `14`, `≥98` where it is at least so large. */
function cellNumber(improvement: Improvement): string {
  const percent = improvement.percent ?? 0;
  const whole = Math.round(percent);
  const number = String(Object.is(whole, -0) ? 0 : whole).replace("-", "−");
  return `${limitSign(percent, limitOf(improvement)).trim()}${number}`;
}

/** A cell's name to assistive technology: who speaks to it says what they see in it (WCAG 2.5.3). */
const spokenName = (shown: string, story: string): string =>
  story.split(/[ :;,()]+/).includes(shown) ? story : `${shown}: ${story}`;

/** A triangle, up for faster, down for slower; filled where the difference stands the correction. */
function signMark(kind: "faster" | "slower", filled: boolean, x: number, y: number): Markup {
  const path = kind === "faster" ? `M${x} ${y + 5}h7l-3.5 -5z` : `M${x} ${y}h7l-3.5 5z`;
  return html`<path class="${filled ? "sign" : "sign hollow"}" d="${path}"/>`;
}

function cellMarkup(cell: HeatCell, grid: LinkGrid, x: number, y: number, width: number, end: number): Markup {
  const story = cellStory(cell, grid);
  const { percent } = cell.improvement;
  const [w, h] = [width - 2, cellHeight - 2];
  const middle = html`x="${x + width / 2}" y="${y + cellHeight / 2 + 4}"`;
  if (cell.empty || percent === null) {
    const shown = cell.empty?.short ?? "none";
    return html`<a href="#${cell.target}" data-link="${cell.link}" aria-label="${spokenName(shown, story)}"><title>${story}</title><rect class="${cell.empty && cell.empty.leftOut > 0 ? "void invalid" : "void"}" x="${x + 1}" y="${y + 1}" width="${w}" height="${h}"/><text class="why" ${middle}>${shown}</text></a>`;
  }
  const kind = direction(cell.improvement);
  // Pale where no difference is shown: the number stays, the colour makes no claim.
  const step = kind === "unclear" || kind === "unknown" ? Math.sign(percent) : improvementStep(percent, end);
  const outline = kind === "unclear" ? "open" : kind === "unknown" ? "unsure" : "sure";
  const sign =
    kind === "faster" || kind === "slower" ? signMark(kind, isCorrected(cell), x + width - 10, y + 3.5) : null;
  const shown = cellNumber(cell.improvement);
  return html`<a href="#${cell.target}" data-link="${cell.link}" aria-label="${spokenName(shown, story)}"><title>${story}</title><g class="${outline}"><rect class="${stepClass(step)}" x="${x + 1}" y="${y + 1}" width="${w}" height="${h}"/><text ${middle}>${shown}</text>${sign}</g></a>`;
}

/** Widths fit the widest number or word that stands in a cell or below it. */
function cellWidth(grid: LinkGrid, maps: readonly HeatMaps[]): number {
  const inCell = ({ empty, improvement }: HeatCell): number =>
    empty ? empty.short.length * 5 + 4 : cellNumber(improvement).length * 6.4 + 6;
  const cells = maps.flatMap((map) => [...map.cells.values()].map(inCell));
  const labels = grid.columns.map((label) => label.length * 6.2 + 7);
  const readable = Math.max(30, ...cells, ...labels);
  return Math.max(readable, Math.min(58, 300 / grid.columns.length));
}

/** The rows and columns that a facet has links in. */
function facetGrid(grid: LinkGrid, facet: string): { rows: string[]; columns: string[] } {
  const places = [...grid.places.values()].filter((place) => place.facet === facet);
  return {
    rows: grid.rows.filter((row) => places.some((place) => place.row === row)),
    columns: grid.columns.filter((column) => places.some((place) => place.column === column)),
  };
}

function mapMarkup(map: HeatMaps, whole: LinkGrid, facet: string, width: number, end: number): Markup {
  const grid = { ...whole, ...facetGrid(whole, facet) };
  const labelWidth = Math.max(rowLabelWidth, ...grid.rows.map((row) => row.length * 6.4 + 10));
  const total = labelWidth + grid.columns.length * width + 2;
  const height = top + grid.rows.length * cellHeight + 36;
  const cells: Markup[] = [];
  for (const cell of map.cells.values()) {
    const place = grid.places.get(cell.link);
    if (!place || place.facet !== facet) continue;
    const x = labelWidth + grid.columns.indexOf(place.column) * width;
    const y = top + grid.rows.indexOf(place.row) * cellHeight;
    cells.push(cellMarkup(cell, grid, x, y, width, end));
  }
  const rows = grid.rows.map(
    (row, index) =>
      html`<text class="axis end" x="${labelWidth - 6}" y="${top + index * cellHeight + cellHeight / 2 + 4}">${row}</text>`,
  );
  const bottom = top + grid.rows.length * cellHeight;
  const columns = grid.columns.map(
    (column, index) =>
      html`<text class="axis mid" x="${labelWidth + (index + 0.5) * width}" y="${bottom + 14}">${column}</text>`,
  );
  const name = `${map.pair.lane} over ${map.pair.over}`;
  return html`<svg class="heat" role="group" aria-label="Heat map, ${name}${facet ? `, ${facet}` : ""}" width="${total}" height="${height}" viewBox="0 0 ${total} ${height}"><text class="axis" x="0" y="14">${grid.rowTitle}</text>${cells}${rows}${columns}<text class="axis mid" x="${labelWidth + (grid.columns.length * width) / 2}" y="${bottom + 30}">${grid.columnTitle}</text></svg>`;
}

/** What the colours and marks of all maps mean: once in a report. */
export function heatLegend(end: number): Markup {
  const steps = Array.from({ length: 2 * improvementSteps + 1 }, (_, index) => index - improvementSteps);
  const [step, side] = [13, 50];
  const width = steps.length * step;
  const box = (value: number, index: number): Markup =>
    html`<rect class="${stepClass(value)}" x="${index * step}" y="2" width="${step}" height="14"/>`;
  const marks: readonly (readonly [Markup, string])[] = [
    [signMark("faster", true, 4, 6), "faster,"],
    [signMark("slower", true, 4, 6), "slower: also corrected for the number of cells"],
    [html`${signMark("faster", false, 0, 6)}${signMark("slower", false, 10, 6)}`, "in its own 95 % interval only"],
    [html`<g class="open"><rect class="b1" x="0.5" y="2" width="16" height="13"/></g>`, "no difference shown"],
    [html`<g class="unsure"><rect class="b1" x="0.5" y="2" width="16" height="13"/></g>`, "too few loads"],
    [html`<rect class="void invalid" x="0.5" y="2" width="16" height="13"/>`, "no valid load"],
  ];
  let at = -side + 4;
  const items = marks.map(([mark, words]) => {
    const item = html`<g transform="translate(${at} 40)">${mark}<text class="axis" x="21" y="13">${words}</text></g>`;
    at += 33 + words.length * 6.1;
    return item;
  });
  const right = Math.ceil(at);
  return html`<svg class="legend" id="heat-legend" width="${right + side}" height="60" viewBox="${-side} 0 ${right + side} 60" role="img" aria-label="Colours from ${-end} % (slower) over 0 to ${end} % (faster); triangles: up faster, down slower, filled where the difference stands the correction for the number of cells"><g>${steps.map(box)}</g><text class="axis end" x="-6" y="14">slower</text><text class="axis" x="${width + 6}" y="14">faster</text><text class="axis mid" x="${step / 2}" y="30">−${end}</text><text class="axis mid" x="${width / 2}" y="30">0 %</text><text class="axis mid" x="${width - step / 2}" y="30">${end}</text>${items}</svg>`;
}

const csvColumns = [
  ...["lane", "over", "link", "facet", "row_mbit", "column", "improvement_percent", "low_percent", "high_percent"],
  ...["lane_median_ms", "over_median_ms", "loads_lane", "loads_over", "loads_left_out", "pages"],
  ...["p", "p_holm", "p_benjamini_hochberg", "loads_tested", "note", "limit"],
];

function csvRows(maps: readonly HeatMaps[], grid: LinkGrid): (string | number | null)[][] {
  return maps.flatMap(({ pair, cells }) =>
    [...cells.values()].map(({ link, improvement, medians, test, empty }) => {
      const place = grid.places.get(link);
      const { percent, interval, n, pages, reason } = improvement;
      return [
        ...[pair.lane, pair.over, link, place?.facet ?? "", place?.row ?? "", place?.column ?? ""],
        ...[percent, ...endsOf(interval), medians?.lane ?? null, medians?.over ?? null],
        ...[n.lane, n.over, empty?.leftOut ?? null, pages],
        // Three significant figures: CSV's rounding would make the smallest 0.
        ...[test?.probability, test?.holm, test?.benjaminiHochberg].map((p) => p?.toPrecision(3) ?? null),
        ...[test?.n ?? null, empty?.reason ?? reason, limitOf(improvement)],
      ];
    }),
  );
}

export interface DrawnMaps {
  /** Which pages. */
  readonly title: string;
  readonly caption: string;
  /** What the correction for the number of cells leaves; empty: nothing was tested. */
  readonly note: string;
  /** The one page that they are of; null: several. */
  readonly page: string | null;
  readonly maps: readonly HeatMaps[];
}

/** How to read all maps, below their legend: not in the caption of each. */
export const heatKey: Markup = html`<details class="key"><summary>How to read the maps</summary><ul><li>Each cell: improvement of the median page load time in %. Positive (blue) is faster, negative (orange) slower.</li><li>Triangle: the cell’s own 95 % interval excludes 0. Filled: also significant after Holm’s correction for the number of cells, so the chance that any filled one is wrong is 5 %. The CSV has Benjamini and Hochberg’s correction.</li><li>Pale with an outline: no difference shown. Pale, dashed, italic: too few loads for an interval.</li><li>≥ or ≤: most loads of a lane timed out, so that only a limit is known.</li><li>Without a number: the reason, and valid loads of those tried.</li></ul></details>`;

const mostReasons = 6;
/** More cells than these of one reason are counted, not named. */
const mostPlaces = 4;

/** Maps for several pairs, side by side. */
export function heatMapFigure({ title, caption, note, page, maps }: DrawnMaps, grid: LinkGrid, end: number): Markup {
  const width = cellWidth(grid, maps);
  const facets = grid.facets.map(
    (facet) =>
      html`${facet ? html`<h4>${facet}</h4>` : null}<div class="maps">${maps.map(
        (map) =>
          html`<div><p class="maptitle">${map.pair.lane} over ${map.pair.over}</p>${mapMarkup(map, grid, facet, width, end)}</div>`,
      )}</div>`,
  );
  const empty = maps.flatMap((map) => [...map.cells.values()].filter((cell) => cell.empty));
  // A reason that many cells have is read once.
  const byReason = Map.groupBy(empty, ({ empty: why, improvement }) => why?.reason ?? improvement.reason ?? "unknown");
  const placesOf = (cells: readonly HeatCell[]): string =>
    cells.length > mostPlaces
      ? count(cells.length, "cell")
      : cells.map(({ improvement: { pair }, link }) => `${pair.lane} over ${pair.over}, ${link}`).join("; ");
  const reasons = [...byReason]
    .slice(0, mostReasons)
    .map(([reason, cells]) => html`<li>${reason}: ${placesOf(cells)}</li>`);
  const figure = html`<figure class="heatmaps" data-legend="heat-legend"${page !== null && html` data-page="${page}"`}><h3>${title}</h3>${facets}<p class="readout" aria-live="polite"></p><figcaption>${caption}</figcaption>${note !== "" && html`<p class="soft">${note}</p>`}${
    reasons.length > 0 &&
    html`<details class="empties"><summary>Empty cells: ${String(empty.length)}</summary><ul>${reasons}</ul>${
      byReason.size > mostReasons && html`<p>${count(byReason.size - mostReasons, "more reason")} in the CSV.</p>`
    }</details>`
  }</figure>`;
  return savedFigure(figure, { name: ["improvement", title], columns: csvColumns, rows: csvRows(maps, grid) });
}
