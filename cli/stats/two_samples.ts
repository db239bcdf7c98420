// Two sets of loads that were not paired, as those of two sweeps on different days: the rank-sum test (Wilcoxon 1945, Mann and
// Whitney 1947), exact and with midranks for ties, and Hodges and Lehmann's shift with the interval that belongs to it.
// Over several cells at once ranks are of each cell by itself and their sums are added up: stratified (van Elteren 1960, with
// the weights of cells left alike, so that the shift is the median of all differences within cells and its interval still the
// test's). Paired loads are signed_rank.ts's and hodges_lehmann.ts's, and say more.
import type { Interval } from "./bootstrap.ts";
import { doubledMidranks } from "./midranks.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { quantileOfSorted } from "./quantile.ts";

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

/** Chance of each sum of two independent ones. */
function convolved(one: Float64Array, other: Float64Array): Float64Array {
  const sums = new Float64Array(one.length + other.length - 1);
  one.forEach((chance, at) => {
    if (chance === 0) return;
    other.forEach((each, further) => {
      sums[at + further] = (sums[at + further] as number) + chance * each;
    });
  });
  return sums;
}

/** Chances, with samples of one kind, of values of `b` at least so great, at least so small, and so far off either way. */
export interface RankSumTails {
  readonly greater: number;
  readonly less: number;
  readonly twoSided: number;
}

const tailsOf = (greater: number, less: number): RankSumTails => ({
  greater: Math.min(1, greater),
  less: Math.min(1, less),
  twoSided: Math.min(1, 2 * Math.min(greater, less)),
});

function stratifiedTails(all: readonly Stratum[]): RankSumTails {
  const strata = bothLoaded(all);
  if (strata.length === 0) return tailsOf(1, 1);
  const ranked = strata.map(({ a, b }) => ({ a, b, ranks: [...doubledMidranks([...a, ...b])] }));
  const found = ranked.reduce(
    (sum, { a, ranks }) => sum + ranks.slice(0, a.length).reduce((own, rank) => own + rank, 0),
    0,
  );
  if (sizeOf(strata) <= exactUpTo) {
    const chance = ranked.map(({ a, ranks }) => nullDistribution(ranks, a.length)).reduce(convolved);
    const sumOf = (part: Float64Array): number => part.reduce((sum, value) => sum + value, 0);
    // Small ranks of `a` are great values of `b`.
    return tailsOf(sumOf(chance.subarray(0, found + 1)), sumOf(chance.subarray(found)));
  }
  let [expected, variance] = [0, 0];
  for (const { a, b, ranks } of ranked) {
    const n = ranks.length;
    const centre = ranks.reduce((sum, rank) => sum + rank, 0) / n;
    const spread = ranks.reduce((sum, rank) => sum + (rank - centre) ** 2, 0) / (n - 1);
    expected += centre * a.length;
    variance += (spread * a.length * b.length) / n;
  }
  if (variance === 0) return tailsOf(1, 1);
  // Half a rank for continuity, which is one in doubled ranks.
  const z = (above: number): number => (above - 1) / Math.sqrt(variance);
  return tailsOf(normalUpperTail(z(expected - found)), normalUpperTail(z(found - expected)));
}

/** Two-sided probability of samples of one kind in each cell being so far apart in ranks. 1 where there is nothing to compare. */
export function stratifiedRankSum(strata: readonly Stratum[]): number {
  return stratifiedTails(strata).twoSided;
}

/** Over one cell. */
export function rankSum(a: readonly number[], b: readonly number[]): RankSumTails {
  return stratifiedTails([{ a, b }]);
}

/** The least probability that so many values can have, when all of one sample lie beyond all of the other in each cell. */
export function leastRankSum(strata: readonly Stratum[]): number {
  let logWays = 0;
  for (const { a, b } of bothLoaded(strata))
    for (let chosen = 1; chosen <= a.length; chosen++) logWays += Math.log((b.length + chosen) / chosen);
  return Math.min(1, 2 * Math.exp(-logWays));
}

/** How many of the smallest differences lie outside an interval whose tail has at most this chance. */
function criticalCount(strata: readonly Stratum[], tail: number): number {
  const sizes = strata.map(({ a, b }) => ({ a: a.length, b: b.length }));
  const pairs = sizes.reduce((sum, { a, b }) => sum + a * b, 0);
  if (sizeOf(strata) <= exactUpTo) {
    const chance = sizes
      .map(({ a, b }) =>
        nullDistribution(
          Array.from({ length: a + b }, (_, index) => 2 * (index + 1)),
          a,
        ),
      )
      .reduce(convolved);
    // The rank sum counts the differences from its least value on, by twos because ranks are doubled.
    const least = sizes.reduce((total, { a }) => total + a * (a + 1), 0);
    let sum = 0;
    for (let k = 0; k <= pairs; k++) {
      sum += chance[least + 2 * k] ?? 0;
      if (sum > tail) return k;
    }
    return pairs;
  }
  const deviation = Math.sqrt(sizes.reduce((sum, { a, b }) => sum + (a * b * (a + b + 1)) / 12, 0));
  return Math.max(0, Math.floor(pairs / 2 - 0.5 - normalQuantile(tail) * deviation) + 1);
}

export interface SampleShift {
  /** How much greater values of `b` are than those of `a` in the same cell: the median of all differences. */
  readonly estimate: number;
  /** Null with too few values. */
  readonly interval: Interval | null;
}

/** Null where no cell has both samples. Any unit; `confidence` of the interval. */
export function stratifiedShift(all: readonly Stratum[], confidence = 0.95): SampleShift | null {
  const strata = bothLoaded(all);
  if (strata.length === 0) return null;
  const differences = Float64Array.from(strata.flatMap(({ a, b }) => a.flatMap((x) => b.map((y) => y - x)))).sort();
  const outside = criticalCount(strata, (1 - confidence) / 2);
  const [low, high] = [differences[outside - 1], differences[differences.length - outside]];
  return {
    estimate: quantileOfSorted(differences, 0.5),
    interval: low === undefined || high === undefined ? null : { low, high },
  };
}

/** Over one cell. */
export function sampleShift(a: readonly number[], b: readonly number[], confidence = 0.95): SampleShift | null {
  return stratifiedShift([{ a, b }], confidence);
}
