// The mean log ratio over the cells of a few pages on links, and how sure it is. Each cell's share of the error comes from its own
// order statistics, because a resampled median of five loads errs much more than the median itself: such intervals covered
// their truth in 97 to 99.5 % (test/cli/results/verdict/coverage.test.ts has what these do). Where cells have single loads, how far the cells
// themselves lie apart is all there is to go by.
import { confidence, type Interval } from "../../base/interval.ts";
import { mean, standardDeviation } from "../../base/quantile.ts";
import {
  correlation,
  type DifferenceErrors,
  fewestForError,
  medianDifferenceErrors,
} from "../stats/median_interval.ts";
import { studentQuantile } from "../stats/normal_tail.ts";
import { type CellMedians, medianRatio } from "./paired_cells.ts";

/** Two cells need five loads of each lane. */
const loadsOfTwo = 5;
const fewestCells = 3;
/** So many cells of fewer loads say by their own spread how sure their mean is. */
const fewestSpread = 6;

export interface PooledMean {
  readonly logRatio: number;
  readonly interval: Interval | null;
  /** What the error is of: the loads of cells, or cells as a sample of cells. */
  readonly units: "blocks" | "cells";
}

const around = (centre: number, error: number, freedom: number): Interval => {
  const reach = studentQuantile((1 - confidence) / 2, freedom) * error;
  return { low: centre - reach, high: centre + reach };
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

interface Variance {
  readonly variance: number;
  /** What Satterthwaite's (1946) degrees of freedom divide by: squared variances over what each is free by. */
  readonly perFreedom: number;
}

type CellErrors = DifferenceErrors & Pick<CellMedians, "n">;

function errorOf({ lane, over, n }: CellErrors, shared: number): Variance {
  return {
    variance: lane ** 2 + over ** 2 - 2 * shared * lane * over,
    perFreedom: lane ** 4 / (n.lane - 1) + over ** 4 / (n.over - 1),
  };
}

/** By the loads' own errors; null where a cell has too few loads. */
function byLoads(cells: readonly CellMedians[], logRatio: number): Interval | null {
  const fewest = Math.min(...cells.map(({ n }) => Math.min(n.lane, n.over)));
  if (fewest < (cells.length < fewestCells ? loadsOfTwo : fewestForError)) return null;
  const errors = cells.flatMap(({ cell, n }): CellErrors[] => {
    const found = medianDifferenceErrors(cell.lane.map(Math.log), cell.over.map(Math.log));
    return found ? [{ ...found, n }] : [];
  });
  // Of all cells' blocks, since those of one cell are too few to tell; a half more on each side, because few may agree by
  // chance.
  const together = sum(errors.map(({ blocks }) => blocks.together)) + 0.5;
  const shared = Math.max(0, correlation(together / (sum(errors.map(({ blocks }) => blocks.all)) + 1)));
  const variances = errors.map((each) => errorOf(each, shared));
  const variance = sum(variances.map((each) => each.variance));
  const perFreedom = sum(variances.map((each) => each.perFreedom));
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
    : `an interval needs ${fewestForError} valid loads of each lane on each of the ${cells} pages on links`;
}
