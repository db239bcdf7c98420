// Quantile of values that stand for several each. Pure.

/**
 * The least value up to which at least `probability` of the weight lies; null for no weight. Values without a positive weight count for
 * nothing.
 */
export function weightedQuantile(
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  probability: number,
): number | null {
  const order = Array.from({ length: values.length }, (_, index) => index).filter((index) => (weights[index] ?? 0) > 0);
  order.sort((a, b) => (values[a] as number) - (values[b] as number));
  const total = order.reduce((sum, index) => sum + (weights[index] as number), 0);
  let sum = 0;
  for (const index of order) {
    sum += weights[index] as number;
    if (sum >= probability * total) return values[index] as number;
  }
  return null;
}
