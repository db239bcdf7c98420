// The mean log ratio over the pages and links of a study, and how sure it is: the mean over pages of each page's mean over its links,
// so that a link that one page lacks does not weigh on the others. Two kinds of interval. Of few pages it is for these pages, with the
// error of each cell from its own order statistics, because a resampled median of five loads errs much more than the median itself.
// From manyPages on it is for pages like these, and how far pages lie apart, loads' errors and all, says how sure the mean is.
//
// Pooling many cells makes chance small, but not what the median of few loads leans by where their noise has a long side or two kinds:
// that is the same in all cells, and adds up. Which way is unknown from so few loads of each (Rosen 2012, on medians of short panels),
// but how far can: the mean of a sample median's distribution lies within one deviation of its median (Hotelling and Solomons 1932), and
// near it where medians lie in the middle of where they may be. How far cells' medians lie off it is therefore added, in quadrature, to
// the error of every pooled interval, so that more runs narrow it and more cells alone do not. By chance medians lie off it where noise is
// alike on both sides, too: as far as normal noise would explain does not count, and what is left is known the better the more cells there
// are. How many times it counts was found by simulation (test/cli/results/verdict/coverage.slow.test.ts).
import { confidence, type Interval } from "../../base/interval.ts";
import { mean, standardDeviation } from "../../base/quantile.ts";
import {
  correlation,
  type DifferenceErrors,
  fewestForError,
  medianDifferenceErrors,
} from "../stats/median_interval.ts";
import { studentQuantile, studentUpperTail } from "../stats/student_tail.ts";
import { type CellMedians, medianRatio, ratioOff } from "./paired_cells.ts";

/** From this many pages on, pages are a sample of pages. */
export const manyPages = 6;

/** Two cells need five loads of each lane, more cells three; but a quarter of them may have lost one of these. */
const loadsOfTwo = 5;
const loadsOfMore = 3;
const mayHaveFewer = 1 / 4;

/** How many degrees of freedom a cell gives at most. */
const freedomOfACell = 2;

/** All cells at the least: where lanes move together, what is left of the variance would be divided by what each lane's was, to almost none. */
const leastFreedom = 2;

/** So many times as far as medians lie off the middle of where they may be, they may lean: the least that held for all noise that was tried. */
export const leaning = 1.1;

export interface PooledMean {
  readonly logRatio: number;
  readonly interval: Interval | null;
  /** Two-sided, that there is no difference; null without an interval. */
  readonly probability: number | null;
  /** What the interval speaks of: pages like these, or just these, of whose loads it is. */
  readonly units: "blocks" | "pages";
}

interface MeanError {
  readonly variance: number;
  /** Degrees of freedom. */
  readonly freedom: number;
}

interface CellError {
  readonly variance: number;
  /** What Satterthwaite's (1946) degrees of freedom divide by: squared variances over what each is free by. */
  readonly perFreedom: number;
}

type FoundErrors = DifferenceErrors & Pick<CellMedians, "n">;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function errorOf({ lane, over, n }: FoundErrors, shared: number): CellError {
  return {
    variance: lane ** 2 + over ** 2 - 2 * shared * lane * over,
    perFreedom: lane ** 4 / (n.lane - 1) + over ** 4 / (n.over - 1),
  };
}

const fewerLoads = ({ n }: CellMedians): number => Math.min(n.lane, n.over);
const needed = (cells: number): number => (cells === 2 ? loadsOfTwo : loadsOfMore);

function hasLoadsEnough(cells: readonly CellMedians[]): boolean {
  const few = cells.filter((cell) => fewerLoads(cell) < needed(cells.length)).length;
  return few <= cells.length * mayHaveFewer;
}

/**
 * Without cells in which a lane has a single load, which does not tell how far it may be from its median: where they are few, as good
 * as empty. Where they are many, all: their mean has no interval.
 */
export function withKnownErrors(cells: readonly CellMedians[]): readonly CellMedians[] {
  return hasLoadsEnough(cells) ? cells.filter((cell) => fewerLoads(cell) >= fewestForError) : cells;
}

function errorsOf(cells: readonly CellMedians[]): FoundErrors[] {
  return cells.flatMap(({ cell, n }) => {
    const found = medianDifferenceErrors(cell.lane.map(Math.log), cell.over.map(Math.log));
    return found ? [{ ...found, n }] : [];
  });
}

