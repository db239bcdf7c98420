// What a sender's samples say: its congestion window, how smooth it is, and its round-trip times. Pure.
import { countThrough, quantileOfSorted } from "../../../base/quantile.ts";
import type { Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

// The congestion window at the sender over its samples: its median. The series itself is exported as it is.

/** In bytes. */
export function windowMedian_bytes(cwnd_bytes: Float64Array): Measured {
  if (cwnd_bytes.length === 0) return missing("the sender has no congestion window");
  return quantileOfSorted(cwnd_bytes.toSorted(), 0.5);
}

// Smoothness as RFC 5166 (2.2.2) has it from Floyd, Handley and Padhye (2000): by what part the sending rate falls within one round trip,
// at most. Taken of the window, which is the rate times the round trip: Reno halves it (0.5), CUBIC keeps 0.7 of it (0.3). A time-out
// cuts it to a packet.

export interface WindowSamples {
  readonly time_ms: ArrayLike<number>;
  readonly cwnd_bytes: ArrayLike<number>;
  readonly srtt_ns: ArrayLike<number>;
}

/** From 0 to 1: each sample beside the largest window of the round trip before it, that at its begin included. */
export function largestWindowCut({ time_ms, cwnd_bytes, srtt_ns }: WindowSamples): Measured {
  const known = Array.from({ length: time_ms.length }, (_, place) => ({
    at_ms: time_ms[place] as number,
    window: cwnd_bytes[place] as number,
    rtt_ms: (srtt_ns[place] as number) / 1e6,
  })).filter(({ window, rtt_ms }) => window > 0 && rtt_ms > 0);
  // Places whose windows are larger than all that follow, in order: the first one that is in the round trip is its largest.
  const falling: number[] = [];
  let [oldest, begin, cut] = [0, 0, 0];
  known.forEach(({ at_ms, window, rtt_ms }, place) => {
    while (falling.length > oldest && (known[falling.at(-1) as number]?.window as number) <= window) falling.pop();
    falling.push(place);
    while (begin < place && (known[begin + 1]?.at_ms as number) <= at_ms - rtt_ms) begin++;
    while ((falling[oldest] as number) < begin) oldest++;
    cut = Math.max(cut, 1 - window / (known[falling[oldest] as number]?.window as number));
  });
  return known.length > 0 ? cut : missing("the sender has no congestion window");
}

// Round-trip time under load: what the sender's transport measured (smoothed, RFC 6298), in its samples while the flow ran.

/** Values of a series within a span, without those that are unavailable (NaN). */
export function within(time_ms: ArrayLike<number>, values: ArrayLike<number>, { from_ms, to_ms }: Span): Float64Array {
  const end = countThrough(time_ms, to_ms);
  let from = countThrough(time_ms, from_ms);
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
