// When a comparison of two lanes is settled, or a median is precise: whether a sweep may stop loading a cell. Looks at the paired loads after each
// block from the fifth on and decides faster, slower, or equivalent within a margin, with the chance of a wrong
// decision over all looks together below 5 %. Pure; which loads come next is the runner's.
//
// Medians are compared, by the test of difference_test.ts, which holds for lanes of unequal noise. Equivalence is two one-sided tests
// (Schuirmann 1987) and comes first: a difference that is shown, but within the margin, is one that does not matter to who asks. The
// levels lie between Pocock's (1977), the same at each look, and O'Brien and Fleming's (1979), which keep them for the last. Found
// by simulation, which test/cli/results/stats/sequential.slow.test.ts repeats: together they spend at most 5 %. A comparison that the last
// look would hardly decide is given up, undecided, which can make no decision wrong: by its predictive power (Spiegelhalter, Freedman
// and Blackburn 1986), which continues from what was seen as a random walk does.

import type { Interval } from "../../base/interval.ts";
import { extremes, median } from "../../base/quantile.ts";
import { blockDifference, blockDifferenceTails } from "./difference_test.ts";
import { medianInterval } from "./median_interval.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { mirrored, type Tails } from "./tails.ts";

/** Blocks after which a cell is first and last looked at; after the last it stays undecided. */
export const firstLook = 5;
export const lastLook = 30;

const atLast = 0.0125;

/** Level of the look after so many blocks, of a two-sided test as of each of two one-sided ones. */
export function nominalLevel(blocks: number): number {
  return atLast * (blocks / lastLook) ** 0.25;
}

/** Below such a chance to be decided at the last look a comparison is given up. */
export const futilityThreshold = 0.24;
/** Before the test can refuse where lanes overlap one cannot tell that. */
const fewestToGiveUp = 9;

export type Decision = "faster" | "slower" | "equivalent" | "undecided";

export interface Outcome {
  readonly decision: Decision;
  /** Paired loads that it took. */
  readonly blocks: number;
  /** Undecided, and further loads would hardly change that. */
  readonly givenUp: boolean;
}

/** Loads of two lanes in one block: logarithms of their PLTs. */
export interface LogPair {
  readonly lane: number;
  readonly over: number;
}

const columnsOf = (pairs: readonly LogPair[]): [Float64Array, Float64Array] => [
  Float64Array.from(pairs, ({ lane }) => lane),
  Float64Array.from(pairs, ({ over }) => over),
];

/** Whether `over`, made longer by `margin`, took longer than `lane`. */
const compared = (pairs: readonly LogPair[], margin: number): Tails =>
  blockDifferenceTails(...columnsOf(pairs), -margin);

/** Halvings of the range of all differences: to a millionth of it. */
const halvings = 20;

/** The greatest shift that is refused as too small at `level`, between two that are and are not; null: none is. */
function refusedBelow(isRefused: (shift: number) => boolean, from: number, to: number): number | null {
  if (!isRefused(from)) return null;
  let [refused, kept] = [from, to];
  for (let step = 0; step < halvings; step++) {
    const middle = (refused + kept) / 2;
    if (isRefused(middle)) refused = middle;
    else kept = middle;
  }
  return kept;
}

/** log(over / lane) of the medians, with the interval that belongs to the test and level of a look; null without pairs. */
export function shiftAtLook(pairs: readonly LogPair[]): { estimate: number; interval: Interval | null } | null {
  const [lane, over] = [extremes(pairs.map((pair) => pair.lane)), extremes(pairs.map((pair) => pair.over))];
  if (!lane || !over) return null;
  const estimate = blockDifference(...columnsOf(pairs));
  const tail = nominalLevel(pairs.length) / 2;
  // Beyond all differences by the ranges themselves, so that samples moved so far lie apart.
  const range = lane.greatest - lane.least + over.greatest - over.least + 1e-9;
  const least = over.least - lane.greatest - range;
  const most = over.greatest - lane.least + range;
  const low = refusedBelow((shift) => compared(pairs, -shift).greater <= tail, least, estimate);
  const high = refusedBelow((shift) => compared(pairs, shift).less <= tail, -most, -estimate);
  return { estimate, interval: low === null || high === null ? null : { low, high: -high } };
}

