// Queueing delay of a flow's packets at the bottleneck: waiting and transmission, without propagation. From the shaper's bins, of which
// each has its packets' mean: quantiles are over packets, as if all of a bin had waited alike.
import { type Measured, missing } from "./measured.ts";

export interface DelayBins {
  readonly queue_delay_sum_ns: ArrayLike<number>;
  readonly left_packets: ArrayLike<number>;
}

/** How many packets must lie beyond a quantile for it to be more than the largest value's luck. */
const fewestBeyond = 1;

/** In ms. */
export function queueDelay_ms({ queue_delay_sum_ns, left_packets }: DelayBins, probability: number): Measured {
  const packets = Array.from(left_packets);
  const total = packets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return missing("no packet of it left the link");
  if (total * (1 - probability) < fewestBeyond)
    return missing(`${total} packets are too few for the ${Math.round(probability * 100)}th percentile`);
  const means_ms = packets.map((count, bin) => (queue_delay_sum_ns[bin] as number) / count / 1e6);
  return weightedQuantile(means_ms, packets, probability) as number;
}

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
