// Which heat maps a report has, and what each of their cells says. Computes improvements by cli/results/verdict; drawing is heat_map.ts's.
import { middleCut } from "../base/middle_cut.ts";
import { count } from "../base/numbers.ts";
import { significanceLevel } from "../results/stats/multiplicity.ts";
import { cellTest, correctedTests, loadsNeeded } from "../results/verdict/cell_significance.ts";
import { comparedMetric } from "../results/verdict/compared_metric.ts";
import { type Improvement, improvement } from "../results/verdict/comparison.ts";
import { cellMedians, type PairedCell, pairedCells } from "../results/verdict/paired_cells.ts";
import { manyPages } from "../results/verdict/pooled_cells.ts";
import { counted, isValid, type LanePair } from "../results/verdict/sample.ts";
import type { ReportData } from "./data.ts";
import { type DrawnMaps, type HeatCell, type HeatMaps, isCorrected } from "./figures/heat_map.ts";
import type { LinkGrid } from "./figures/link_axes.ts";

/** Pages that get maps of their own, so that 500 of them do not make a file that no browser opens. */
const maxPageMaps = manyPages - 1;

/** The lanes were measured, but requested different parts of the page. */
function unlikeReason({ gap, reason }: Improvement): HeatCell["empty"] {
  return gap && reason !== null ? { short: "unlike", reason, leftOut: 0 } : null;
}

function emptyReason(
  data: ReportData,
  { pair, reason }: Improvement,
  link: string,
  page: string | null,
): HeatCell["empty"] {
  const cells = data.cells.filter((cell) => cell.link === link && (page === null || cell.page === page));
  const loadsOf = (lane: string): ReportData["loads"] => {
    const ids = new Set(cells.filter((cell) => cell.lane === lane).map((cell) => cell.id));
    return data.loads.filter((load) => ids.has(load.cell));
  };
  const lanes = [pair.over, pair.lane].filter((lane) => !loadsOf(lane).some((load) => counted(load) !== null));
  if (lanes.length === 0)
    return { short: "none", reason: reason ?? "no page has valid loads of both lanes", leftOut: 0 };
  let leftOut = 0;
  const perLane = lanes.map((lane) => {
    const loads = loadsOf(lane);
    const why = loads.at(-1)?.reasons[0];
    leftOut += loads.length;
    return loads.length === 0
      ? `${lane} was not loaded`
      : `no valid load of ${lane} (${count(loads.length, "load")} left out${why ? `: ${middleCut(why, 160)}` : ""})`;
  });
  const short = leftOut === 0 ? "not run" : `${lanes.length === 1 ? `${lanes[0]} ` : ""}0/${leftOut}`;
  return { short, reason: perLane.join("; "), leftOut };
}

function mediansOf(cells: readonly PairedCell[]): HeatCell["medians"] {
  const [cell] = cells;
  return cell && cells.length === 1 ? cellMedians(cell) : null;
}

type Untested = Omit<HeatCell, "test"> & { readonly test: ReturnType<typeof cellTest> };
interface UntestedMaps {
  readonly pair: LanePair;
  readonly cells: ReadonlyMap<string, Untested>;
}

function mapOf(
  data: ReportData,
  pair: LanePair,
  paired: ReadonlyMap<string, readonly PairedCell[]>,
  page: string | null,
  grid: LinkGrid,
  target: (link: string, page: string | null) => string,
): UntestedMaps {
  const cells = new Map<string, Untested>();
  for (const link of grid.places.keys()) {
    const linkCells = (paired.get(link) ?? []).filter((cell) => page === null || cell.page === page);
    const result: Improvement = improvement(linkCells, pair, data.sweep.seed);
    const known = result.percent !== null;
    cells.set(link, {
      link,
      improvement: result,
      medians: known ? mediansOf(linkCells) : null,
      empty: known ? null : (unlikeReason(result) ?? emptyReason(data, result, link, page)),
      target: target(link, page),
      test: cellTest(result),
    });
  }
  return { pair, cells };
}

/** The cells of maps that stand side by side are looked at together: corrected for the number of them all. */
function correctedMaps(maps: readonly UntestedMaps[]): HeatMaps[] {
  const corrected = correctedTests(maps.flatMap(({ cells }) => [...cells.values()].map(({ test }) => test)));
  let place = 0;
  return maps.map(({ pair, cells }) => ({
    pair,
    cells: new Map([...cells].map(([link, cell]) => [link, { ...cell, test: corrected[place++] ?? null }])),
  }));
}

/** How many cells still differ corrected; and where there are too few loads for any to, that. */
function correctionSentence(maps: readonly HeatMaps[]): string {
  const cells = maps.flatMap((map) => [...map.cells.values()]);
  const tests = cells.flatMap(({ test }) => (test ? [test] : []));
  if (tests.length === 0) return "";
  const byHolm = cells.filter(isCorrected).length;
  const byShare = tests.filter((test) => test.benjaminiHochberg <= significanceLevel).length;
  const needed = loadsNeeded(tests.length);
  const most = Math.max(...tests.map(({ n }) => n));
  const none =
    byHolm === 0 && most < needed
      ? ` (none can: it takes ${needed} loads of each lane, there are at most ${most})`
      : "";
  return `Corrected over these ${count(tests.length, "cell")}: ${byHolm} by Holm${none}, ${byShare} by Benjamini and Hochberg.`;
}

/** Maps over all pages, and for each page where there are few. None where there is but one link. */
export function mapSets(
  data: ReportData,
  pairs: readonly LanePair[],
  grid: LinkGrid,
  target: (link: string, page: string | null) => string,
): DrawnMaps[] {
  if (grid.places.size < 2 || pairs.length === 0) return [];
  const pages = [...new Set(data.cells.map((cell) => cell.page))];
  const paired = pairs.map((pair) => ({
    pair,
    byLink: Map.groupBy(pairedCells(data.loads, pair), (cell) => cell.link),
  }));
  const mapsOf = (page: string | null): HeatMaps[] =>
    correctedMaps(paired.map(({ pair, byLink }) => mapOf(data, pair, byLink, page, grid, target)));
  const n = `n = ${count(data.loads.filter(isValid).length, "valid load")}, ${count(pages.length, "page")}, ${count(grid.places.size, "link")}.`;
  const how = pages.length > 1 ? "the geometric mean over pages of the ratio of medians" : "of the page's loads";
  const [only] = pages;
  const first = mapsOf(pages.length === 1 ? (only ?? null) : null);
  const sets: DrawnMaps[] = [
    {
      page: pages.length === 1 ? (only ?? null) : null,
      title: pages.length === 1 ? (only ?? "") : `${pages.length} pages together`,
      caption: `Improvement of the median ${comparedMetric(data.metric).noun} in %, ${how}. ${n}`,
      note: correctionSentence(first),
      maps: first,
    },
  ];
  if (pages.length > 1 && pages.length <= maxPageMaps) {
    for (const page of pages) {
      const valid = data.loads.filter((load) => load.page === page && isValid(load)).length;
      const maps = mapsOf(page);
      const caption = `${page} alone, n = ${count(valid, "valid load")}.`;
      sets.push({ page, title: page, caption, note: correctionSentence(maps), maps });
    }
  }
  return sets;
}
