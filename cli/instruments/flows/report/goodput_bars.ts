// Goodput of each flow in each mix on each link as bars with their intervals: one figure for the links that carry as much, so that bars
// in it are of one scale. Draws given numbers.

import { drawing, numbersAt, uprightGrid } from "../../../../extension/figures/axes.ts";
import { flowHues } from "../../../../extension/figures/colours.ts";
import { fitted, html, type Markup } from "../../../../extension/figures/markup.ts";
import { type Scale, scaleFromZero } from "../../../../extension/figures/scale.ts";
import type { Interval } from "../../../base/interval.ts";
import { count } from "../../../base/numbers.ts";
import { formatRange, formatRate } from "../../../registry/units.ts";
import { axisLeft, axisRight, width } from "../../../report/figures/axis.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";

/** Over valid runs. */
export interface Estimate {
  /** Null: no run has it. */
  readonly median: number | null;
  /** 95 %; null: too few runs. */
  readonly interval: Interval | null;
  readonly n: number;
}

interface Bar {
  /** Its colour, 1 to 8. */
  readonly number: number;
  readonly name: string;
  readonly goodput_bps: Estimate;
}

export interface BarCell {
  readonly mix: string;
  readonly link: string;
  readonly lane: string | null;
  readonly bars: readonly Bar[];
}

export interface BarsData {
  /** Null: unlimited, or it varies. */
  readonly capacity_bps: number | null;
  readonly cells: readonly BarCell[];
  /** Of these links, with those that are not drawn. */
  readonly allCells: readonly BarCell[];
}

const cellGap = 12;
const nameHeight = 20;
const rowHeight = 27;
const barHeight = 8;

/** What cells of a figure differ in. */
function cellName({ mix, link, lane }: BarCell, cells: readonly BarCell[]): string {
  const differs = (of: (cell: BarCell) => string | null): boolean => new Set(cells.map(of)).size > 1;
  const parts = [
    (differs((cell) => cell.mix) || !differs((cell) => cell.link)) && mix,
    lane !== null && `page over ${lane}`,
    differs((cell) => cell.link) && link,
  ].filter((part) => part !== false);
  return parts.join(" · ");
}

/** `3.1 Mbit/s (2.95 to 3.22 Mbit/s), n 10`. */
function estimateText({ median, interval, n }: Estimate): string {
  if (median === null) return "no valid run";
  const range = interval ? formatRange(interval, "bit/s") : "";
  return `${formatRate(median)}${range === "" ? "" : ` (${range})`}, n ${n}`;
}

function barMarkup(
  { number, name, goodput_bps }: Bar,
  hues: string,
  scale: Scale,
  capacity_bps: number | null,
  y: number,
): Markup {
  const { median, interval } = goodput_bps;
  const tooltip = estimateText(goodput_bps);
  const top = y + 15;
  const x = (value_bps: number): number => Math.min(axisRight, scale.at(value_bps / 1e6));
  const middle = top + barHeight / 2;
  const bar =
    median !== null &&
    html`<rect class="flowbar" x="${axisLeft}" y="${top}" width="${Math.max(0.5, x(median) - axisLeft)}" height="${barHeight}"/>`;
  const whisker =
    interval &&
    html`<path class="flowwhisker" d="M${x(interval.low)} ${middle}H${x(interval.high)}M${x(interval.low)} ${middle - 4}v8M${x(interval.high)} ${middle - 4}v8"/>`;
  // Beside each bar, not through the words above it.
  const limit =
    capacity_bps !== null && html`<path class="capacity" d="M${x(capacity_bps)} ${top - 2}v${barHeight + 4}"/>`;
  return html`<g class="${`flow-${number} ${hues}`.trim()}"><text x="${axisLeft}" y="${y + 11}"><tspan class="number">${String(number)}</tspan> ${fitted(name, 380, 12)}</text><text class="axis end aside" x="${axisRight}" y="${y + 11}">${tooltip}</text><g class="plotted">${limit}${bar}${whisker}</g></g>`;
}

export function goodputBars({ capacity_bps, cells, allCells }: BarsData): Markup {
  const ends = cells.flatMap(({ bars }) =>
    bars.flatMap(({ goodput_bps: { median, interval } }) => [median ?? 0, interval?.high ?? 0]),
  );
  const scale = scaleFromZero(Math.max(capacity_bps ?? 0, ...ends) / 1e6, axisLeft, axisRight, 8);
  let y = 4;
  const drawn = cells.map((cell) => {
    const from = y;
    y += nameHeight + cell.bars.length * rowHeight + cellGap;
    const name = fitted(cellName(cell, cells), width - 40, 12);
    const hues = flowHues(cell.bars);
    return html`<text class="lane" x="0" y="${from + 13}">${name}</text>${cell.bars.map((bar, index) => barMarkup(bar, hues, scale, capacity_bps, from + nameHeight + index * rowHeight))}`;
  });
  const bottom = y - cellGap + 4;
  const grid = html`<g class="plotted">${uprightGrid(scale, 4, bottom, { numbers: null })}</g>${numbersAt(scale, bottom + 14)}`;
  const height = bottom + 34;
  const links = [...new Set(allCells.map(({ link }) => link))];
  const on = links.length === 1 ? links[0] : `${links.length} links`;
  const label = `Goodput of each flow over ${on}: ${cells.map((cell) => `${cellName(cell, cells)}: ${cell.bars.map(({ name, goodput_bps }) => `${name} ${estimateText(goodput_bps)}`).join(", ")}`).join("; ")}`;
  const left = allCells.length - cells.length;
  const plot = drawing(
    { look: "wide", label, width, height },
    html`${grid}${drawn}<text class="axis end" x="${axisRight}" y="${bottom + 29}">Mbit/s</text>`,
  );
  const figure = html`<figure class="flows">${plot}<figcaption>Goodput of each flow over ${on}: median of the valid runs; whisker: its 95 % interval.${capacity_bps !== null && " Dashed: what the link carries, headers included."}${left > 0 && ` ${count(cells.length, "cell")} of ${allCells.length}, spread over all; the CSV has every one.`}</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["goodput", on ?? ""],
    columns: ["mix", "link", "lane", "number", "flow", "runs", "goodput_bps", "low_bps", "high_bps"],
    rows: allCells.flatMap(({ mix, link, lane, bars }) =>
      bars.map(({ number, name, goodput_bps: { median, interval, n } }) => [
        ...[mix, link, lane, number, name, n, median, interval?.low ?? null, interval?.high ?? null],
      ]),
    ),
  });
}
