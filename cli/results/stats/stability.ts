// Whether a cell's loads are of one kind: a drift over the sweep's time, and loads far from the others. Diagnosis only: nothing
// is left out for being far away, because a rare slow load may be the protocol's own.

import { median } from "../../base/quantile.ts";
import { normalUpperTail } from "./normal_tail.ts";

export interface Drift {
  /** Theil and Sen's slope (Sen 1968), per load, in the values' unit. */
  readonly perLoad: number;
  /** Two-sided probability of such an order without a drift (Mann 1945, Kendall, corrected for ties). */
  readonly probability: number;
}

/** With fewer loads no order is unlikely. */
const fewest = 8;

/** Of more, evenly spaced ones are compared: pairs grow with the square of the values, and a drift shows in this many as well. */
const mostCompared = 500;

/** Indices of the values to compare, the first and the last among them. */
function comparedOf(values: readonly number[]): number[] {
  const n = Math.min(values.length, mostCompared);
  return Array.from({ length: n }, (_, each) => Math.round((each * (values.length - 1)) / (n - 1)));
}

/** Trend of values in the order they were measured (of more than 500: of as many of them); null for fewer than eight. */
export function drift(values: readonly number[]): Drift | null {
  if (values.length < fewest) return null;
  const compared = comparedOf(values).map((at) => ({ at, value: values[at] as number }));
  const n = compared.length;
  const slopes: number[] = [];
  let score = 0;
  for (const [index, a] of compared.entries())
    for (const b of compared.slice(index + 1)) {
      const rise = b.value - a.value;
      slopes.push(rise / (b.at - a.at));
      score += Math.sign(rise);
    }
  const tied = [...Map.groupBy(compared, ({ value }) => value).values()].map((group) => group.length);
  const spread = (size: number): number => size * (size - 1) * (2 * size + 5);
  const variance = (spread(n) - tied.reduce((sum, size) => sum + spread(size), 0)) / 18;
  const z = variance > 0 ? Math.max(0, Math.abs(score) - 1) / Math.sqrt(variance) : 0;
  return { perLoad: median(slopes), probability: Math.min(1, 2 * normalUpperTail(z)) };
}

/** From here on a load is called far away: of normal loads one in three million. */
const farAway = 5;
/** Makes the median absolute deviation of normal values their standard deviation. */
const toDeviation = 1.4826;

/** Indices of values far from the median, by the median absolute deviation (Hampel 1974); none where over half are alike. */
export function outliers(values: readonly number[]): number[] {
  if (values.length < fewest) return [];
  const centre = median(values);
  const deviation = toDeviation * median(values.map((value) => Math.abs(value - centre)));
  if (deviation === 0) return [];
  return values.flatMap((value, index) => (Math.abs(value - centre) > farAway * deviation ? [index] : []));
}