/** Of the mean over cells that weigh `weights`, by their loads' own errors. */
function byLoads(errors: readonly FoundErrors[], weights: readonly number[]): MeanError {
  // Of all cells' blocks, since those of one cell are too few to tell; a half more on each side, because few may agree by chance.
  const together = sum(errors.map(({ blocks }) => blocks.together)) + 0.5;
  const shared = correlation(together / (sum(errors.map(({ blocks }) => blocks.all)) + 1));
  const cells = errors.map((each, index) => ({ ...errorOf(each, shared), weight: weights[index] as number }));
  const variance = sum(cells.map((cell) => cell.weight ** 2 * cell.variance));
  const perFreedom = sum(cells.map((cell) => cell.weight ** 4 * cell.perFreedom));
  // Errors of loads of two kinds are themselves of two kinds, and tell each other's size less well than normal ones.
  const most = freedomOfACell * errors.length;
  const free = Math.min(most, perFreedom > 0 ? variance ** 2 / perFreedom : most);
  return { variance, freedom: Math.max(leastFreedom, free) };
}

function byPages(ofPages: readonly number[]): MeanError {
  return { variance: standardDeviation(ofPages) ** 2 / ofPages.length, freedom: ofPages.length - 1 };
}

/** Of so many normal values: the mean square of how far their median lies off that middle, over its error's; found by simulation. */
const offByChance = [0, 0, 0.22, 0.28, 0.43, 0.28, 0.32, 0.24, 0.29, 0.21, 0.26];
const offByChanceOf = (n: number): number => offByChance[n] ?? 0.45 / Math.cbrt(n);

const squareBeyondChance = (off: number, error: number, n: number): number => off ** 2 - offByChanceOf(n) * error ** 2;

/** How far medians of so few loads may lean, over all cells: as far in all as in one. */
function leansBy(errors: readonly FoundErrors[], weights: readonly number[]): number {
  const weighted = (of: (each: FoundErrors) => number): number[] =>
    errors.map((each, index) => (weights[index] as number) * of(each));
  const most = sum(weighted(({ off }) => Math.hypot(off.lane, off.over)));
  const squareOf = ({ off, lane, over, n }: FoundErrors): number =>
    squareBeyondChance(off.lane, lane, n.lane) + squareBeyondChance(off.over, over, n.over);
  const square = sum(weighted(squareOf));
  const error = Math.hypot(...weighted((each) => squareOf(each) - square));
  return leaning * Math.min(most, Math.sqrt(Math.max(0, square + error)));
}

/** At least two cells, those of withKnownErrors(). Logarithms of PLT ratios, natural. */
export function pooledMean(cells: readonly CellMedians[]): PooledMean {
  const pages = [...Map.groupBy(cells, ({ cell }) => cell.page).values()];
  const ofPages = pages.map((ofPage) => mean(ofPage.map(medianRatio)));
  const logRatio = mean(ofPages);
  // All cells may be off to the same side.
  const off = mean(pages.map((ofPage) => mean(ofPage.map(ratioOff))));
  const units = pages.length >= manyPages ? "pages" : "blocks";
  if (!hasLoadsEnough(cells)) return { logRatio, interval: null, probability: null, units };
  const weightOf = new Map(pages.flatMap((ofPage) => ofPage.map((cell) => [cell, 1 / (pages.length * ofPage.length)])));
  const weights = cells.map((cell) => weightOf.get(cell) as number);
  const errors = errorsOf(cells);
  const { variance, freedom } = units === "pages" ? byPages(ofPages) : byLoads(errors, weights);
  const error = Math.hypot(Math.sqrt(variance), leansBy(errors, weights));
  const reach = studentQuantile((1 - confidence) / 2, freedom) * error + off;
  const beyond = Math.max(0, Math.abs(logRatio) - off);
  const probability = error > 0 ? 2 * studentUpperTail(beyond / error, freedom) : beyond === 0 ? 1 : 0;
  return { logRatio, interval: { low: logRatio - reach, high: logRatio + reach }, probability, units };
}

/** What an interval needs, for who has too few loads. */
export function whatPoolingNeeds(cells: number): string {
  return cells === 2
    ? `an interval needs ${loadsOfTwo} valid loads of each lane`
    : `an interval needs ${loadsOfMore} valid loads of each lane on each of the ${cells} pages on links`;
}
