// The quantities of `trilane trace`'s options: rates as a link's short form has them, but with the option's name in errors,
// and lengths up to days.
import { UserError } from "../base/errors.ts";
import { parseLink } from "./link.ts";

/** `19.1mbit` in bit/s. */
export function rateOption(option: string, text: string): number {
  // Steps and further settings are a link's.
  if (!/^[^,:]+$/.test(text))
    throw new UserError(`trace: ${option} "${text}" is not a number with a unit: write it as 3mbit`);
  let rate_bps: number | null;
  try {
    ({ rate_bps } = parseLink(`rate=${text}`).down);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message.replace(/^link: rate/, `trace: ${option}`));
  }
  if (rate_bps === null) throw new UserError(`trace: ${option} "${text}" has no opportunities to write: give a rate`);
  return rate_bps;
}

const units_ms: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["min", 60_000],
  ["h", 3_600_000],
]);

/** `500ms`, `2min`, `1.5h` in ms. */
export function lengthOption(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|min|h)$/.exec(text);
  const unit_ms = units_ms.get(match?.[2] ?? "");
  if (!match || unit_ms === undefined)
    throw new UserError(`trace: ${option} "${text}" is no time: write it as 500ms, 60s, 5min or 1h`);
  return Number(match[1]) * unit_ms;
}

/** `350 ms`, `12.3 s`, `13 min 6 s`. */
export function formatLength(length_ms: number): string {
  if (length_ms < 1000) return `${Number(length_ms.toPrecision(3))} ms`;
  const length_s = length_ms / 1000;
  if (length_s < 600) return `${Number(length_s.toPrecision(length_s < 100 ? 3 : 4))} s`;
  const whole = Math.round(length_s);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
