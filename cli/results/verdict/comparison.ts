// How much faster one lane is than another: (a - b) / a * 100 of median PLTs, with an interval that keeps what loads share. One thing
// is estimated throughout, the mean over pages (of each page's mean over its links) of log(median b / median a), paired; wording is in
// verdict.ts.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { mean } from "../../base/quantile.ts";
import { hashText, type RandomSource, randomSource } from "../../base/random.ts";
import { blockDifferenceTails } from "../stats/difference_test.ts";
import { medianDifferenceInterval } from "../stats/median_interval.ts";
import { holm, significanceLevel } from "../stats/multiplicity.ts";
import { type CoverageGap, gapClause } from "./lane_coverage.ts";
import {
  bothTimedOut,
  type CellMedians,
  cellMedians,
  medianRatio,
  type PairedCell,
  pairedCells,
  percentOfLog,
} from "./paired_cells.ts";
import { type PooledMean, pooledMean, whatPoolingNeeds } from "./pooled_cells.ts";
import type { LanePair, Sample } from "./sample.ts";

/** What the interval is a sample of: `blocks` of loads, so that it speaks of these pages, or whole `pages`, of pages like these. */
export type Units = PooledMean["units"];

export interface Improvement {
  readonly pair: LanePair;
  /** (over - lane) / over * 100: positive where `lane` is faster. Null when a lane has no valid load. */
  readonly percent: number | null;
  /** 95 %; null when there are too few loads, as `reason` says. */
  readonly interval: Interval | null;
  /** Two-sided, that the lanes do not differ; of several comparisons told together Holm's. Null where there is no interval. */
  readonly probability: number | null;
  /** So many comparisons are told together. */
  readonly comparisons: number;
  readonly units: Units;
  /** Valid loads that entered. */
  readonly n: { readonly lane: number; readonly over: number };
  readonly pages: number;
  /** Of them, those on which `lane` has the shorter median, or the longer one. */
  readonly pagesWon: { readonly faster: number; readonly slower: number };
  readonly links: number;
  /** Pages on links where the lanes asked for different parts of the page, which are left out, and the first one's gap. */
  readonly unlike: number;
  readonly gap: CoverageGap | null;
  /** So many loads of the slower lane timed out that the difference is at least that large, and the interval has no far end. */
  readonly isAtLeast: boolean;
  /** Why percent or interval is null. */
  readonly reason: string | null;
}

const percentsOfLog = (interval: Interval | null): Interval | null =>
  interval && { low: percentOfLog(interval.high), high: percentOfLog(interval.low) };

/** Pages on which `lane` is faster, or slower: by their median, over several links by the geometric mean of their ratios. */
function pagesWon(cells: readonly CellMedians[]): Improvement["pagesWon"] {
  const ratios = [...Map.groupBy(cells, ({ cell }) => cell.page).values()].map((ofPage) =>
    mean(ofPage.map(medianRatio)),
  );
  return { faster: ratios.filter((ratio) => ratio < 0).length, slower: ratios.filter((ratio) => ratio > 0).length };
}

function measured(
  cells: readonly CellMedians[],
  random: RandomSource,
): Omit<PooledMean, "units"> & Pick<Improvement, "units" | "reason"> {
  const [only, second] = cells;
  if (!only || second) {
    const pooled = pooledMean(cells);
    return { ...pooled, reason: pooled.interval ? null : whatPoolingNeeds(cells.length) };
  }
  const [lane, over] = [only.cell.lane.map(Math.log), only.cell.over.map(Math.log)];
  const interval = medianDifferenceInterval(lane, over, random);
  const reason = interval ? null : `an interval needs ${minimumUnits} valid loads of each lane`;
  const probability = interval && blockDifferenceTails(over, lane).twoSided;
  return { logRatio: medianRatio(only), interval, probability, units: "blocks", reason };
}

/**
 * Improvement over any cells. One page on one link: of its two medians. Several: the geometric mean of their ratios, which no single
 * big page or slow link outweighs.
 */
export function improvement(cells: readonly PairedCell[], pair: LanePair, seed: number): Improvement {
  const usable = cells
    .map(cellMedians)
    .filter((medians) => medians !== null)
    .sort((a, b) => (a.cell.link < b.cell.link ? -1 : a.cell.link > b.cell.link ? 1 : 0));
  const pages = [...new Set(usable.map(({ cell }) => cell.page))].sort();
  const links = [...new Set(usable.map(({ cell }) => cell.link))];
  const n = {
    lane: usable.reduce((sum, cell) => sum + cell.n.lane, 0),
    over: usable.reduce((sum, cell) => sum + cell.n.over, 0),
  };
  const unlike = cells.flatMap((cell) => cell.gap ?? []);
  const [gap = null] = unlike;
  const places = { pages: pages.length, links: links.length, unlike: unlike.length, gap };
  const base = { pair, n, pagesWon: pagesWon(usable), ...places };
  if (usable.length === 0) {
    const reason = gap
      ? gapClause(pair, gap)
      : cells.some(bothTimedOut)
        ? "at least half of the loads of both timed out"
        : "no page has valid loads of both lanes";
    const nothing = { percent: null, interval: null, probability: null, comparisons: 1 };
    return { ...base, ...nothing, units: "blocks", isAtLeast: false, reason };
  }
  const name = `${pair.lane} over ${pair.over}: ${hashText(pages.join(" "))} ${hashText(links.join(" "))}`;
  const { logRatio, interval, probability, units, reason } = measured(usable, randomSource(seed, name));
  const slower = logRatio < 0 ? "over" : "lane";
  const bounds = usable.flatMap((medians) => medians.isAtLeast ?? []);
  const isAtLeast = bounds.length > 0 && bounds.every((lane) => lane === slower);
  const found = { percent: percentOfLog(logRatio), interval: percentsOfLog(interval), probability, comparisons: 1 };
  return { ...base, ...found, units, isAtLeast, reason };
}

/** Improvement of `pair.lane` over `pair.over` among these loads. */
export function compare(samples: Iterable<Sample>, pair: LanePair, seed: number): Improvement {
  return improvement(pairedCells(samples, pair), pair, seed);
}

/** Comparisons that are told together: their probabilities are Holm's, so that any is called different wrongly in at most 5 %. */
export function toldTogether(results: readonly Improvement[]): Improvement[] {
  const tested = results.filter(({ probability }) => probability !== null);
  const corrected = holm(tested.map(({ probability }) => probability as number));
  const found = new Map(tested.map((result, index) => [result, corrected[index] as number]));
  return results.map((result) => ({
    ...result,
    probability: found.get(result) ?? null,
    comparisons: tested.length,
  }));
}

/** What an improvement says once its interval is known. */
export type Direction = "faster" | "slower" | "unclear" | "unknown";

export function direction({ percent, interval, probability }: Improvement): Direction {
  if (percent === null || interval === null) return "unknown";
  if (probability === null || probability > significanceLevel) return "unclear";
  if (interval.low > 0) return "faster";
  if (interval.high < 0) return "slower";
  return "unclear";
}
