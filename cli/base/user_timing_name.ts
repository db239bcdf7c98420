// What the page's own marks and measures (User Timing) are called in options, plans and results: `mark:ready`, `measure:hero image`.

export type UserTimingName = `mark:${string}` | `measure:${string}`;

/** As in schemas/metrics.schema.json. */
export const userTimingName: RegExp = /^(mark|measure):\P{Cc}{1,100}$/u;

export const isUserTiming = (name: string): name is UserTimingName => userTimingName.test(name);

/** `mark:ready` to `ready`. */
export const ownName = (name: UserTimingName): string => name.slice(name.indexOf(":") + 1);
