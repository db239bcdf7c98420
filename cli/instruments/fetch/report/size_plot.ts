// A number by the size of the object: for each thing that they were fetched over a line through the medians, with their 95 % intervals, over
// an axis of sizes that counts in powers of ten. Draws given numbers.
import { acrossGrid, drawing } from "../../../../extension/figures/axes.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../../extension/figures/scale.ts";
import type { Interval } from "../../../base/interval.ts";
import { formatSize } from "../../../base/numbers.ts";
import { axisUnits, formatRange, formatValue } from "../../../registry/units.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { legendAbove, legendBottom } from "../../../report/figures/legend_above.ts";
import type { QuantityFacts } from "../metrics/quantities.ts";

export interface SizePoint {
  readonly size_bytes: number;
  /** Of the class. */
  readonly sizes: string;
  readonly median: number;
  readonly interval: Interval | null;
  readonly n: number;
}

export interface SizeLine {
  readonly name: string;
  readonly className: string;
  /** The smallest first. */
  readonly points: readonly SizePoint[];
}

export interface SizePlotData {
  readonly quantity: string;
  readonly facts: QuantityFacts;
  readonly of: readonly string[];
  readonly lines: readonly SizeLine[];
}

const width = 640;
const left = 60;
const right = width - 20;
const plotHeight = 228;

export function sizePlot({ quantity, facts, of, lines }: SizePlotData): Markup {
  const entries = lines.map(({ className, name }) => ({ className, name, sample: { line: "cdf" } }));
  const top = legendBottom(entries, right - left) + 18;
  const bottom = top + plotHeight;
  const height = bottom + 48;
  const { per, name: unitName } = axisUnits[facts.unit];
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(({ size_bytes }) => size_bytes))].sort((a, b) => a - b);
  const [least, most] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 1)];
  const x = (size_bytes: number): number =>
    most === least
      ? (left + right) / 2
      : left + 24 + ((Math.log10(size_bytes) - least) / (most - least)) * (right - left - 48);
  const scale = scaleFromZero(
    Math.max(...all.map(({ median, interval }) => interval?.high ?? median)) / per,
    bottom,
    top,
    6,
  );
  const y = (value: number): number => scale.at(value / per);
  const grid = acrossGrid(scale, left, right);
  let lastTick = Number.NEGATIVE_INFINITY;
  const ticks = sizes.map((size) => {
    const isClose = x(size) - lastTick < 52;
    if (!isClose) lastTick = x(size);
    return html`<line class="grid" x1="${x(size)}" x2="${x(size)}" y1="${top}" y2="${bottom}"/>${!isClose && html`<text class="axis mid" x="${x(size)}" y="${bottom + 16}">${formatSize(size)}</text>`}`;
  });
  // Beside one another, or whiskers of lines at the same size would lie on one another.
  const drawn = lines.map(({ className, name, points }, index) => {
    const off = (index - (lines.length - 1) / 2) * 4;
    const path = points.map(
      ({ size_bytes, median }, place) =>
        `${place === 0 ? "M" : "L"}${(x(size_bytes) + off).toFixed(1)} ${y(median).toFixed(1)}`,
    );
    const marks = points.map(({ size_bytes, sizes: of, median, interval, n }) => {
      const at = x(size_bytes) + off;
      const range = interval ? formatRange(interval, facts.unit) : "";
      const tooltip = `${name}, ${of}: ${formatValue(median, facts.unit)}${range === "" ? "" : ` (${range})`}, n ${n}`;
      return html`<g><title>${tooltip}</title>${interval && html`<path class="lanewhisker" d="M${at} ${y(interval.low)}V${y(interval.high)}"/>`}<circle class="dot" cx="${at}" cy="${y(median)}" r="3.5"/></g>`;
    });
    return html`<g class="${className}"><path class="cdf" d="${path.join("")}"/>${marks}</g>`;
  });
  const keys = legendAbove(entries, left, right - left);
  const title = of.join(" · ");
  const label = `${facts.title} by size of the object, ${title}: ${lines.map(({ name, points }) => `${name}: ${points.map(({ sizes: each, median }) => `${each} ${formatValue(median, facts.unit)}`).join(", ")}`).join("; ")}`;
  const plot = drawing(
    { look: "plot", label, width, height },
    html`<text class="lane" x="${left}" y="18">${title}</text>${grid}${ticks}${drawn}${keys}<text class="axis mid" x="${(left + right) / 2}" y="${height - 14}">size of the object</text><text class="axis" x="4" y="${top - 6}">${unitName}</text>`,
  );
  const figure = html`<figure>${plot}<figcaption>${facts.title} by the size of the object: median, and its 95 % interval where there are five or more. ${facts.meaning}</figcaption></figure>`;
  return savedFigure(figure, {
    name: [quantity.replace(/_[a-z]+$/, ""), "by-size", ...of],
    columns: ["of", "over", "sizes", "size_bytes", quantity, "low", "high", "n"],
    rows: lines.flatMap(({ name, points }) =>
      points.map(({ sizes: each, size_bytes, median, interval, n }) => [
        ...[of.join(", "), name, each, size_bytes, median, interval?.low ?? null, interval?.high ?? null, n],
      ]),
    ),
  });
}
