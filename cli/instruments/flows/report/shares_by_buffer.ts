// How flows share a link by the size of its buffer (Carlucci 2015's S2): for each flow of a mix its part of the goodput, a place for
// each buffer. Draws given numbers.
import { acrossGrid, drawing, shareTicks } from "../../../../extension/figures/axes.ts";
import { flowHues } from "../../../../extension/figures/colours.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { axisLeft, axisRight, tagHeight, width } from "../../../report/figures/axis.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { flowLegend } from "../../../report/figures/flow_legend.ts";
import { labelPlaces } from "../../../report/figures/label_places.ts";
import type { Estimate } from "./goodput_bars.ts";

interface BufferShares {
  /** `30 kB`, `1 BDP`. */
  readonly buffer: string;
  readonly link: string;
  /** 0 to 1, in the order of the flows. */
  readonly shares: readonly Estimate[];
}

export interface SharesData {
  readonly mix: string;
  /** What the links have in common: `5 Mbit/s each way, RTT 50 ms`. */
  readonly links: string;
  readonly flows: readonly { readonly number: number; readonly name: string }[];
  /** From the smallest. */
  readonly buffers: readonly BufferShares[];
}

const top = 26;
const bottom = 210;
const percent = (share: number): string => `${Math.round(share * 100)}`;

export function sharesByBuffer({ mix, links, flows, buffers }: SharesData): Markup {
  const inset = 50;
  const step = (axisRight - axisLeft - 2 * inset) / Math.max(1, buffers.length - 1);
  const x = (index: number, flow: number): number =>
    // Side by side, so that whiskers of equal shares do not hide one another.
    axisLeft + inset + index * step + (flow - (flows.length - 1) / 2) * 7;
  const y = (share: number): number => bottom - share * (bottom - top);
  const grid = acrossGrid({ ticks: shareTicks, at: y }, axisLeft, axisRight, { text: percent });
  const places = buffers.map(
    ({ buffer }, index) =>
      html`<text class="axis mid" x="${axisLeft + inset + index * step}" y="${bottom + 16}">${buffer}</text>`,
  );
  const lasts = flows.map(
    (_, flow) => buffers.findLast(({ shares }) => shares[flow]?.median != null)?.shares[flow]?.median,
  );
  const heights = labelPlaces(
    lasts.map((share) => y(share ?? 0)),
    tagHeight,
    top,
    bottom,
  );
  const drawn = flows.map(({ number, name }, flow) => {
    const points = buffers.flatMap(({ shares, buffer }, index) => {
      const estimate = shares[flow];
      return estimate && estimate.median !== null
        ? [{ ...estimate, median: estimate.median, buffer, at: x(index, flow) }]
        : [];
    });
    const line = points.map(({ at, median }) => `${at.toFixed(1)} ${y(median).toFixed(1)}`).join("L");
    const whiskers = points.map(
      ({ at, interval }) =>
        interval &&
        html`<path class="flowwhisker" d="M${at} ${y(interval.low)}V${y(interval.high)}M${at - 4} ${y(interval.low)}h8M${at - 4} ${y(interval.high)}h8"/>`,
    );
    const dots = points.map(
      ({ at, median, interval, buffer, n }) =>
        html`<circle class="flowpoint" cx="${at}" cy="${y(median)}" r="4"><title>${name}, buffer ${buffer}: ${percent(median)} %${interval && ` (${percent(interval.low)} to ${percent(interval.high)})`}, n ${String(n)}</title></circle>`,
    );
    const last = points.at(-1);
    const tag =
      last &&
      html`<path class="leader" d="M${last.at + 6} ${y(last.median)}L${axisRight + 4} ${heights[flow] as number}h6"/><text class="tag" x="${axisRight + 14}" y="${(heights[flow] as number) + 4}">${String(number)}</text>`;
    return html`<g class="flow-${String(number)}"><g class="plotted">${line !== "" && html`<path class="flowline" d="M${line}"/>`}${whiskers}</g>${dots}${tag}</g>`;
  });
  const height = bottom + 40;
  const label = `Shares of ${mix} by buffer: ${buffers.map(({ buffer, shares }) => `${buffer}: ${flows.map(({ name }, flow) => `${name} ${shares[flow]?.median == null ? "none" : `${percent(shares[flow].median)} %`}`).join(", ")}`).join("; ")}`;
  const n = buffers.flatMap(({ shares }) => shares.map((share) => share.n));
  const runs = Math.min(...n) === Math.max(...n) ? String(n[0]) : `${Math.min(...n)} to ${Math.max(...n)}`;
  const plot = drawing(
    { look: "wide", label, width, height },
    html`<text class="lane" x="0" y="13">Share of the goodput, %</text>${grid}${places}${drawn}<text class="axis mid" x="${(axisLeft + axisRight) / 2}" y="${bottom + 34}">buffer</text>`,
  );
  const figure = html`<figure class="${`flows ${flowHues(flows)}`.trim()}">${flowLegend(flows.map(({ number, name }) => ({ number, words: name, aside: "" })))}${plot}<figcaption>${mix} over ${links}, by the buffer at the bottleneck: each flow’s share of the goodput while all ran, median of n = ${runs} runs; whisker: its 95 % interval.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["shares-by-buffer", mix],
    columns: ["mix", "link", "buffer", "number", "flow", "runs", "share", "low", "high"],
    rows: buffers.flatMap(({ buffer, link, shares }) =>
      flows.map(({ number, name }, flow) => {
        const { median = null, interval = null, n: of = 0 } = shares[flow] ?? {};
        return [mix, link, buffer, number, name, of, median, interval?.low ?? null, interval?.high ?? null];
      }),
    ),
  });
}
