// The congestion window at the sender over its samples: its median. The series itself is exported as it is.
import { quantileOfSorted } from "../../../base/quantile.ts";
import { type Measured, missing } from "./measured.ts";

/** In bytes. */
export function windowMedian_bytes(cwnd_bytes: Float64Array): Measured {
  if (cwnd_bytes.length === 0) return missing("the sender has no congestion window");
  return quantileOfSorted(cwnd_bytes.toSorted(), 0.5);
}
