// Round-trip time under load: what the sender's transport measured (smoothed, RFC 6298), in its samples while the flow ran.
import { quantileOfSorted } from "../../../base/quantile.ts";
import { placeAfter, type Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

/** Values of a series within a span, without those that are unavailable (NaN). */
export function within(time_ms: ArrayLike<number>, values: ArrayLike<number>, { from_ms, to_ms }: Span): Float64Array {
  const end = placeAfter(time_ms, to_ms);
  let from = placeAfter(time_ms, from_ms);
  while (from > 0 && (time_ms[from - 1] as number) === from_ms) from--;
  return Float64Array.from({ length: Math.max(0, end - from) }, (_, index) => values[from + index] as number).filter(
    (value) => !Number.isNaN(value),
  );
}

/** In ms; 0 is what a transport says before it measured. */
export function rttQuantile_ms(srtt_ns: Float64Array, probability: number): Measured {
  const measured = srtt_ns.filter((rtt_ns) => rtt_ns > 0).sort();
  if (measured.length === 0) return missing("the sender measured no round trip");
  return quantileOfSorted(measured, probability) / 1e6;
}

/** In ms. */
export function minimumRtt_ms(min_rtt_ns: Float64Array): Measured {
  const measured = min_rtt_ns.filter((rtt_ns) => rtt_ns > 0);
  if (measured.length === 0) return missing("the sender measured no round trip");
  return measured.reduce((least, rtt_ns) => Math.min(least, rtt_ns)) / 1e6;
}
