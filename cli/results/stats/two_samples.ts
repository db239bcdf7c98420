// Two sets of loads that were not paired, as those of two sweeps on different days: the rank-sum test (Wilcoxon 1945, Mann and
// Whitney 1947), exact and with midranks for ties, and Hodges and Lehmann's shift with the interval that belongs to it.
// Over several cells at once ranks are of each cell by itself and their sums are added up, each divided by its number of pairs
// (van Elteren 1960, his design-free weights). So each cell counts as one, however often it was loaded: sweeps that load until
// they can tell load noisy cells most, and those are not to outvote the others. His other weights, 1 / (n + 1), would lose less
// where all cells shift alike, but let a cell of 30 loads weigh as much as six of 5. A signed-rank test over the cells' shifts
// weighs alike too, but needs more cells to show anything. The shift is the median of the differences within cells, weighted in
// the same way, and its interval the test's. Paired loads are signed_rank.ts's and hodges_lehmann.ts's, and say more.

import type { Interval } from "../../base/interval.ts";
import { leastDifference, type SortedStratum } from "./difference_quantile.ts";
import { doubledMidranks } from "./midranks.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { type Tails, tailsOf } from "./tails.ts";

/** Up to so many values in both together the distribution is counted out. */
const exactUpTo = 80;

/** Chance of each sum of `chosen` of the ranks, when each choice is as likely. */
function nullDistribution(ranks: readonly number[], chosen: number): Float64Array {
  const most = ranks
    .toSorted((x, y) => y - x)
    .slice(0, chosen)
    .reduce((sum, rank) => sum + rank, 0);
  const ways = Array.from({ length: chosen + 1 }, () => new Float64Array(most + 1));
  (ways[0] as Float64Array)[0] = 1;
  ranks.forEach((rank, index) => {
    for (let count = Math.min(chosen, index + 1); count > 0; count--) {
      const [into, from] = [ways[count] as Float64Array, ways[count - 1] as Float64Array];
      for (let sum = most; sum >= rank; sum--) into[sum] = (into[sum] as number) + (from[sum - rank] as number);
    }
  });
  const counts = ways[chosen] as Float64Array;
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / all);
}

