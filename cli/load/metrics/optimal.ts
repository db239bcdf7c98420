// The least time in which a link could deliver a page, whatever the protocol: the line beside which Das (2014) drew the
// protocols. A bound from below, not a prediction: the browser's own work is not in it.
import type { LinkTraits } from "../../link/traits.ts";

/** One for the name, one for the handshake: no first visit by a standard protocol has fewer before its first request. */
const opening = 2;

/**
 * In ms. `bytes`: of the page as transferred, by how many requests each had to wait for: first the document's, then of what
 * it names, then of what that names. What comes after n requests cannot begin to come before 2 + n round trips, and has to
 * pass the link then; the latest of these bounds holds. Null where the link's rate is not one number.
 */
export function optimalPltOfLevels_ms(bytes: readonly number[], { rate_bps, rtt_ms }: LinkTraits): number | null {
  if (rate_bps === null) return null;
  let left = 0;
  let optimal_ms = 0;
  for (let level = bytes.length; level > 0; level--) {
    left += bytes[level - 1] ?? 0;
    optimal_ms = Math.max(optimal_ms, (opening + level) * rtt_ms + (left * 8 * 1000) / rate_bps);
  }
  return optimal_ms;
}
