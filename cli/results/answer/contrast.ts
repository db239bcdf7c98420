// "A against B" of whatever is measured: the median of the paired log ratios, its interval and its test, as loads of pages have them that
// vary together (stats/difference_test.ts), corrected over what is shown together (Holm). A pair is of one run, or of one object in one
// block: both of it met the same minute and the same servers. Numbers only; sentences are their rooms'.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { count, formatPercents, percentRange } from "../../base/numbers.ts";
import { median } from "../../base/quantile.ts";
import { pairedTails } from "../stats/difference_test.ts";
import { medianInterval } from "../stats/median_interval.ts";
import { significanceLevel } from "../stats/multiplicity.ts";

/** Of one unit, more than 0: a ratio of anything else says nothing. */
export interface Pair {
  readonly one: number;
  readonly other: number;
}

export interface Contrast {
  /** How many times `other` one is: 1 is no difference. */
  readonly ratio: number;
  /** 95 %, of the ratio; null: fewer than five units. */
  readonly interval: Interval | null;
  /** Two-sided, that the ratio is 1; of several shown together Holm's. null: no interval. */
  readonly probability: number | null;
  /** So many are shown together. */
  readonly comparisons: number;
  /** Independent units: objects, runs or pairs. */
  readonly n: number;
}

/** Of how many times `other` one is. */
export const logOf = ({ one, other }: Pair): number => Math.log(one / other);
const isUsable = ({ one, other }: Pair): boolean => one > 0 && other > 0;

/** The same, turned, whichever of the two comes first. */
function logInterval(logs: readonly number[]): Interval | null {
  if (median(logs) >= 0) return medianInterval(logs);
  const turned = medianInterval(logs.map((log) => -log));
  return turned && { low: -turned.high, high: -turned.low };
}

/** Of at least five objects each is a unit: its pairs share its server and its way. Of fewer each pair is. */
export function unitsOf<Of extends Pair>(objects: readonly (readonly Of[])[]) {
  return objects.length >= minimumUnits
    ? ({ unit: "object", units: objects } as const)
    : ({ unit: "pair", units: objects.flat().map((pair) => [pair]) } as const);
}

/** `units`: of each its pairs, of which it counts the median. null: there is no pair. */
export function contrast(units: readonly (readonly Pair[])[]): Contrast | null {
  const logs = units
    .map((pairs) => pairs.filter(isUsable).map(logOf))
    .filter((of) => of.length > 0)
    .map((of) => median(of));
  if (logs.length === 0) return null;
  const interval = logInterval(logs);
  return {
    ratio: Math.exp(median(logs)),
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    probability: interval && pairedTails(logs).twoSided,
    comparisons: 1,
    n: logs.length,
  };
}

/** What may be said of it; `unknown`: too few units. */
export type Shown = "more" | "less" | "none" | "unknown";

export function shown({ interval, probability }: Contrast): Shown {
  if (interval === null || probability === null) return "unknown";
  if (probability > significanceLevel) return "none";
  if (interval.low > 1) return "more";
  return interval.high < 1 ? "less" : "none";
}

/** No difference is outside the interval, but so few units, or so many comparisons, do not make that sure. */
export const isProbable = (of: Contrast): boolean =>
  of.interval !== null && shown(of) === "none" && (of.interval.low > 1 || of.interval.high < 1);

/** What it takes to be sure of what is only probable, in a sentence for all that are read together; null: nothing is. */
export function surenessNote(contrasts: readonly Contrast[], units: string): string | null {
  const [first] = contrasts.filter(isProbable);
  if (!first) return null;
  const made = first.comparisons > 1 ? `${first.comparisons} comparisons were made, so more` : "More";
  return `${made} ${units} are needed to be sure of what is probable.`;
}

/** `n = 12 objects`; `n = 4 runs, an interval needs 5`. */
export const unitsText = ({ n, interval }: Contrast, unit: string): string =>
  `n = ${count(n, unit)}${interval === null ? `, an interval needs ${minimumUnits}` : ""}`;

/** `9`, and `5 to 12`: by how many per cent the one is less than the other, or more. */
export function percentsOf({ ratio, interval }: Pick<Contrast, "ratio" | "interval">): {
  readonly size: string;
  readonly range: string;
} {
  const less = (of: number): number => 100 * (1 - of);
  const ends = interval && { low: less(interval.high), high: less(interval.low) };
  const turned = ends && (ratio <= 1 ? ends : { low: -ends.high, high: -ends.low });
  const text = formatPercents(Math.abs(less(ratio)), turned);
  return { size: text.percent, range: percentRange(text) };
}
