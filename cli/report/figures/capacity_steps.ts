// What a link carries over time, as its profile has it.
import type { LinkDirection } from "../../../schemas/generated/link_profile.ts";

/** From each time on so many bit/s, `start_ms` being the link's start. Null: unlimited, or by a trace. */
export function capacitySteps(
  { rate_bps, rate_steps, trace }: LinkDirection,
  start_ms: number,
): (readonly [at_ms: number, rate_bps: number])[] | null {
  if (trace || rate_bps === null) return null;
  return rate_steps
    ? rate_steps.flatMap((step) => (step.rate_bps === null ? [] : [[start_ms + step.at_ms, step.rate_bps] as const]))
    : [[Number.NEGATIVE_INFINITY, rate_bps]];
}
