// What a link carries over time, as its profile has it.
import type { LinkDirection, LinkProfile } from "../../../schemas/generated/link_profile.ts";

type Step = readonly [at_ms: number, rate_bps: number];

/** From each time on so many bit/s, `start_ms` being the link's start. Null: unlimited, or by a trace. */
export function capacitySteps(link: LinkProfile, side: "down" | "up", start_ms: number): Step[] | null {
  const steps = stepsOf(link[side], start_ms);
  if (!link.switch || !steps) return steps;
  const from_ms = start_ms + link.switch.at_ms;
  const after = stepsOf(link.switch.link[side], from_ms);
  return after && [...steps.filter(([at_ms]) => at_ms < from_ms), ...after.map(startingAt(from_ms))];
}

/** Of a rate that does not change, from a time on. */
const startingAt =
  (from_ms: number) =>
  ([at_ms, rate_bps]: Step): Step => [Math.max(from_ms, at_ms), rate_bps];

function stepsOf({ rate_bps, rate_steps, trace }: LinkDirection, start_ms: number): Step[] | null {
  if (trace || rate_bps === null) return null;
  return rate_steps
    ? rate_steps.flatMap((step) => (step.rate_bps === null ? [] : [[start_ms + step.at_ms, step.rate_bps] as const]))
    : [[Number.NEGATIVE_INFINITY, rate_bps]];
}
