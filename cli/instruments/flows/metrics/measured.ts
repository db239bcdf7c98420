// A number, or why there is none. What each number is called and means is cli/registry/metrics.ts. No arithmetic.

export interface Missing {
  readonly missing: string;
}

/** Never NaN or infinite: what cannot be computed is missing, with the reason. */
export type Measured = number | Missing;

export const missing = (reason: string): Missing => ({ missing: reason });
export const isNumber = (measured: Measured): measured is number => typeof measured === "number";

/** `value`, where it is a number. */
export function known(value: number | null | undefined, reason: string): Measured {
  return typeof value === "number" && Number.isFinite(value) ? value : missing(reason);
}

export interface MetricSet<Name extends string> {
  readonly metrics: Record<Name, number | null>;
  /** By the metric's name: why it is null. */
  readonly unavailable: Record<string, string>;
}

/** As results are stored: numbers and nulls, and each null's reason. */
export function metricSet<Name extends string>(measured: Readonly<Record<Name, Measured>>): MetricSet<Name> {
  const all = Object.entries<Measured>(measured) as [Name, Measured][];
  const metrics = Object.fromEntries(all.map(([name, value]) => [name, isNumber(value) ? value : null]));
  const reasons = all.flatMap(([name, value]) => (isNumber(value) ? [] : [[name, value.missing]]));
  return { metrics: metrics as Record<Name, number | null>, unavailable: Object.fromEntries(reasons) };
}