/** Two samples of one cell. */
export interface Stratum {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const sizeOf = (strata: readonly Stratum[]): number => strata.reduce((sum, { a, b }) => sum + a.length + b.length, 0);
const bothLoaded = (strata: readonly Stratum[]): Stratum[] => strata.filter(({ a, b }) => a.length > 0 && b.length > 0);

/** Greater weights in whole numbers would make the exact distribution too long; rounded ones are a test as exact. */
const mostWeight = 5040;

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const pairsOf = ({ a, b }: Stratum): number => a.length * b.length;

/** What a pair of each cell weighs, 1 or more: in whole numbers where the distribution is counted out. */
function weightsOf(strata: readonly Stratum[]): number[] {
  const pairs = strata.map(pairsOf);
  if (sizeOf(strata) > exactUpTo) {
    const most = pairs.reduce((one, other) => Math.max(one, other));
    return pairs.map((each) => most / each);
  }
  const common = pairs.reduce((all, each) => Math.min(mostWeight, (all * each) / divisor(all, each)), 1);
  return pairs.map((each) => Math.max(1, Math.round(common / each)));
}

interface Weighted {
  /** Of each count of pairs, doubled. */
  readonly chance: Float64Array;
  readonly weight: number;
}

/** Chance of each weighted sum of independent counts. */
function weightedSum(cells: readonly Weighted[]): Float64Array {
  return cells.reduce((one, { chance, weight }) => {
    const sums = new Float64Array(one.length + weight * (chance.length - 1));
    chance.forEach((each, count) => {
      if (each === 0) return;
      const further = weight * count;
      one.forEach((other, at) => {
        if (other > 0) sums[at + further] = (sums[at + further] as number) + other * each;
      });
    });
    return sums;
  }, Float64Array.of(1));
}

/** The doubled rank sum of so many least values: from it on, the sum counts the pairs in which `a` is greater. */
const leastSum = (chosen: number): number => chosen * (chosen + 1);

/** Chance of each doubled count of the pairs in which one of `chosen` is greater than one of the others. */
function pairChances(ranks: readonly number[], chosen: number): Float64Array {
  return nullDistribution(ranks, chosen).subarray(leastSum(chosen));
}

/** Of values of `b` being greater, or less, than with samples of one kind. */
function stratifiedTails(all: readonly Stratum[]): Tails {
  const strata = bothLoaded(all);
  if (strata.length === 0) return tailsOf(1, 1);
  const weights = weightsOf(strata);
  const ranked = strata.map(({ a, b }, index) => {
    const ranks = [...doubledMidranks([...a, ...b])];
    const own = ranks.slice(0, a.length).reduce((sum, rank) => sum + rank, 0);
    return { a, b, ranks, weight: weights[index] as number, pairs: own - leastSum(a.length) };
  });
  const found = ranked.reduce((sum, { weight, pairs }) => sum + weight * pairs, 0);
  if (sizeOf(strata) <= exactUpTo) {
    const chance = weightedSum(
      ranked.map(({ a, ranks, weight }) => ({ chance: pairChances(ranks, a.length), weight })),
    );
    const sumOf = (part: Float64Array): number => part.reduce((sum, value) => sum + value, 0);
    // Small ranks of `a` are great values of `b`.
    return tailsOf(sumOf(chance.subarray(0, found + 1)), sumOf(chance.subarray(found)));
  }
  let [expected, variance] = [0, 0];
  for (const { a, b, ranks, weight } of ranked) {
    const n = ranks.length;
    const centre = ranks.reduce((sum, rank) => sum + rank, 0) / n;
    const spread = ranks.reduce((sum, rank) => sum + (rank - centre) ** 2, 0) / (n - 1);
    expected += weight * a.length * b.length;
    variance += (weight ** 2 * spread * a.length * b.length) / n;
  }
  if (variance === 0) return tailsOf(1, 1);
  // Half a pair for continuity, in doubled counts a whole one: of the greatest weight, because cells of few loads go in large steps.
  const z = (above: number): number => (above - Math.max(...weights)) / Math.sqrt(variance);
  return tailsOf(normalUpperTail(z(expected - found)), normalUpperTail(z(found - expected)));
}

/** Two-sided probability of samples of one kind in each cell being so far apart in ranks. 1 where there is nothing to compare. */
export function stratifiedRankSum(strata: readonly Stratum[]): number {
  return stratifiedTails(strata).twoSided;
}

/** Over one cell. */
export function rankSum(a: readonly number[], b: readonly number[]): Tails {
  return stratifiedTails([{ a, b }]);
}

/** The least probability that so many values can have, when all of one sample lie beyond all of the other in each cell. */
export function leastRankSum(strata: readonly Stratum[]): number {
  let logWays = 0;
  for (const { a, b } of bothLoaded(strata))
    for (let chosen = 1; chosen <= a.length; chosen++) logWays += Math.log((b.length + chosen) / chosen);
  return Math.min(1, 2 * Math.exp(-logWays));
}

/** The greatest weight of the smallest differences that has at most the chance `tail`; below 0: none has. */
function refusedWeight(strata: readonly Stratum[], weights: readonly number[], tail: number): number {
  const sizes = strata.map(({ a, b }, index) => ({ a: a.length, b: b.length, weight: weights[index] as number }));
  if (sizeOf(strata) <= exactUpTo) {
    const cells = sizes.map(({ a, b, weight }) => {
      const ranks = Array.from({ length: a + b }, (_, index) => 2 * (index + 1));
      // Without ties every other doubled count has no chance.
      return { chance: pairChances(ranks, a).filter((_, count) => count % 2 === 0), weight };
    });
    const chance = weightedSum(cells);
    let [sum, weight] = [chance[0] as number, 0];
    while (sum <= tail) sum += chance[++weight] ?? 1;
    return weight - 1;
  }
  const half = sizes.reduce((sum, { a, b, weight }) => sum + weight * a * b, 0) / 2;
  const deviation = Math.sqrt(
    sizes.reduce((sum, { a, b, weight }) => sum + (weight ** 2 * a * b * (a + b + 1)) / 12, 0),
  );
  return half - Math.max(...weights) / 2 - normalQuantile(tail) * deviation;
}

export interface SampleShift {
  /** How much greater values of `b` are than those of `a` in the same cell: the median of all differences, each cell weighing alike. */
  readonly estimate: number;
  /** Null with too few values. */
  readonly interval: Interval | null;
}

/** Null where no cell has both samples. Any unit; `confidence` of the interval. */
export function stratifiedShift(all: readonly Stratum[], confidence = 0.95): SampleShift | null {
  const strata = bothLoaded(all);
  if (strata.length === 0) return null;
  const weights = weightsOf(strata);
  const sorted = strata.map(({ a, b }, index): SortedStratum => {
    return { a: Float64Array.from(a).sort(), b: Float64Array.from(b).sort(), weight: weights[index] as number };
  });
  // From above, the differences are those of `a` to `b`, negative.
  const swapped = sorted.map(({ a, b, weight }) => ({ a: b, b: a, weight }));
  const total = sorted.reduce((sum, { a, b, weight }) => sum + weight * (a.length * b.length), 0);
  const [low, high] = [sorted, swapped].map((side) => leastDifference(side, (weight) => weight >= total / 2));
  const refused = refusedWeight(strata, weights, (1 - confidence) / 2);
  const ends = [sorted, swapped].map((side) => leastDifference(side, (weight) => weight > refused));
  const [from, to] = refused < 0 ? [null, null] : ends;
  return {
    estimate: ((low as number) - (high as number)) / 2,
    interval: typeof from !== "number" || typeof to !== "number" ? null : { low: from, high: -to },
  };
}

/** Over one cell. */
export function sampleShift(a: readonly number[], b: readonly number[], confidence = 0.95): SampleShift | null {
  return stratifiedShift([{ a, b }], confidence);
}
