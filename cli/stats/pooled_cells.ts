// The mean log ratio over the cells of a few pages on links, and how sure it is. Each cell's share of the error comes from its own
// order statistics, because a resampled median of five loads errs much more than the median itself: such intervals covered
// their truth in 97 to 99.5 % (test/cli/stats/coverage.test.ts has what these do). Where cells have one or two loads, how far the cells
// themselves lie apart is all there is to go by.
import type { Interval } from "./bootstrap.ts";
import { fewestForError, medianDifferenceError } from "./median_interval.ts";
import { studentQuantile } from "./normal_tail.ts";
import { type CellMedians, medianRatio } from "./paired_cells.ts";
import { mean, standardDeviation } from "./quantile.ts";

/** Two cells need five loads of each lane; from three cells on three loads are enough. */
const loadsOfTwo = 5;
const fewestCells = 3;
/** So many cells of fewer loads say by their own spread how sure their mean is. */
export const fewestSpread = 6;

const tail = 0.025;

export interface PooledMean {
  readonly logRatio: number;
  readonly interval: Interval | null;
  /** What the error is of: the loads of cells, or cells as a sample of cells. */
  readonly units: "blocks" | "cells";
}

const around = (centre: number, error: number, freedom: number): Interval => {
  const reach = studentQuantile(tail, freedom) * error;
  return { low: centre - reach, high: centre + reach };
};

interface CellError {
  /** Squared, of the log ratio; null: too few loads to tell. */
  readonly variance: number | null;
  /** Satterthwaite's (1946) share of the degrees of freedom: each lane's variance squared, over what it is free by. */
  readonly perFreedom: number;
  /** 1 / n + 1 / n of both lanes: a variance is about so much of the loads' own. */
  readonly share: number;
}

function cellError({ cell, n }: CellMedians): CellError {
  const error = medianDifferenceError(cell.lane.map(Math.log), cell.over.map(Math.log));
  const share = 1 / n.lane + 1 / n.over;
  if (!error) return { variance: null, perFreedom: 0, share };
  return {
    variance: error.variance,
    perFreedom: error.lane ** 4 / (n.lane - 1) + error.over ** 4 / (n.over - 1),
    share,
  };
}

/** By the loads' own errors; null where too few cells have loads enough. */
function byLoads(cells: readonly CellMedians[], logRatio: number): Interval | null {
  const fewest = Math.min(...cells.map(({ n }) => Math.min(n.lane, n.over)));
  const errors = cells.map(cellError);
  const known = errors.flatMap(({ variance, share }) => (variance === null ? [] : [variance / share]));
  if (cells.length < fewestCells && fewest < loadsOfTwo) return null;
  if (cells.length >= fewestCells && (known.length < fewestCells || known.length * 2 < cells.length)) return null;
  // A cell of one or two loads errs as the others' loads do.
  const spread = mean(known);
  const variance = errors.reduce((sum, error) => sum + (error.variance ?? spread * error.share), 0);
  const perFreedom = errors.reduce((sum, error) => sum + error.perFreedom, 0);
  const freedom = perFreedom > 0 ? variance ** 2 / perFreedom : Number.POSITIVE_INFINITY;
  return around(logRatio, Math.sqrt(variance) / cells.length, freedom);
}

/** At least two cells: `interval` of 95 %, null with too few loads. Logarithms of PLT ratios, natural. */
export function pooledMean(cells: readonly CellMedians[]): PooledMean {
  const ratios = cells.map(medianRatio);
  const logRatio = mean(ratios);
  const interval = byLoads(cells, logRatio);
  if (interval || cells.length < fewestSpread) return { logRatio, interval, units: "blocks" };
  const error = standardDeviation(ratios) / Math.sqrt(ratios.length);
  return { logRatio, interval: around(logRatio, error, ratios.length - 1), units: "cells" };
}

/** What an interval needs, for who has too few loads. */
export function whatPoolingNeeds(cells: number): string {
  return cells < fewestCells
    ? `an interval needs ${loadsOfTwo} valid loads of each lane`
    : `an interval needs ${fewestForError} valid loads of each lane on at least ${Math.max(fewestCells, Math.ceil(cells / 2))} of the ${cells} pages on links`;
}
