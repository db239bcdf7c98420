// Queueing delay of a flow's packets at the bottleneck: waiting and transmission, without propagation. From the shaper's bins, of which
// each has its packets' mean: quantiles are over packets, as if all of a bin had waited alike.
import { type Measured, missing } from "./measured.ts";
import { weightedQuantile } from "./weighted_quantile.ts";

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
