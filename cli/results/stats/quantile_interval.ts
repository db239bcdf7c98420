// How long the slowest loads take: a quantile's interval from order statistics, exact whatever the distribution (how many of n
// values lie below their true quantile is binomial), and the difference between two samples' quantiles. Values that are
// independent but not of one kind, as loads of several pages, make the interval wider than needed, never too narrow
// (Hoeffding 1956). Medians have intervals of their own, which are narrower: median_interval.ts.
import { confidence, type Interval } from "../../base/interval.ts";
import { quantileOfSorted } from "../../base/quantile.ts";
import { binomialChances } from "./binomial.ts";

const tail = (1 - confidence) / 2;

/** The fewest values with which a 95 % interval of the quantile has both ends: 36 for p90, 72 for p95. */
export function fewestForQuantile(probability: number): number {
  return Math.ceil(Math.log(tail) / Math.log(Math.max(probability, 1 - probability)));
}

/** Values in ascending order, any unit, 0 < probability < 1. Null with too few values. */
export function quantileInterval(ascending: Float64Array, probability: number): Interval | null {
  const n = ascending.length;
  const chances = binomialChances(n, probability);
  let [below, outside] = [0, 0];
  while (below < n && outside + (chances[below] as number) <= tail) outside += chances[below++] as number;
  let [above, beyond] = [n, 0];
  while (above > 0 && beyond + (chances[above] as number) <= tail) beyond += chances[above--] as number;
  // The true quantile lies below the value of rank `below` in at most `tail`, and beyond that of rank `above` + 1.
  const [low, high] = [ascending[below - 1], ascending[above]];
  return low === undefined || high === undefined ? null : { low, high };
}

interface QuantileDifference {
  readonly a: number;
  readonly b: number;
  /** b - a. */
  readonly difference: number;
  /** 95 %; null with too few values of either. */
  readonly interval: Interval | null;
}

/**
 * Difference of two samples' quantiles, any unit. The interval is put together from both quantiles' own (MOVER: Zou and Donner
 * 2008), which keeps it as lopsided as the tail is. Pairing is not used: what moves both samples makes it wider than needed.
 * RangeError for an empty sample.
 */
export function quantileDifference(
  a: readonly number[],
  b: readonly number[],
  probability: number,
): QuantileDifference {
  const [ofA, ofB] = [Float64Array.from(a).sort(), Float64Array.from(b).sort()];
  const [atA, atB] = [quantileOfSorted(ofA, probability), quantileOfSorted(ofB, probability)];
  const [aroundA, aroundB] = [quantileInterval(ofA, probability), quantileInterval(ofB, probability)];
  const difference = atB - atA;
  const interval =
    aroundA && aroundB
      ? {
          low: difference - Math.hypot(atB - aroundB.low, aroundA.high - atA),
          high: difference + Math.hypot(aroundB.high - atB, atA - aroundA.low),
        }
      : null;
  return { a: atA, b: atB, difference, interval };
}
