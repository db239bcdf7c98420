// The shift between paired loads: Hodges and Lehmann's estimate (1963), the median of the Walsh averages of the
// differences, with the interval that belongs to the signed-rank test. One bad load moves it little, unlike a mean, and it
// uses more of the data than a median of differences.
import type { Interval } from "../../base/interval.ts";
import { quantileOfSorted } from "../../base/quantile.ts";
import { signedRankCritical } from "./signed_rank.ts";

interface Shift {
  readonly estimate: number;
  /** Null with too few differences: five hold 93.75 % at most, six 96.9 %. */
  readonly interval: Interval | null;
  readonly n: number;
}

/** The averages of all pairs of more differences would be too many to keep. */
const mostDifferences = 2000;

/** (a + b) / 2 of all pairs, each value with itself too, in order. */
function walshAverages(differences: readonly number[]): Float64Array {
  const n = differences.length;
  const averages = new Float64Array((n * (n + 1)) / 2);
  let count = 0;
  for (let a = 0; a < n; a++)
    for (let b = a; b < n; b++) averages[count++] = ((differences[a] as number) + (differences[b] as number)) / 2;
  return averages.sort();
}

/** Shift of the differences, in their unit, with its interval of `confidence`. Null for no differences. */
export function shift(differences: readonly number[], confidence = 0.95): Shift | null {
  const n = differences.length;
  if (n === 0) return null;
  if (n > mostDifferences) throw new RangeError(`shift of ${n} differences: sum them up by page first`);
  const averages = walshAverages(differences);
  const outside = signedRankCritical(n, (1 - confidence) / 2);
  const low = averages[outside - 1];
  const high = averages[averages.length - outside];
  return {
    estimate: quantileOfSorted(averages, 0.5),
    interval: low === undefined || high === undefined ? null : { low, high },
    n,
  };
}
