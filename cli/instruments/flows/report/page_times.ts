// How long the page took that was loaded amid flows: a row for each mix, link and lane, and a sentence where there is one mix on one link.
// Takes times, computes medians and intervals only.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatTime, formatTimeRange } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { linkCell } from "../../../report/figures/parts.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import type { FlowReportCell } from "./flow_data.ts";

interface PageTime {
  readonly cell: FlowReportCell["cell"];
  readonly n: number;
  readonly median_ms: number;
  readonly interval: ReturnType<typeof medianInterval>;
}

function pageTimes(cells: readonly FlowReportCell[]): PageTime[] {
  return cells.flatMap(({ cell, plts_ms }) =>
    plts_ms.length === 0
      ? []
      : [{ cell, n: plts_ms.length, median_ms: median(plts_ms), interval: medianInterval(plts_ms) }],
  );
}

/** `The page amid them: PLT 2060 ms over h1, 1930 ms (1900 to 1980 ms) over h3.`; null: no page, or several mixes or links. */
export function pageSentence(cells: readonly FlowReportCell[]): string | null {
  const times = pageTimes(cells);
  if (times.length === 0 || new Set(cells.map(({ cell }) => JSON.stringify([cell.mix, cell.link]))).size > 1)
    return null;
  const words = times.map(
    ({ cell, median_ms, interval }) =>
      `${formatTime(median_ms)}${interval ? ` (${formatTimeRange(interval)})` : ""} over ${cell.lane}`,
  );
  return `The page amid them: median PLT ${words.join(", ")}.`;
}

/** Null where no page was loaded. */
export function pageTable(cells: readonly FlowReportCell[]): Markup | null {
  const times = pageTimes(cells);
  if (times.length === 0) return null;
  const rows = times.map(
    ({ cell, n, median_ms, interval }) =>
      html`<tr><th scope="row">${middleCut(cell.mix, 60)}</th>${linkCell(cell.link)}<td>${cell.lane}</td><td class="num" data-sort="${String(median_ms)}">${formatTime(median_ms)}<small>${interval && formatTimeRange(interval)}</small></td><td class="num">${String(n)}</td></tr>`,
  );
  const figure = html`<figure class="flow-cells"><figcaption>Page load time (PLT: loadEventEnd − navigationStart) amid the flows: median over ${count(
    times.reduce((sum, { n }) => sum + n, 0),
    "valid run",
  )}, below it the 95 % interval.</figcaption><div class="scroll"><table class="sortable"><thead><tr><th scope="col">mix</th><th scope="col">link</th><th scope="col">page over</th><th scope="col" class="num">PLT</th><th scope="col" class="num">runs</th></tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["page-load-times"],
    columns: ["mix", "link", "lane", "runs", "plt_ms", "low_ms", "high_ms"],
    rows: times.map(({ cell, n, median_ms, interval }) => [
      ...[cell.mix, cell.link, cell.lane, n, median_ms, interval?.low ?? null, interval?.high ?? null],
    ]),
  });
}
