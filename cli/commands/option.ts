// How an option is declared once: what yargs takes of it, and what it accepts, by which words.ts checks it.
import type { Options } from "yargs";

export interface Range {
  readonly least: number;
  readonly most: number;
  /** Above `least`, not equal to it. */
  readonly above?: boolean;
  readonly whole?: boolean;
  readonly unit?: string;
}

/** An option as its command declares it. */
export interface Declared extends Options {
  readonly range?: Range;
  /** What it was called before: who gives that is told its name. */
  readonly formerly?: string;
}

/** An option that takes a number within a range. */
export function number<const Rest extends Omit<Declared, "range">>(
  range: Range,
  rest: Rest,
): Rest & { type: "number"; range: Range } {
  return { ...rest, type: "number", requiresArg: true, range };
}

/** What a range accepts: `a whole number from 1 to 20`, `a number above 0, up to 3600 (seconds)`. */
export function rangeWords({ least, most, above = false, whole = false, unit }: Range): string {
  const kind = whole ? "a whole number" : "a number";
  const from = above ? ` above ${least}` : ` from ${least}`;
  const to = most === Number.POSITIVE_INFINITY ? (above ? "" : " up") : above ? `, up to ${most}` : ` to ${most}`;
  return `${kind}${from}${to}${unit === undefined ? "" : ` (${unit})`}`;
}

/** Whether a word is a number of the range, written in decimals. */
export function isWithin({ least, most, above = false, whole = false }: Range, word: string): boolean {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return false;
  const value = Number(word);
  // An exponent may make it endless.
  return (
    Number.isFinite(value) &&
    (above ? value > least : value >= least) &&
    value <= most &&
    (!whole || Number.isInteger(value))
  );
}
