// Two sets of loads that were not paired, as those of two machines: the rank-sum test (Wilcoxon 1945, Mann and Whitney 1947),
// exact and with midranks for ties, and Hodges and Lehmann's shift with the interval that belongs to it. It asks whether values of one
// tend to be greater; of medians under unlike noise median_test.ts asks. Paired loads are signed_rank.ts's and hodges_lehmann.ts's.

import type { Interval } from "../../base/interval.ts";
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

/** The doubled rank sum of so many least values: from it on, the sum counts the pairs in which `a` is greater. */
const leastSum = (chosen: number): number => chosen * (chosen + 1);

/** Chance of each doubled count of the pairs in which one of `chosen` is greater than one of the others. */
function pairChances(ranks: readonly number[], chosen: number): Float64Array {
  return nullDistribution(ranks, chosen).subarray(leastSum(chosen));
}

/** Of values of `b` being greater, or less, than with samples of one kind. */
export function rankSum(a: readonly number[], b: readonly number[]): Tails {
  if (a.length === 0 || b.length === 0) return tailsOf(1, 1);
  const ranks = [...doubledMidranks([...a, ...b])];
  const found = ranks.slice(0, a.length).reduce((sum, rank) => sum + rank, 0) - leastSum(a.length);
  const n = ranks.length;
  if (n <= exactUpTo) {
    const chance = pairChances(ranks, a.length);
    const sumOf = (part: Float64Array): number => part.reduce((sum, value) => sum + value, 0);
    // Small ranks of `a` are great values of `b`.
    return tailsOf(sumOf(chance.subarray(0, found + 1)), sumOf(chance.subarray(found)));
  }
  const centre = ranks.reduce((sum, rank) => sum + rank, 0) / n;
  const spread = ranks.reduce((sum, rank) => sum + (rank - centre) ** 2, 0) / (n - 1);
  const variance = (spread * a.length * b.length) / n;
  if (variance === 0) return tailsOf(1, 1);
  const expected = a.length * b.length;
  // Half a pair for continuity, in doubled counts a whole one.
  const z = (above: number): number => (above - 1) / Math.sqrt(variance);
  return tailsOf(normalUpperTail(z(expected - found)), normalUpperTail(z(found - expected)));
}

/** How many of the smallest differences have at most the chance `tail`; below 0: not even none of them. */
function refusedPairs(a: number, b: number, tail: number): number {
  if (a + b <= exactUpTo) {
    const ranks = Array.from({ length: a + b }, (_, index) => 2 * (index + 1));
    // Without ties every other doubled count has no chance.
    const chance = pairChances(ranks, a).filter((_, count) => count % 2 === 0);
    let [sum, pairs] = [chance[0] as number, 0];
    while (sum <= tail) sum += chance[++pairs] ?? 1;
    return pairs - 1;
  }
  return (a * b - 1) / 2 - normalQuantile(tail) * Math.sqrt((a * b * (a + b + 1)) / 12);
}

interface SampleShift {
  /** How much greater values of `b` are than those of `a`: the median of all differences. */
  readonly estimate: number;
  /** Null with too few values. */
  readonly interval: Interval | null;
}

/** Null where a sample is empty. Any unit; `confidence` of the interval. */
export function sampleShift(a: readonly number[], b: readonly number[], confidence = 0.95): SampleShift | null {
  if (a.length === 0 || b.length === 0) return null;
  const sorted = { a: Float64Array.from(a).sort(), b: Float64Array.from(b).sort() };
  // From above, the differences are those of `a` to `b`, negative.
  const sides = [sorted, { a: sorted.b, b: sorted.a }];
  const half = (a.length * b.length) / 2;
  const [low, high] = sides.map((side) => leastDifference(side, (pairs) => pairs >= half));
  const refused = refusedPairs(a.length, b.length, (1 - confidence) / 2);
  const [from, to] =
    refused < 0 ? [null, null] : sides.map((side) => leastDifference(side, (pairs) => pairs > refused));
  return {
    estimate: ((low as number) - (high as number)) / 2,
    interval: typeof from !== "number" || typeof to !== "number" ? null : { low: from, high: -to },
  };
}

/** In ascending order. */
interface SortedSamples {
  readonly a: Float64Array;
  readonly b: Float64Array;
}

/** How many differences there are up to `value`, the greatest of them, and the least beyond. */
function splitAt({ a, b }: SortedSamples, value: number): { below: number; last: number; next: number } {
  let [below, last, next, end] = [0, -Infinity, Infinity, 0];
  for (const x of a) {
    while (end < b.length && (b[end] as number) - x <= value) end++;
    below += end;
    if (end > 0) last = Math.max(last, (b[end - 1] as number) - x);
    if (end < b.length) next = Math.min(next, (b[end] as number) - x);
  }
  return { below, last, next };
}

/** The least difference `b - a` up to which there are enough; null: all of them are not. */
export function leastDifference(samples: SortedSamples, isEnough: (pairs: number) => boolean): number | null {
  const ends = splitAt(samples, Infinity);
  if (!isEnough(ends.below)) return null;
  const least = splitAt(samples, -Infinity);
  let [low, high] = [least.next, ends.last];
  while (low < high) {
    const half = low + (high - low) / 2;
    // Of neighbouring numbers the half is rounded to one of them.
    const middle = half < high ? half : low;
    const { below, last, next } = splitAt(samples, middle);
    if (isEnough(below)) high = last;
    else low = next;
  }
  return high;
}
