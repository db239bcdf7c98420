// Throughput against the CPU: each fetch a dot, across by its throughput, up by the CPU time of one end over the time of the download. A dot
// further right and lower down is the cheaper way to the same bytes. Draws given numbers.

import { acrossGrid, drawing, uprightGrid } from "../../../../extension/figures/axes.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../../extension/figures/scale.ts";
import { count } from "../../../base/numbers.ts";
import { extremes } from "../../../base/quantile.ts";
import { figures, formatRate } from "../../../registry/units.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { legendAbove, legendBottom } from "../../../report/figures/legend_above.ts";

interface CostDot {
  readonly object: string;
  readonly throughput_bps: number;
  /** CPU time over the time of the download: 1 is one CPU, all the time. */
  readonly cpu_use: number;
}

export interface CostDots {
  readonly name: string;
  readonly className: string;
  readonly dots: readonly CostDot[];
}

export interface ScatterData {
  readonly end: "client" | "server";
  readonly of: readonly string[];
  readonly series: readonly CostDots[];
}

const width = 640;
const left = 60;
const right = width - 20;
const plotHeight = 246;
/** More dots make the file large and the figure a cloud: they are spread over all. */
const mostDots = 400;

/** Some series has a dot. */
export function cpuScatter({ end, of, series }: ScatterData): Markup {
  const entries = series.map(({ className, name }) => ({ className, name, sample: "dot" as const }));
  const top = legendBottom(entries, right - left) + 18;
  const bottom = top + plotHeight;
  const height = bottom + 48;
  const all = series.flatMap(({ dots }) => dots);
  const x = scaleFromZero(
    (extremes(all.map(({ throughput_bps }) => throughput_bps))?.greatest ?? 0) / 1e6,
    left,
    right,
    8,
  );
  const y = scaleFromZero((extremes(all.map(({ cpu_use }) => cpu_use))?.greatest ?? 0) * 100, bottom, top, 6);
  const grid = [uprightGrid(x, top, bottom), acrossGrid(y, left, right)];
  const drawn = series.map(({ className, name, dots }) => {
    const step = Math.max(1, dots.length / mostDots);
    const shown = Array.from(
      { length: Math.min(dots.length, mostDots) },
      (_, index) => dots[Math.floor(index * step)] as CostDot,
    );
    const marks = shown.map(
      ({ object, throughput_bps, cpu_use }) =>
        html`<circle class="dot" cx="${x.at(throughput_bps / 1e6)}" cy="${y.at(cpu_use * 100)}" r="3.5"><title>${name}, ${object}: ${formatRate(throughput_bps)}, ${figures(cpu_use * 100)} % of a CPU</title></circle>`,
    );
    return html`<g class="${className}">${marks}</g>`;
  });
  const keys = legendAbove(entries, left, right - left);
  const title = [`${end === "client" ? "Client" : "Server"}`, ...of].join(" · ");
  const label = `CPU use of the ${end} by throughput, ${of.join(", ")}: ${series.map(({ name, dots }) => `${name}, ${count(dots.length, "fetch", "fetches")}`).join("; ")}`;
  const plot = drawing(
    { look: "plot", label, width, height },
    html`<text class="lane" x="${left}" y="18">${title}</text>${grid}${drawn}${keys}<text class="axis mid" x="${(left + right) / 2}" y="${height - 14}">throughput, Mbit/s</text><text class="axis" x="4" y="${top - 6}">% of a CPU</text>`,
  );
  const figure = html`<figure>${plot}<figcaption>Each dot a fetch: its throughput, and the CPU time of the ${end} over the time of the download; n = ${count(all.length, "fetch", "fetches")}.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["cpu-by-throughput", end, ...of],
    columns: ["of", "over", "object", "throughput_bps", "cpu_use"],
    rows: series.flatMap(({ name, dots }) =>
      dots.map(({ object, throughput_bps, cpu_use }) => [of.join(", "), name, object, throughput_bps, cpu_use]),
    ),
  });
}
