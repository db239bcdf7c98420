// Whether a quantity that is looked at for hours grows: its slope over time, with what chance alone would make of it. Neighbouring values
// resemble each other, so means of a few long stretches are compared and not the values. Knows no quantity.
import { holm, significanceLevel } from "../../cli/results/stats/multiplicity.ts";
import { studentQuantile, studentUpperTail } from "../../cli/results/stats/student_tail.ts";

/** A time in hours, and the value there. */
export type Point = readonly [number, number];

export interface Slope {
  /** Per hour, with the half of its 95 % interval. */
  readonly per_hour: number;
  readonly noise_per_hour: number;
  /** Chance of such a growth, or more, in a quantity that does not grow. */
  readonly probability: number;
  /** The same of the later half alone: what fills up to a bound, as caches and compiled code do, has ended by then. */
  readonly later_probability: number;
}

/** Left out at the beginning: caches fill, code is compiled. */
const warmUp_share = 0.25;
const stretches = 10;
/** Wide, as half the time shows a growth less clearly. */
const laterLevel = 0.3;

/** null: too few values to say. */
export function slopeOf(points: readonly Point[]): Slope | null {
  const from_h = points[0]?.[0] ?? 0;
  const to_h = points.at(-1)?.[0] ?? 0;
  const begin_h = from_h + warmUp_share * (to_h - from_h);
  const means = meansOf(points, begin_h, to_h);
  const later = meansOf(points, (begin_h + to_h) / 2, to_h);
  if (Math.min(means.length, later.length) < stretches / 2) return null;
  return { ...fitted(means), later_probability: fitted(later).probability };
}

/** Of stretches of time. */
function meansOf(points: readonly Point[], begin_h: number, end_h: number): Point[] {
  const length_h = (end_h - begin_h) / stretches;
  return Array.from({ length: stretches }, (_, at): Point[] => {
    const isIn = (time_h: number): boolean => Math.min(stretches - 1, Math.floor((time_h - begin_h) / length_h)) === at;
    const own = points.filter(([time_h]) => time_h >= begin_h && isIn(time_h));
    const mean = (place: 0 | 1): number => own.reduce((sum, point) => sum + point[place], 0) / own.length;
    return own.length === 0 ? [] : [[mean(0), mean(1)]];
  }).flat();
}

/** Least squares. */
function fitted(points: readonly Point[]): Omit<Slope, "later_probability"> {
  const n = points.length;
  const mean = (place: 0 | 1): number => points.reduce((sum, point) => sum + point[place], 0) / n;
  const [time_h, value] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - time_h) ** 2, 0);
  const per_hour = points.reduce((sum, [x, y]) => sum + (x - time_h) * (y - value), 0) / spread;
  const left = points.reduce((sum, [x, y]) => sum + (y - value - per_hour * (x - time_h)) ** 2, 0);
  const error = Math.sqrt(left / (n - 2) / spread);
  return {
    per_hour,
    noise_per_hour: error * studentQuantile(0.025, n - 2),
    // A value that never changes has no slope and no error.
    probability: per_hour === 0 ? 1 : studentUpperTail(per_hour / error, n - 2),
  };
}

export type Verdict = "flat within noise" | "grows" | "too few values";

/** All together, so that one in twenty soaks at most calls something growing that is not. */
export function verdictsOf(slopes: readonly (Slope | null)[]): Verdict[] {
  const adjusted = holm(slopes.map((slope) => slope?.probability ?? 1));
  return slopes.map((slope, at) => {
    if (slope === null) return "too few values";
    const grows = (adjusted[at] as number) <= significanceLevel && slope.later_probability <= laterLevel;
    return grows ? "grows" : "flat within noise";
  });
}
