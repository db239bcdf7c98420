// How much faster one lane is than another: (a - b) / a * 100 of median PLTs, with an interval that keeps what loads share. One thing
// is estimated throughout, the mean over pages (of each page's mean over its links) of log(median b / median a), paired; wording is in
// verdict.ts.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { mean } from "../../base/quantile.ts";
import { hashText, type RandomSource, randomSource } from "../../base/random.ts";
import { blockDifferenceTails } from "../stats/difference_test.ts";
import { medianDifferenceInterval } from "../stats/median_interval.ts";
import { significanceLevel } from "../stats/multiplicity.ts";
import { type CoverageGap, gapClause } from "./lane_coverage.ts";
import {
  bothTimedOut,
  type CellMedians,
  cellMedians,
  medianRatio,
  type PairedCell,
  pairedCells,
  percentOfLog,
  ratioOff,
} from "./paired_cells.ts";
import { type PooledMean, pooledMean, whatPoolingNeeds, withKnownErrors } from "./pooled_cells.ts";
import type { LanePair, Sample } from "./sample.ts";

/** What the interval is a sample of: `blocks` of loads, so that it speaks of these pages, or whole `pages`, of pages like these. */
type Units = PooledMean["units"];

export interface Improvement {
  readonly pair: LanePair;
  /** (over - lane) / over * 100: positive where `lane` is faster. Null when a lane has no valid load. */
  readonly percent: number | null;
  /** 95 %; an end that nothing is known of, because loads timed out, is infinite; null when there are too few loads, as `reason` says. */
  readonly interval: Interval | null;
  /** Two-sided, that the lanes do not differ; of several comparisons shown together Holm's. Null where there is no interval. */
  readonly probability: number | null;
  /** So many comparisons are shown together. */
  readonly comparisons: number;
  readonly units: Units;
  /** Valid loads that entered. */
  readonly n: { readonly lane: number; readonly over: number };
  readonly pages: number;
  /** Of them, those on which `lane` has the shorter median, or the longer one. */
  readonly pagesWon: { readonly faster: number; readonly slower: number };
  readonly links: number;
  /** Pages on links where the lanes requested different parts of the page, which are left out, and the first one's gap. */
  readonly unlike: number;
  readonly gap: CoverageGap | null;
  /** Pages on links left out because at least half of the loads of both lanes timed out, or because a lane has a single load there. */
  readonly bothOut: number;
  readonly single: number;
  /** Pages on links where so many loads of the lane timed out that its median is a lower bound. */
  readonly bounds: { readonly lane: number; readonly over: number };
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
  const [found, logRatio, off] = [medianDifferenceInterval(lane, over, random), medianRatio(only), ratioOff(only)];
  const reason = found ? null : `an interval needs ${minimumUnits} valid loads of each lane`;
  const interval = found && { low: found.low - off, high: found.high + off };
  // That the lanes differ by more than both may be off.
  const beyond = Math.abs(logRatio) >= off ? blockDifferenceTails(over, lane, Math.sign(logRatio) * off).twoSided : 1;
  return { logRatio, interval, probability: found && beyond, units: "blocks", reason };
}

/** Where a lane's medians are lower bounds it may be slower by any amount: that end of the interval (in %) is open. */
function openEnds(interval: Interval | null, bounds: Improvement["bounds"]): Interval | null {
  if (interval === null) return null;
  return {
    low: bounds.lane > 0 ? Number.NEGATIVE_INFINITY : interval.low,
    high: bounds.over > 0 ? Number.POSITIVE_INFINITY : interval.high,
  };
}

/** Why nothing is known of a difference; null: something is. */
function whyUnknown(
  cells: readonly PairedCell[],
  { pair, gap, bounds, pages }: Pick<Improvement, "pair" | "gap" | "bounds" | "pages">,
): string | null {
  if (bounds.lane > 0 && bounds.over > 0)
    return "each timed out in at least half of its loads somewhere, so either may be slower by any amount";
  if (pages > 0) return null;
  if (gap) return gapClause(pair, gap);
  return cells.some(bothTimedOut)
    ? "at least half of the loads of both timed out"
    : "no page has valid loads of both lanes";
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * Improvement over any cells. One page on one link: of its two medians. Several: the geometric mean of their ratios, which no single
 * big page or slow link outweighs.
 */
export function improvement(cells: readonly PairedCell[], pair: LanePair, seed: number): Improvement {
  const usable = cells
    .map(cellMedians)
    .filter((medians) => medians !== null)
    .sort((a, b) => (a.cell.link < b.cell.link ? -1 : a.cell.link > b.cell.link ? 1 : 0));
  const entered = withKnownErrors(usable);
  const pages = [...new Set(entered.map(({ cell }) => cell.page))].sort();
  const links = [...new Set(entered.map(({ cell }) => cell.link))];
  const boundsOf = (lane: "lane" | "over"): number => entered.filter(({ isAtLeast }) => isAtLeast === lane).length;
  const bounds = { lane: boundsOf("lane"), over: boundsOf("over") };
  const unlike = cells.flatMap((cell) => cell.gap ?? []);
  const [gap = null] = unlike;
  const base = {
    ...{ pair, bounds, gap, pagesWon: pagesWon(entered), pages: pages.length, links: links.length },
    n: { lane: sumOf(entered.map(({ n }) => n.lane)), over: sumOf(entered.map(({ n }) => n.over)) },
    unlike: unlike.length,
    bothOut: cells.filter((cell) => !cell.gap && bothTimedOut(cell)).length,
    single: usable.length - entered.length,
    comparisons: 1,
  };
  const unknown = whyUnknown(cells, base);
  if (unknown !== null) {
    const nothing = { percent: null, interval: null, probability: null, units: "blocks" } as const;
    return { ...base, ...nothing, gap: entered.length > 0 ? null : gap, reason: unknown };
  }
  const name = `${pair.lane} over ${pair.over}: ${hashText(pages.join(" "))} ${hashText(links.join(" "))}`;
  const { logRatio, interval, probability, units, reason } = measured(entered, randomSource(seed, name));
  const found = { percent: percentOfLog(logRatio), interval: openEnds(percentsOfLog(interval), bounds), units, reason };
  // Of a lane that is faster as far as is known, and may be slower by any amount, no difference is shown.
  const isOpen = limitOf({ ...found, bounds }) === "at most";
  return { ...base, ...found, probability: probability !== null && isOpen ? 1 : probability };
}

/** Improvement of `pair.lane` over `pair.over` among these loads. */
export function compare(samples: Iterable<Sample>, pair: LanePair, seed: number): Improvement {
  return improvement(pairedCells(samples, pair), pair, seed);
}

/** What the medians that are lower bounds make of a difference: they are the slower lane's, or the faster one's; null: there are none. */
export function limitOf({ percent, bounds }: Pick<Improvement, "percent" | "bounds">): "at least" | "at most" | null {
  const [faster, slower] = (percent ?? 0) > 0 ? [bounds.lane, bounds.over] : [bounds.over, bounds.lane];
  return faster > 0 ? "at most" : slower > 0 ? "at least" : null;
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
