// Order statistics and spread of plain numbers. Empty input has no median: the caller must know what it asks for.

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** Quantile of values already sorted, linear between order statistics (type 7 of Hyndman and Fan, the default of R and NumPy). */
export function quantileOfSorted(values: ArrayLike<number>, probability: number): number {
  if (values.length === 0) throw new RangeError("quantile of no values");
  const position = (values.length - 1) * Math.min(1, Math.max(0, probability));
  const below = Math.floor(position);
  const low = values[below] as number;
  const high = values[Math.min(below + 1, values.length - 1)] as number;
  return low + (high - low) * (position - below);
}

/** How many of ascending values are at most `limit`: the place of the first that is above it. */
export function countThrough(ascending: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function quantile(values: readonly number[], probability: number): number {
  return quantileOfSorted(sorted(values), probability);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The least and the greatest value; null for none. Any number of values, which `Math.min(...values)` does not take. */
export function extremes(values: Iterable<number>): { readonly least: number; readonly greatest: number } | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least > greatest ? null : { least, greatest };
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("mean of no values");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1). */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError("standard deviation needs two values");
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Standard deviation over mean: how reproducible a load is. */
export function coefficientOfVariation(values: readonly number[]): number {
  return standardDeviation(values) / mean(values);
}
