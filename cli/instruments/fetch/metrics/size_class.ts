// Which sizes of objects are distinguished: each by itself where there are few, else decades. Pure.
import { formatSize } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import type { Fetched } from "./fetched.ts";

export interface SizeClass {
  /** `1 MB`, `1 to 10 kB`. */
  readonly name: string;
  /** Of its bodies; the upper end is none of it, unless both are the same. */
  readonly low_bytes: number;
  readonly high_bytes: number;
}

const mostSizes = 12;
const least_bytes = 1000;
const most_bytes = 100e6;

function decadeOf(size_bytes: number): SizeClass {
  if (size_bytes < least_bytes) return { name: "below 1 kB", low_bytes: 0, high_bytes: least_bytes };
  if (size_bytes >= most_bytes)
    return { name: "100 MB and more", low_bytes: most_bytes, high_bytes: Number.POSITIVE_INFINITY };
  let low_bytes = least_bytes;
  while (low_bytes * 10 <= size_bytes) low_bytes *= 10;
  return {
    name: `${formatSize(low_bytes)} to ${formatSize(low_bytes * 10)}`,
    low_bytes,
    high_bytes: low_bytes * 10,
  };
}

/** The size of each object that came whole: the median over its fetches, since a live one may change. */
export function objectSizes(fetched: readonly Fetched[]): ReadonlyMap<string, number> {
  const whole = fetched.flatMap(({ object, record: { error, body_bytes } }) =>
    error === null && body_bytes !== null ? [{ object, body_bytes }] : [],
  );
  const byObject = Map.groupBy(whole, ({ object }) => object);
  return new Map(
    [...byObject].map(([object, of]) => [object, Math.round(median(of.map(({ body_bytes }) => body_bytes)))]),
  );
}

/** Of each object its class; those of which nothing came whole have none. */
export function sizeClasses(sizes: ReadonlyMap<string, number>): ReadonlyMap<string, SizeClass> {
  const different = new Set(sizes.values());
  const exact = different.size <= mostSizes;
  const classOf = (size: number): SizeClass =>
    exact ? { name: formatSize(size), low_bytes: size, high_bytes: size } : decadeOf(size);
  return new Map([...sizes].map(([object, size]) => [object, classOf(size)]));
}

/** Each class once, the smallest first. */
export function orderedClasses(classes: ReadonlyMap<string, SizeClass>): SizeClass[] {
  const once = new Map([...classes.values()].map((each) => [each.name, each]));
  return [...once.values()].sort((a, b) => a.low_bytes - b.low_bytes);
}
