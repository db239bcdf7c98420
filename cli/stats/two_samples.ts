// Two sets of loads that were not paired, as those of two sweeps on different days: the rank-sum test (Wilcoxon 1945, Mann and
// Whitney 1947), exact and with midranks for ties, and Hodges and Lehmann's shift with the interval that belongs to it.
// Paired loads are signed_rank.ts's and hodges_lehmann.ts's, and say more.
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

/** Two-sided probability of two samples of one kind being so far apart in ranks. 1 where one is empty. */
export function rankSum(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 1;
  const ranks = [...doubledMidranks([...a, ...b])];
  const found = ranks.slice(0, a.length).reduce((sum, rank) => sum + rank, 0);
  if (ranks.length <= exactUpTo) {
    const chance = nullDistribution(ranks, a.length);
    const less = chance.subarray(0, found + 1).reduce((sum, value) => sum + value, 0);
    const greater = chance.subarray(found).reduce((sum, value) => sum + value, 0);
    return Math.min(1, 2 * Math.min(less, greater));
  }
  const n = ranks.length;
  const centre = ranks.reduce((sum, rank) => sum + rank, 0) / n;
  const spread = ranks.reduce((sum, rank) => sum + (rank - centre) ** 2, 0) / (n - 1);
  const variance = (spread * a.length * b.length) / n;
  // Half a rank for continuity, which is one in doubled ranks.
  const z = Math.max(0, Math.abs(found - centre * a.length) - 1) / Math.sqrt(variance);
  return variance > 0 ? Math.min(1, 2 * normalUpperTail(z)) : 1;
}

/** How many of the smallest differences lie outside an interval whose tail has at most this chance. */
function criticalCount(a: number, b: number, tail: number): number {
  if (a + b <= exactUpTo) {
    const ranks = Array.from({ length: a + b }, (_, index) => 2 * (index + 1));
    const chance = nullDistribution(ranks, a);
    // The rank sum counts the differences from its least value on, by twos because ranks are doubled.
    const least = a * (a + 1);
    let sum = 0;
    for (let k = 0; k <= a * b; k++) {
      sum += chance[least + 2 * k] ?? 0;
      if (sum > tail) return k;
    }
    return a * b;
  }
  const deviation = Math.sqrt((a * b * (a + b + 1)) / 12);
  return Math.max(0, Math.floor((a * b) / 2 - 0.5 - normalQuantile(tail) * deviation) + 1);
}

export interface SampleShift {
  /** How much greater values of `b` are than those of `a`: the median of all differences. */
  readonly estimate: number;
  /** Null with too few values. */
  readonly interval: Interval | null;
}

/** Null where one of them is empty. Any unit; `confidence` of the interval. */
export function sampleShift(a: readonly number[], b: readonly number[], confidence = 0.95): SampleShift | null {
  if (a.length === 0 || b.length === 0) return null;
  const differences = Float64Array.from(a.flatMap((x) => b.map((y) => y - x))).sort();
  const outside = criticalCount(a.length, b.length, (1 - confidence) / 2);
  const [low, high] = [differences[outside - 1], differences[differences.length - outside]];
  return {
    estimate: quantileOfSorted(differences, 0.5),
    interval: low === undefined || high === undefined ? null : { low, high },
  };
}
