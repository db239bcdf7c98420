// Quantiles of the differences between two samples, without listing the differences: of two samples of
// 5000 there are 25 million. By bisection over values, each step of which counts in one pass through the sorted samples. No test;
// two_samples.ts is that.

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
