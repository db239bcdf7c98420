// The least time in which a link could deliver a page, whatever the protocol: the line beside which Das (2014) drew the
// protocols. A bound from below, not a prediction: the browser's own work and waiting for what names other resources are not in it.
import type { LinkTraits } from "./sweep_verdict.ts";

/** One for the name, one for the handshake, one for the first request: no first visit by a standard protocol has fewer. */
const roundTrips = 3;

/** In ms for a page of `bytes` as transferred. Null where the link's rate is not one number. */
export function optimalPlt_ms(bytes: number, { rate_bps, rtt_ms }: LinkTraits): number | null {
  if (rate_bps === null) return null;
  return roundTrips * rtt_ms + (bytes * 8 * 1000) / rate_bps;
}
