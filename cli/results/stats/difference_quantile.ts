// Weighted quantiles of the differences between two samples within cells, without listing the differences: of two samples of
// 5000 there are 25 million. By bisection over values, each step of which counts in one pass through the sorted samples. No test;
// two_samples.ts is that.

/** One cell's samples, sorted, and what each of its differences weighs. */
export interface SortedStratum {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly weight: number;
}

/** What the differences up to `value` weigh, the greatest of them, and the least beyond. */
function splitAt(strata: readonly SortedStratum[], value: number): { below: number; last: number; next: number } {
  let [below, last, next] = [0, -Infinity, Infinity];
  for (const { a, b, weight } of strata) {
    let [within, end] = [0, 0];
    for (const x of a) {
      while (end < b.length && (b[end] as number) - x <= value) end++;
      within += end;
      if (end > 0) last = Math.max(last, (b[end - 1] as number) - x);
      if (end < b.length) next = Math.min(next, (b[end] as number) - x);
    }
    below += weight * within;
  }
  return { below, last, next };
}

/** The least difference `b - a` up to which the differences weigh enough; null: all of them do not. */
export function leastDifference(
  strata: readonly SortedStratum[],
  isEnough: (weight: number) => boolean,
): number | null {
  const ends = splitAt(strata, Infinity);
  if (!isEnough(ends.below)) return null;
  const least = splitAt(strata, -Infinity);
  let [low, high] = [least.next, ends.last];
  while (low < high) {
    const half = low + (high - low) / 2;
    // Of neighbouring numbers the half is rounded to one of them.
    const middle = half < high ? half : low;
    const { below, last, next } = splitAt(strata, middle);
    if (isEnough(below)) high = last;
    else low = next;
  }
  return high;
}
