// Smoothness as RFC 5166 (2.2.2) has it from Floyd, Handley and Padhye (2000): by what part the sending rate falls within one round trip,
// at most. Taken of the window, which is the rate times the round trip: Reno halves it (0.5), CUBIC keeps 0.7 of it (0.3). A time-out
// cuts it to a packet.
import { type Measured, missing } from "./measured.ts";

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
