// How the page load time divides into network and no request along the critical path (cli/load/metrics/critical_path.ts): for each
// page on a link a bar per lane, beside the least that the link allows. Draws given numbers.
import { drawing, uprightGrid } from "../../../extension/figures/axes.ts";
import { laneClass } from "../../../extension/figures/colours.ts";
import { coordinate, fitted, html, type Markup } from "../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../extension/figures/scale.ts";
import { count, formatTime } from "../../base/numbers.ts";
import { shortLabel } from "../../link/label.ts";
import { savedFigure } from "./figure_file.ts";
import { readingKey } from "./parts.ts";

const width = 640;
const left = 96; // after the longest lane name
const right = width - 156; // before the longest words of a bar
const top = 62;
/** Of a page's name, above its bars. */
const nameHeight = 18;
const rowHeight = 16;
const barHeight = 12;
const pageGap = 8;
/** The legend's line, below the link's. */
const legendTop = 26;

export interface SplitBar {
  readonly lane: string;
  readonly loads: number;
  /** Medians over the loads; the share is the median of each load's own. */
  readonly plt_ms: number;
  readonly network_share: number;
}

export interface SplitPage {
  readonly page: string;
  readonly bars: readonly SplitBar[];
  /** Null: not known for this link. */
  readonly optimal_ms: number | null;
}

export interface SplitData {
  readonly link: string;
  readonly pages: readonly SplitPage[];
  /** Of the link, with those that are not drawn. */
  readonly allPages: readonly SplitPage[];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function legend(hasOptimum: boolean): Markup {
  const entries = [
    { width: 80, mark: html`<rect class="network" x="0" y="8" width="22" height="${barHeight}"/>`, name: "network" },
    {
      width: 110,
      mark: html`<rect class="computed" x="0" y="8" width="22" height="${barHeight}"/>`,
      name: "no request",
    },
    ...(hasOptimum
      ? [{ width: 80, mark: html`<path class="optimum" d="M11 5v${barHeight + 6}"/>`, name: "optimum" }]
      : []),
  ];
  let x = left;
  return html`${entries.map(({ width: wide, mark, name }) => {
    const at = x;
    x += wide + 10;
    return html`<g transform="translate(${at} ${legendTop})">${mark}<text class="axis" x="28" y="18">${name}</text></g>`;
  })}`;
}

/** `isExplained`: with how to read it, once in a report. */
export function splitFigure({ link, pages, allPages }: SplitData, isExplained = true): Markup {
  const ends = pages.flatMap(({ bars, optimal_ms }) => [optimal_ms ?? 0, ...bars.map(({ plt_ms }) => plt_ms)]);
  const scale = scaleFromZero(Math.max(...ends), left, right, 8);
  let y = top;
  const drawn = pages.map(({ page, bars, optimal_ms }) => {
    const from = y;
    y += nameHeight + bars.length * rowHeight + pageGap;
    const rows = bars.map(({ lane, loads, plt_ms, network_share }, index) => {
      const at = from + nameHeight + index * rowHeight;
      const middle = scale.at(plt_ms * network_share);
      const tooltip = `${formatTime(plt_ms)}, ${percent(network_share)} network`;
      return html`<g class="${laneClass(lane)}"><title>${page}, ${lane}: PLT ${tooltip}, ${percent(1 - network_share)} no request; n ${String(loads)}</title><text class="axis end" x="${left - 6}" y="${at + 10}">${lane}</text><rect class="network" x="${left}" y="${at}" width="${middle - left}" height="${barHeight}"/><rect class="computed" x="${middle}" y="${at}" width="${scale.at(plt_ms) - middle}" height="${barHeight}"/><text class="axis" x="${scale.at(plt_ms) + 6}" y="${at + 10}">${tooltip}</text></g>`;
    });
    const optimum =
      optimal_ms !== null &&
      html`<path class="optimum" d="M${coordinate(scale.at(optimal_ms))} ${from + nameHeight - 3}v${bars.length * rowHeight + 2}"><title>${page}: optimum ${formatTime(optimal_ms)}</title></path>`;
    return html`<text x="${left}" y="${from + 12}">${fitted(page, right - left, 12)}</text>${rows}${optimum}`;
  });
  const height = y + 34;
  const grid = uprightGrid(scale, top - 2, y, { numbers: 14 });
  const hasOptimum = pages.some(({ optimal_ms }) => optimal_ms !== null);
  const notDrawn = allPages.length - pages.length;
  const label = `Page load time over ${link}, divided into requests on the critical path and no request, of ${count(pages.length, "page")}`;
  const plot = drawing(
    { look: "plot", label, width, height },
    html`<text class="lane" x="${left}" y="18">${fitted(shortLabel(link), right - left, 13)}</text>${legend(hasOptimum)}${grid}${drawn}<text class="axis mid" x="${(left + right) / 2}" y="${y + 30}">page load time, ms</text>`,
  );
  const figure = html`<figure data-link="${link}">${plot}<figcaption>Median page load time of each lane over ${link}, divided along the loads’ critical paths.${notDrawn > 0 && ` ${count(pages.length, "page")} of ${allPages.length}, spread from the fastest to the slowest; all are in its CSV.`}</figcaption>${isExplained && readingKey(`Divided as the median of the loads’ shares. Network: requests on the critical path, from what asked for them; no request: the rest, such as parsing, scripts, layout, and waiting for timers.${hasOptimum ? " Optimum: bytes over the link’s rate and the round trips that the page’s requests need one after another." : ""}`)}</figure>`;
  return savedFigure(figure, {
    name: ["network-and-no-request", link],
    columns: ["link", "page", "lane", "loads", "plt_ms", "network_share", "network_ms", "computation_ms", "optimal_ms"],
    rows: allPages.flatMap(({ page, bars, optimal_ms }) =>
      bars.map(({ lane, loads, plt_ms, network_share }) => [
        ...[link, page, lane, loads, plt_ms, network_share],
        ...[plt_ms * network_share, plt_ms * (1 - network_share), optimal_ms],
      ]),
    ),
  });
}
