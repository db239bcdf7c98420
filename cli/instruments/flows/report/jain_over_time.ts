// Jain's index second by second, a line for each mix on a link: the median of its runs in each second, and from the least to the greatest.
// Draws given numbers.
import { drawing, numbersAt } from "../../../../extension/figures/axes.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { type Scale, scaleFromZero } from "../../../../extension/figures/scale.ts";
import { axisLeft, axisRight, titleHeight, width } from "../../../report/figures/axis.ts";
import { type Band, type Curve, greatestOf } from "../../../report/figures/curve.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { flowLegend } from "../../../report/figures/flow_legend.ts";
import { rowMarkup } from "../../../report/figures/plot_row.ts";

export interface JainLine {
  /** Its colour, 1 to 8. */
  readonly number: number;
  readonly mix: string;
  /** At the middle of each second. */
  readonly index: Curve;
  readonly band: Band | null;
  readonly runs: number;
}

const height = 150;

export function jainOverTime(link: string, lines: readonly JainLine[]): Markup {
  const end_s = Math.max(...lines.map(({ index }) => greatestOf(index.time_ms))) / 1000 + 0.5;
  const time = scaleFromZero(end_s, axisLeft, axisRight, 10);
  const scale: Scale = {
    ...time,
    high: time.high * 1000,
    at: (time_ms) => time.at(time_ms / 1000),
    ticks: time.ticks.map((tick) => tick * 1000),
  };
  const row = rowMarkup(
    {
      name: "jain",
      title: "Jain’s index",
      aside: "1: equal shares",
      height,
      lines: lines.map(({ number, index, band }) => ({ number, curve: index, band })),
      areas: [],
      outlines: [],
      limits: [[[Number.NEGATIVE_INFINITY, 1]]],
    },
    scale,
    4,
  );
  const bottom = 4 + titleHeight + height;
  const runs = lines.map((line) => line.runs);
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  const label = `Jain’s index by second over ${link}: ${lines.map(({ mix }) => mix).join(", ")}`;
  const plot = drawing(
    { look: "wide", label, width, height: bottom + 36 },
    html`${row}${numbersAt(time, bottom + 16)}<text class="axis end" x="${axisRight}" y="${bottom + 32}">seconds since the run began</text>`,
  );
  const figure = html`<figure class="flows">${flowLegend(lines.map(({ number, mix }) => ({ number, words: mix, aside: "" })))}${plot}<figcaption>Jain’s index of the flows that ran in each second over ${link}: median of ${least === most ? String(least) : `${least} to ${most}`} runs${most > 1 && "; band: from the least to the greatest"}.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["jain", link],
    columns: ["link", "number", "mix", "runs", "second", "jain", "low", "high"],
    rows: lines.flatMap(({ number, mix, index, band, runs: of }) =>
      Array.from(index.value).flatMap((value, place) =>
        Number.isFinite(value)
          ? [
              [
                link,
                number,
                mix,
                of,
                Math.floor((index.time_ms[place] as number) / 1000),
                value,
                band?.low[place] ?? null,
                band?.high[place] ?? null,
              ],
            ]
          : [],
      ),
    ),
  });
}
