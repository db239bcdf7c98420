// Which distributions over pages a report shows: of links with pages enough, spread over the grid. Computes their medians; drawing
// is cdf.ts's.
import { isRepeat } from "../base/lanes.ts";
import { extremes, median } from "../base/quantile.ts";
import { calmed } from "../results/verdict/busy_machine.ts";
import { comparedMetric, usualMetric } from "../results/verdict/compared_metric.ts";
import { manyPages } from "../results/verdict/pooled_cells.ts";
import { byLane, countedTogether } from "../results/verdict/sample.ts";
import { type ReportData, spreadOrder } from "./data.ts";
import type { CdfData } from "./figures/cdf.ts";

type ValidLoad = ReportData["loads"][number] & { readonly plt_ms: number };

/** As many as Das 2014 chose of its grid. */
const mostFigures = 9;

/** The least of what each page's loads needed at best; a page whose loads do not tell has none. */
function optimalOfPages_ms(loads: readonly ValidLoad[]): number[] {
  return [...Map.groupBy(loads, (load) => load.page).values()].flatMap((group) => {
    const optimal = extremes(group.flatMap(({ optimal_ms }) => optimal_ms ?? []));
    return optimal ? [optimal.least] : [];
  });
}

export interface Spread<T> {
  readonly shown: readonly T[];
  /** Links that could be shown. */
  readonly links: number;
}

/** In the plan's order of links. */
export function cdfsOf({ cells, loads, sweep, metric }: ReportData): Spread<CdfData> {
  // Those that timed out would have taken longer still: a page's median is where the table has it, on a busy machine, too.
  const groups = Map.groupBy(loads, ({ page, link }) => JSON.stringify([page, link]));
  const valid: ValidLoad[] = [...groups.values()].flatMap((group) => calmed(countedTogether(group)).loads);
  const cellsOf = (some: typeof loads): Set<number> => new Set(some.map(({ cell }) => cell));
  const [tried, measured] = [cellsOf(loads), cellsOf(valid)];
  const byLink = Map.groupBy(valid, (load) => load.link);
  const links = [...new Set(cells.map((cell) => cell.link))].filter(
    (link) => new Set(byLink.get(link)?.map((load) => load.page)).size >= manyPages,
  );
  const shown = new Set(spreadOrder(links.length).slice(0, mostFigures));
  const repeats = sweep.plan.lanes.some((lane) => isRepeat(lane));
  const figures = links
    .filter((_, index) => shown.has(index))
    .map((link) => {
      const here = byLink.get(link) ?? [];
      const curves = byLane(here).map(({ lane, loads: own }) => ({
        lane,
        medians_ms: [...Map.groupBy(own, ({ page }) => page).values()].map((group) =>
          median(group.map((load) => load.plt_ms)),
        ),
      }));
      // A repeat visit asks no names and sends its request at once: the bound is not its own, and it is one of the page load time.
      const optimal_ms = repeats || metric !== usualMetric ? [] : optimalOfPages_ms(here);
      const lacking = cells.filter(({ id, link: of }) => of === link && tried.has(id) && !measured.has(id));
      const missing = [...Map.groupBy(lacking, ({ lane }) => lane)].map(([lane, { length: pages }]) => ({
        lane,
        pages,
      }));
      return { link, metric: comparedMetric(metric), curves, optimal_ms, missing };
    });
  return { shown: figures, links: links.length };
}
