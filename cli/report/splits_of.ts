// Which divisions of the page load time a report shows, and their medians: of links spread over the grid, of pages from the
// fastest to the slowest. Drawing is split.ts's.

import { median } from "../base/quantile.ts";
import type { Load } from "../results/store/results.ts";
import { byLane, isValid } from "../results/verdict/sample.ts";
import type { Spread } from "./cdfs_of.ts";
import { type ReportData, spreadOrder } from "./data.ts";
import type { SplitBar, SplitData, SplitPage } from "./figures/split.ts";

type SplitLoad = Load & { readonly plt_ms: number; readonly network_ms: number };

const mostFigures = 4;
const mostPages = 10;

function spread<T>(all: readonly T[], most: number): T[] {
  const chosen = new Set(spreadOrder(all.length).slice(0, most));
  return all.filter((_, index) => chosen.has(index));
}

function barOf({ lane, loads }: { readonly lane: string; readonly loads: readonly SplitLoad[] }): SplitBar {
  return {
    lane,
    loads: loads.length,
    plt_ms: median(loads.map(({ plt_ms }) => plt_ms)),
    network_share: median(loads.map(({ plt_ms, network_ms }) => network_ms / plt_ms)),
  };
}

function pageOf(page: string, loads: readonly SplitLoad[]): SplitPage {
  const optima = loads.flatMap(({ optimal_ms }) => optimal_ms ?? []);
  return {
    page,
    bars: byLane(loads).map(barOf),
    optimal_ms: optima.length > 0 ? median(optima) : null,
  };
}

/** In the plan's order of links; none where no load reports its critical path. */
export function splitsOf({ cells, loads }: Pick<ReportData, "cells" | "loads">): Spread<SplitData> {
  const whole = loads.filter(
    (load): load is SplitLoad => isValid(load) && load.network_ms !== null && (load.plt_ms ?? 0) > 0,
  );
  const byLink = Map.groupBy(whole, ({ link }) => link);
  const links = [...new Set(cells.map(({ link }) => link))].filter((link) => byLink.has(link));
  const shown = spread(links, mostFigures).map((link) => {
    const pages = [...Map.groupBy(byLink.get(link) ?? [], ({ page }) => page)].map(([page, of]) => pageOf(page, of));
    const slowest = ({ bars }: SplitPage): number => Math.max(...bars.map(({ plt_ms }) => plt_ms));
    const allPages = pages.toSorted((a, b) => slowest(a) - slowest(b));
    return { link, pages: spread(allPages, mostPages), allPages };
  });
  return { shown, links: links.length };
}
