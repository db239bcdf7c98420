// The failures that are measurements: a load that takes longer than it was given, and a page that never is whole because its link
// moved. As a reason, and read from one.

export const timeOut = (timeout_ms: number, which = ""): string =>
  `the load event${which} did not come within ${timeout_ms} ms`;

/** Of a video that plays until then. */
export const endless = (timeout_ms: number): string => `the video did not end within ${timeout_ms} ms`;

/** Of a first visit, which is over once its video plays. */
export const neverBegan = (timeout_ms: number): string =>
  `the video of the first visit did not begin to play within ${timeout_ms} ms`;

/** `lost`: as in "42 of 48 requests were lost when the link moved: URL". */
export const neverWhole = (timeout_ms: number, lost: string): string =>
  `the page was not whole within ${timeout_ms} ms: ${lost}`;

const form =
  /^the (?:load event did not come|page was not whole|video did not end) within (\d+(?:\.\d+)?) ms(?:: .+)?$/;

/** Of a video (video_step.ts): whether it is not known how far it came, because its page did not answer. */
export const isUnanswered = ([reason]: readonly string[]): boolean =>
  reason?.endsWith(": its page did not answer") ?? false;

/**
 * How long a load was given that timed out, or whose page never was whole: it takes longer. Null: neither, or there is another reason against it (the
 * machine disturbed it, its link was out of tolerance), or it was the first visit of two, which is not what is measured.
 */
export function timedOutAfter_ms(reasons: readonly string[]): number | null {
  const [reason, ...others] = reasons;
  const given = reason === undefined || others.length > 0 ? undefined : form.exec(reason)?.[1];
  return given === undefined ? null : Number(given);
}

const notStarted = "the browser did not start: ";

/** Why a load has no browser. */
export const unstartedReason = (why: string): string => notStarted + why;

export const isUnstartedReason = (reason: string): boolean => reason.startsWith(notStarted);
