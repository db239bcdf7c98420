// The test behind every "faster": whether the medians of two lanes' loads differ, whatever the shapes of their noise. By median_test.ts,
// which takes nothing for granted and so shows little by few loads. Two lanes that lie wholly apart, all loads of one beyond all of
// the other and by a good part of their ranges, show more: so lie lanes of one median hardly ever, also where one's loads are much more
// alike than the other's or of two kinds. How seldom was found by simulation (test/cli/results/stats/two_samples.slow.test.ts): of n loads
// each in at most one of 2^(n + 1) studies. Any unit; logarithms of PLTs make it a ratio.
import { extremes, median } from "../../base/quantile.ts";
import { leastMedianShift, medianShiftTails, medianTails } from "./median_test.ts";
import { type Tails, tailsOf } from "./tails.ts";

/** With fewer loads of either lane nothing is shown. */
const fewestApart = 5;
/** Between them, of the wider one's range. */
const minSeparation = 0.35;

/** 1: all of b lie beyond all of a, -1: before, 0: neither. */
function sideOf(a: readonly number[], b: readonly number[], shift: number): -1 | 0 | 1 {
  const [one, other] = [extremes(a), extremes(b)];
  if (!one || !other) return 0;
  const [after, before] = [other.least - one.greatest - shift, one.least - other.greatest + shift];
  const enough = minSeparation * Math.max(one.greatest - one.least, other.greatest - other.least);
  if (after > 0 && after >= enough) return 1;
  return before > 0 && before >= enough ? -1 : 0;
}

/** Two-sided, of two samples that lie apart, the smaller one of `n`. */
const apartProbability = (n: number): number => 0.5 ** (n + 1);

/** What is shown by all of b, `n` values, lying on one side of a, where that shows more. */
function orApart(tails: Tails, n: number, side: -1 | 0 | 1): Tails {
  if (n < fewestApart || side === 0) return tails;
  const apart = apartProbability(n) / 2;
  return side === 1
    ? tailsOf(Math.min(tails.greater, apart), tails.less)
    : tailsOf(tails.greater, Math.min(tails.less, apart));
}

/** Tails of the test that median(b) - median(a) = `shift`: a small `greater` shows that it is greater. */
export function differenceTails(a: readonly number[], b: readonly number[], shift = 0): Tails {
  return orApart(medianShiftTails(a, b, shift), Math.min(a.length, b.length), sideOf(a, b, shift));
}

/** From this share of blocks on, both of whose loads lie on the same side of their medians, lanes are taken to vary together. */
const varyTogether = 0.75;

/** Whether what blocks share outweighs what their loads do not, by half a standard error more than is seen, since few agree by chance. */
function doVaryTogether(a: readonly number[], b: readonly number[]): boolean {
  const [ofA, ofB] = [median(a), median(b)];
  const sides = a.map((value, block) => Math.sign(value - ofA) * Math.sign((b[block] as number) - ofB));
  const share = sides.reduce((sum, side) => sum + (side + 1) / 2, 0) / sides.length;
  return share - 0.5 / Math.sqrt(sides.length) >= varyTogether;
}

/** The differences b - a of blocks that have both, where lanes vary together; else null. */
function differencesTogether(a: Float64Array, b: Float64Array): number[] | null {
  const blocks = [...a.keys()].filter((block) => !Number.isNaN(a[block]) && !Number.isNaN(b[block]));
  const [ofA, ofB] = [a, b].map((values) => blocks.map((block) => values[block] as number)) as [number[], number[]];
  if (blocks.length < fewestApart || !doVaryTogether(ofA, ofB)) return null;
  return ofB.map((value, index) => value - (ofA[index] as number));
}

const known = (values: Float64Array): number[] => [...values].filter((value) => !Number.isNaN(value));

/**
 * The same of loads in blocks, NaN where a block has none: where lanes vary together, as in slow minutes of a machine, of the median of
 * the blocks' differences, which is known much better. It is the difference of the medians if noise is alike on both sides; of a lane
 * with loads of two kinds, or of a long side, it may lie 3 % off where minutes differ by more than its loads do
 * (`npm run bench -- coverage --only decisions-together`).
 */
export function blockDifferenceTails(a: Float64Array, b: Float64Array, shift = 0): Tails {
  const differences = differencesTogether(a, b);
  if (differences === null) return differenceTails(known(a), known(b), shift);
  return pairedTails(differences, shift);
}

/** Tails of the test that the median of paired differences is `shift`. */
export function pairedTails(differences: readonly number[], shift = 0): Tails {
  return orApart(medianTails(differences, shift), differences.length, sideOf([0], differences, shift));
}

/** The least two-sided probability that so many paired differences can have, however far from 0. */
export const leastPairedDifference = (n: number): number =>
  Math.min(1, 2 * 0.5 ** n, n < fewestApart ? 1 : apartProbability(n));

/** What blockDifferenceTails() tests, as it is found in the loads: median(b) - median(a). */
export function blockDifference(a: Float64Array, b: Float64Array): number {
  const differences = differencesTogether(a, b);
  return differences ? median(differences) : median(known(b)) - median(known(a));
}

/** The least two-sided probability that samples of so many values can have, however far apart. */
export function leastDifference(a: number, b: number): number {
  const n = Math.min(a, b);
  return Math.min(leastMedianShift(a, b), n < fewestApart ? 1 : apartProbability(n));
}
