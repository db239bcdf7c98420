// Percentile bootstrap intervals, seeded, for figures over many pages; fewer pages have better ones (median_interval.ts,
// pooled_cells.ts). Percentile and not BCa, because BCa's acceleration comes from a jackknife, and the jackknife of a
// median takes two or three values only; test/cli/results/verdict/coverage.slow.test.ts shows what they cover.
import { confidence, type Interval } from "../../base/interval.ts";
import { quantileOfSorted } from "../../base/quantile.ts";
import type { RandomSource } from "../../base/random.ts";

export const defaultResamples = 2000;

/** Middle 95 % of `statistic` over resamples; `statistic` draws its own resample from the source. NaN: that draw says nothing. */
export function resampledInterval(
  statistic: (random: RandomSource) => number,
  random: RandomSource,
  resamples = defaultResamples,
): Interval | null {
  const drawn = new Float64Array(resamples);
  let count = 0;
  for (let index = 0; index < resamples; index++) {
    const value = statistic(random);
    if (!Number.isNaN(value)) drawn[count++] = value;
  }
  // A few draws without a value (a ratio to nothing) are harmless; many would bias the interval.
  if (count < resamples * 0.95) return null;
  const values = drawn.subarray(0, count).sort();
  const tail = (1 - confidence) / 2;
  return { low: quantileOfSorted(values, tail), high: quantileOfSorted(values, 1 - tail) };
}
