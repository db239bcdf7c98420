// The one failure that is a measurement: a load that takes longer than it was given. As a reason, and read from one.

export const timeOut = (timeout_ms: number, which = ""): string =>
  `the load event${which} did not come within ${timeout_ms} ms`;

const form = /^the load event did not come within (\d+(?:\.\d+)?) ms$/;

/**
 * How long a load was given that timed out: it takes longer. Null: it did not time out, or there is another reason against it (the
 * machine disturbed it, its link was out of tolerance), or it was the first visit of two, which is not what is measured.
 */
export function timedOutAfter_ms(reasons: readonly string[]): number | null {
  const [reason, ...others] = reasons;
  const given = reason === undefined || others.length > 0 ? undefined : form.exec(reason)?.[1];
  return given === undefined ? null : Number(given);
}