/** Chance that a test with this much to show after a share of its loads shows it at `level` after all of them. */
function predictivePower({ greater, less }: Omit<Tails, "twoSided">, share: number, level: number): number {
  const z = greater < less ? normalQuantile(greater) : less < greater ? -normalQuantile(less) : 0;
  return normalUpperTail((normalQuantile(level) - z / Math.sqrt(share)) / Math.sqrt((1 - share) / share));
}

/** Whether the last look would hardly decide: by its chances for a difference either way, and for equivalence. */
function isFutile(either: Tails, above: Tails, below: Tails, share: number): boolean {
  const level = nominalLevel(lastLook);
  const power = (test: Tails, tail: number) => predictivePower(test, share, tail);
  const different = power(either, level / 2) + power(mirrored(either), level / 2);
  // Both have to be shown: at least this often they are.
  const equivalent = power(above, level) + power(below, level) - 1;
  return different + Math.max(0, equivalent) < futilityThreshold;
}

/**
 * `pairs`: in the order in which they were loaded. `margin_percent`: differences of less do not matter to who asks. Looks at
 * each number of pairs in turn, so that what was settled stays so when more loads come.
 */
export function decide(pairs: readonly LogPair[], margin_percent: number): Outcome {
  const margin = Math.log1p(margin_percent / 100);
  for (let blocks = firstLook; blocks <= Math.min(pairs.length, lastLook); blocks++) {
    const seen = pairs.slice(0, blocks);
    const level = nominalLevel(blocks);
    const above = compared(seen, margin);
    const below = mirrored(compared(seen, -margin));
    if (Math.max(above.greater, below.greater) <= level) return { decision: "equivalent", blocks, givenUp: false };
    const either = compared(seen, 0);
    if (either.twoSided <= level)
      return { decision: either.greater < either.less ? "faster" : "slower", blocks, givenUp: false };
    if (blocks >= fewestToGiveUp && blocks < lastLook && isFutile(either, above, below, blocks / lastLook))
      return { decision: "undecided", blocks, givenUp: true };
  }
  return { decision: "undecided", blocks: Math.min(pairs.length, lastLook), givenUp: false };
}

const firstPrecise = [10, 12, 15, 20, 25, 30] as const;

/** The fewest values that can be enough for medians. */
export const fewestPrecise: number = firstPrecise[0];

/**
 * Numbers of values after which it is tested whether medians are precise: ten more each time after the last. That medians are then
 * within what was planned, holds in 96 to 100 % of cells by simulation. Their intervals hold them in 94 % or more of all sweeps of up to 30
 * loads, of those that stopped early in less, the fewer do: 90 % where one in three does, 76 % where one in ten does
 * (`npm run bench -- coverage --only precise`).
 */
export function preciseLooksUpTo(values: number): number[] {
  const last = firstPrecise[firstPrecise.length - 1] as number;
  const further = Array.from(
    { length: Math.max(0, Math.floor((values - last) / 10)) },
    (_, index) => last + 10 * (index + 1),
  );
  return [...firstPrecise.filter((look) => look <= values), ...further];
}

/** Whether the median's interval reaches so many per cent of it to each side at most. `widen`: of what adds to the interval. */
export function isPrecise(
  values: readonly number[],
  percent: number,
  widen: (interval: Interval | null) => Interval | null = (interval) => interval,
): boolean {
  const interval = widen(medianInterval(values));
  const centre = median(values);
  const reach = interval ? Math.max(interval.high - centre, centre - interval.low) : Number.POSITIVE_INFINITY;
  return reach <= (centre * percent) / 100;
}

/** Whether the medians of all series were precise at one look, by as many values of each. */
export function areAllPrecise(series: readonly (readonly number[])[], percent: number): boolean {
  const fewest = series.length === 0 ? 0 : Math.min(...series.map(({ length }) => length));
  return preciseLooksUpTo(fewest).some((look) => series.every((values) => isPrecise(values.slice(0, look), percent)));
}
