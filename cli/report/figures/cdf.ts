// Distributions of PLT over pages on one link: for each lane the share of pages whose median is no greater, beside the least
// that the link allows (Das 2014's figure). Draws given numbers.
import { laneClass } from "../../../extension/figures/colours.ts";
import { fitted, html, type Markup } from "../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../extension/figures/scale.ts";
import { count, formatTime } from "../../base/numbers.ts";
import { median, quantile } from "../../base/quantile.ts";
import { shortLabel } from "../../link/label.ts";
import type { ComparedMetric } from "../../results/verdict/compared_metric.ts";
import { savedFigure } from "./figure_file.ts";
import { readingKey } from "./reading_key.ts";

const width = 640;
const height = 318;
const left = 52;
const right = width - 20;
const top = 30;
const bottom = height - 48;
/** Pages far behind all others would leave no room for these: the axis ends at so many times the 95th percentile. */
const reach = 1.6;

const optimalKey = readingKey(
  "Optimal: three round trips (name, handshake, request), one more for each request that had to wait for another's response, and at the link's rate the bytes that were needed before the load event; of each page's loads the least.",
);

export interface CdfCurve {
  readonly lane: string;
  /** Median of each page that has one. */
  readonly medians_ms: readonly number[];
}

export interface CdfData {
  readonly link: string;
  /** What the medians are of. */
  readonly metric: Pick<ComparedMetric, "title" | "noun">;
  readonly curves: readonly CdfCurve[];
  /** The least PLT of each page; empty: not known for this link. */
  readonly optimal_ms: readonly number[];
  /** Pages of this link that are in no curve of a lane, because none of their loads was valid. */
  readonly missing: readonly { readonly lane: string; readonly pages: number }[];
}

interface Axes {
  readonly x: (time_ms: number) => number;
  readonly end_ms: number;
}

const y = (share: number): number => bottom - share * (bottom - top);

/** A step up at each value, as far as the axis goes. */
function stepsOf(values_ms: readonly number[], { x, end_ms }: Axes): string {
  const sorted = values_ms.toSorted((a, b) => a - b);
  const steps = sorted.flatMap((value, index) =>
    value > end_ms ? [] : [`H${x(value).toFixed(1)}V${y((index + 1) / sorted.length).toFixed(1)}`],
  );
  return `M${x(0).toFixed(1)} ${y(0).toFixed(1)}${steps.join("")}H${x(end_ms).toFixed(1)}`;
}

export function cdfFigure({ link, metric, curves, optimal_ms, missing }: CdfData): Markup {
  const all = curves.flatMap(({ medians_ms }) => medians_ms);
  const greatest = Math.max(...all);
  const end = Math.min(greatest, quantile(all, 0.95) * reach);
  const scale = scaleFromZero(end, left, right);
  const axes: Axes = { x: scale.at, end_ms: scale.high };
  const beyond = all.filter((value) => value > axes.end_ms).length;
  const grid = scale.ticks.map(
    (tick) =>
      html`<line class="grid" x1="${scale.at(tick)}" x2="${scale.at(tick)}" y1="${top}" y2="${bottom}"/><text class="axis mid" x="${scale.at(tick)}" y="${bottom + 16}">${String(tick)}</text>`,
  );
  const shares = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<line class="grid" x1="${left}" x2="${right}" y1="${y(share)}" y2="${y(share)}"/><text class="axis end" x="${left - 6}" y="${y(share) + 4}">${String(share)}</text>`,
  );
  const lanes = curves.map(({ lane }) => lane);
  const lines = curves.map(
    ({ lane, medians_ms }) =>
      html`<g class="${laneClass(lane, lanes)}"><path class="cdf" d="${stepsOf(medians_ms, axes)}"><title>${lane}: median over ${String(medians_ms.length)} pages ${formatTime(median(medians_ms))}</title></path></g>`,
  );
  const optimal =
    optimal_ms.length > 0 &&
    html`<path class="cdf optimal" d="${stepsOf(optimal_ms, axes)}"><title>least that the link allows: median ${formatTime(median(optimal_ms))}</title></path>`;
  const legend = [
    ...curves.map(({ lane, medians_ms }) => ({
      className: laneClass(lane, lanes),
      name: `${lane} ${formatTime(median(medians_ms))}`,
      line: "cdf",
    })),
    ...(optimal_ms.length > 0 ? [{ className: "", name: "optimal", line: "cdf optimal" }] : []),
  ].map(
    ({ className, name, line }, index) =>
      html`<g class="${className}"><path class="${line}" d="M${right - 150} ${bottom - 14 - index * 18}h28"/><text class="axis" x="${right - 114}" y="${bottom - 10 - index * 18}">${name}</text></g>`,
  );
  const told = curves.map(({ lane, medians_ms }) => `${lane} ${formatTime(median(medians_ms))}`).join(", ");
  const figure = html`<figure data-link="${link}"><div class="scroll"><svg class="plot" role="img" aria-label="Share of pages by median ${metric.title} over ${link}; medians over pages: ${told}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><text class="lane" x="${left}" y="18">${fitted(shortLabel(link), right - left, 13)}</text>${grid}${shares}${optimal}${lines}${legend}<text class="axis mid" x="${(left + right) / 2}" y="${height - 14}">${metric.noun}, ms</text></svg></div><figcaption>Share of pages by median page load time over ${link}, n = ${String(Math.max(...curves.map(({ medians_ms }) => medians_ms.length)))} pages; in the legend the median over them.${missing.length > 0 && html` Without a valid load: ${missing.map(({ lane, pages }, index) => `${index > 0 ? ", " : ""}${count(pages, "page")} of ${lane}`)}.`}${beyond > 0 && html` ${count(beyond, "median lies", "medians lie")} beyond the axis.`}</figcaption>${optimal_ms.length > 0 && optimalKey}</figure>`;
  const stepRows = (name: string, values_ms: readonly number[]): [string, string, number, number][] =>
    values_ms
      .toSorted((a, b) => a - b)
      .map((value_ms, index) => [link, name, value_ms, (index + 1) / values_ms.length]);
  return savedFigure(figure, {
    name: ["plt-over-pages", link],
    columns: ["link", "lane", "plt_ms", "share_of_pages"],
    rows: [...curves.flatMap(({ lane, medians_ms }) => stepRows(lane, medians_ms)), ...stepRows("optimal", optimal_ms)],
  });
}
