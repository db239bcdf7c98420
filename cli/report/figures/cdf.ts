// Distributions of PLT over pages on one link: for each lane the share of pages whose median is no greater, beside the least
// that the link allows (Das 2014's figure). Draws given numbers.
import { laneClass } from "../../../extension/figures/colours.ts";
import { html, type Markup } from "../../../extension/figures/markup.ts";
import { count, formatTime } from "../../base/numbers.ts";
import { median } from "../../base/quantile.ts";
import { shortLabel } from "../../link/label.ts";
import type { ComparedMetric } from "../../results/verdict/compared_metric.ts";
import { savedFigure } from "./figure_file.ts";
import { readingKey } from "./parts.ts";
import { sharePlot } from "./share_plot.ts";

const optimalKey = readingKey(
  "Optimal: three round trips (name, handshake, request), one more for each request that had to wait for another's response, and at the link's rate the bytes that were needed before the load event; of each page's loads the least.",
);

interface CdfCurve {
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

export function cdfFigure({ link, metric, curves, optimal_ms, missing }: CdfData): Markup {
  const lanes = curves.map(({ lane }) => lane);
  const medians = curves.map(({ lane, medians_ms }) => `${lane} ${formatTime(median(medians_ms))}`).join(", ");
  const ofLanes = curves.map(({ lane, medians_ms }) => ({
    ...{ className: laneClass(lane, lanes), line: "cdf", values: medians_ms, isOfAxis: true },
    name: `${lane} ${formatTime(median(medians_ms))}`,
    tooltip: `${lane}: median over ${String(medians_ms.length)} pages ${formatTime(median(medians_ms))}`,
  }));
  const optimal = {
    ...{ className: "", line: "cdf optimal", name: "optimal", values: optimal_ms, isOfAxis: false },
    tooltip: optimal_ms.length > 0 ? `least that the link allows: median ${formatTime(median(optimal_ms))}` : "",
  };
  const { plot, beyond } = sharePlot({
    title: shortLabel(link),
    label: `Share of pages by median ${metric.title} over ${link}; medians over pages: ${medians}`,
    axis: `${metric.noun}, ms`,
    curves: [...ofLanes, ...(optimal_ms.length > 0 ? [optimal] : [])],
  });
  const figure = html`<figure data-link="${link}">${plot}<figcaption>Share of pages by median page load time over ${link}, n = ${String(Math.max(...curves.map(({ medians_ms }) => medians_ms.length)))} pages; in the legend the median over them.${missing.length > 0 && html` Without a valid load: ${missing.map(({ lane, pages }, index) => `${index > 0 ? ", " : ""}${count(pages, "page")} of ${lane}`)}.`}${beyond > 0 && html` ${count(beyond, "median lies", "medians lie")} beyond the axis.`}</figcaption>${optimal_ms.length > 0 && optimalKey}</figure>`;
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
