// A HAR's dates, as far as RFC 3339 can write them: it has four digits for a year, ECMAScript has six. Pure.

const four = "0000-01-01T00:00:00.000Z".length;

/** ms since the epoch; null for what is no date, or one before the year 0 or after 9999, which no HAR may hold. */
export function dateTime_ms(text: string): number | null {
  const time_ms = Date.parse(text);
  return Number.isNaN(time_ms) || new Date(time_ms).toISOString().length !== four ? null : time_ms;
}
