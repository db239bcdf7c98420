// The drawing of a figure of cumulative shares: a step up at each value, a line for each of several sets of values, over an axis that ends
// where values far behind all others would leave no room for the rest. Draws given numbers; captions are others'.
import { acrossGrid, drawing, shareTicks, uprightGrid } from "../../../extension/figures/axes.ts";
import { fitted, html, type Markup } from "../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../extension/figures/scale.ts";
import { quantile } from "../../base/quantile.ts";
import { legendAbove, legendBottom } from "./legend_above.ts";

const width = 640;
const height = 318;
const left = 52;
const right = width - 20;
const plotTop = 30;
const plotHeight = height - 48 - plotTop;
/** The axis ends at so many times the 95th percentile. */
const reach = 1.6;
const legendWidth = 150;

interface ShareCurve {
  /** Of its group: the lane's colour. */
  readonly className: string;
  /** Of its line. */
  readonly line: string;
  /** In the legend. */
  readonly name: string;
  /** For who points at it. */
  readonly tooltip: string;
  readonly values: readonly number[];
  /** Whether the axis has to hold it. */
  readonly isOfAxis: boolean;
}

interface SharePlotData {
  readonly title: string;
  /** For who does not see it. */
  readonly label: string;
  readonly axis: string;
  /** What the axis counts in: values are divided by it. */
  readonly unit?: number;
  /** Above the plot, where there are many curves, or long names; else in its corner that curves seldom reach. */
  readonly hasLegendAbove?: boolean;
  readonly curves: readonly ShareCurve[];
}

interface SharePlot {
  readonly plot: Markup;
  /** So many values lie beyond the axis. */
  readonly beyond: number;
}

interface Axes {
  readonly x: (value: number) => number;
  readonly y: (share: number) => number;
  readonly end: number;
}

/** A step up at each value, as far as the axis goes. */
function stepsOf(values: readonly number[], { x, y, end }: Axes): string {
  const sorted = values.toSorted((a, b) => a - b);
  const steps = sorted.flatMap((value, index) =>
    value > end ? [] : [`H${x(value).toFixed(1)}V${y((index + 1) / sorted.length).toFixed(1)}`],
  );
  return `M${x(0).toFixed(1)} ${y(0).toFixed(1)}${steps.join("")}H${x(end).toFixed(1)}`;
}

/** Some curve has a value. */
export function sharePlot({ title, label, axis, unit = 1, hasLegendAbove = false, curves }: SharePlotData): SharePlot {
  const entries = curves.map(({ className, name, line }) => ({ className, name, sample: { line } }));
  const top = hasLegendAbove ? legendBottom(entries, right - left) : plotTop;
  const above = top - plotTop;
  const bottom = top + plotHeight;
  const y = (share: number): number => bottom - share * plotHeight;
  const all = curves.flatMap(({ values, isOfAxis }) => (isOfAxis ? values : []));
  const greatest = all.reduce((most, value) => Math.max(most, value), 0);
  const end = Math.min(greatest, quantile(all, 0.95) * reach);
  const scale = scaleFromZero(end / unit, left, right);
  const axes: Axes = { x: (value) => scale.at(value / unit), y, end: scale.high * unit };
  const grid = uprightGrid(scale, top, bottom);
  const shares = acrossGrid({ ticks: shareTicks, at: y }, left, right);
  // What the axis need not hold lies behind the rest.
  const lines = curves
    .toSorted((a, b) => Number(a.isOfAxis) - Number(b.isOfAxis))
    .map(
      ({ className, line, tooltip, values }) =>
        html`<g class="${className}"><path class="${line}" d="${stepsOf(values, axes)}"><title>${tooltip}</title></path></g>`,
    );
  const legend = hasLegendAbove
    ? legendAbove(entries, left, right - left)
    : curves.map(
        ({ className, name, line }, index) =>
          html`<g class="${className}"><path class="${line}" d="M${right - legendWidth} ${bottom - 14 - index * 18}h28"/><text class="axis" x="${right - legendWidth + 36}" y="${bottom - 10 - index * 18}">${name}</text></g>`,
      );
  const plot = drawing(
    { look: "plot", label, width, height: height + above },
    html`<text class="lane" x="${left}" y="18">${fitted(title, right - left, 13)}</text>${grid}${shares}${lines}${legend}<text class="axis mid" x="${(left + right) / 2}" y="${height + above - 14}">${axis}</text>`,
  );
  return { plot, beyond: all.filter((value) => value > axes.end).length };
}
