// The one failure that is a measurement: a load that takes longer than it was given. As a reason, and read from one.
import { isDisturbed } from "./disturbance.ts";

export const timeOut = (timeout_ms: number, which = ""): string =>
  `the load event${which} did not come within ${timeout_ms} ms`;

const form = /^the load event did not come within (\d+(?:\.\d+)?) ms$/;

/**
 * How long a load was given that timed out: it takes longer. Null: it did not time out, or the machine disturbed it, or it was the
 * first visit of two, which is not what is measured.
 */
export function timedOutAfter_ms(reasons: readonly string[]): number | null {
  if (reasons.some(isDisturbed)) return null;
  const given = reasons.map((reason) => form.exec(reason)?.[1]).find((time) => time !== undefined);
  return given === undefined ? null : Number(given);
}
