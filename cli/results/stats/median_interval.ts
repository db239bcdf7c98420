// 95 % intervals of medians, from order statistics: how many of n values lie below their true median is as the heads of n coins,
// whatever the values' distribution. That gives a median's own interval, and draws of where a median may be, for two medians'
// ratio. Not bootstrapped: with the 5 to 10 loads that people do, a resampled median covers its truth in 90 to 93 %
// (test/cli/results/verdict/coverage.slow.test.ts has what these do).

import { confidence, type Interval, minimumUnits } from "../../base/interval.ts";
import { mean, quantileOfSorted } from "../../base/quantile.ts";
import type { RandomSource } from "../../base/random.ts";
import { defaultResamples } from "./bootstrap.ts";

/** Between the order statistics on both sides of `depth`, counted from 1; 0.8 lies before the first. */
function atDepth(sorted: ArrayLike<number>, depth: number): number {
  const first = Math.min(Math.max(0, Math.floor(depth) - 1), sorted.length - 2);
  const [low, high] = [sorted[first] as number, sorted[first + 1] as number];
  return low + (high - low) * (depth - 1 - first);
}

/**
 * How deep an interval begins among n values so that each end leaves out `tail`: whole numbers of values leave out what coins
 * do, and between two of them it is interpolated (Hettmansperger and Sheather 1986), nearly as free of the distribution.
 */
function depthOf(n: number, tail: number): number {
  // Of so many heads among n coins; as a logarithm, because of 1100 coins it is no number any more.
  let logChance = n * Math.log(0.5);
  let outside = Math.exp(logChance);
  // Five values lie all above their median in 1 of 32 cases: more than 2.5 %, so the interval begins a little before the first.
  if (outside > tail) return 1 - (outside - tail) / tail;
  let k = 0;
  for (; outside <= tail; k++) {
    logChance += Math.log((n - k) / (k + 1));
    outside += Math.exp(logChance);
  }
  const share = 1 - (outside - tail) / Math.exp(logChance);
  return k + ((n - k) * share) / (k + (n - 2 * k) * share);
}

/** The chance of a normal value more than one deviation above its mean. */
const beyondOneDeviation = 0.158655;

/** One value tells nothing of how far its median may be. */
export const fewestForError = 2;

/** Squares of uncertain errors are too large on average: by so much, found by simulation (coverage.slow.test.ts). */
const ofSquares = 0.95;

/** The middle 68 % of where the median may be: one standard error to each side. Values in ascending order, at least two. */
function mostlyWithin(ascending: Float64Array): Interval {
  const depth = depthOf(ascending.length, beyondOneDeviation);
  return { low: atDepth(ascending, depth), high: atDepth(ascending, ascending.length + 1 - depth) };
}

/** Standard error of the median. Values in ascending order, at least two. */
function medianError(ascending: Float64Array): number {
  const { low, high } = mostlyWithin(ascending);
  return (ofSquares * (high - low)) / 2;
}

/**
 * How far the median lies off the middle of where it may be, on the scale of its standard error: at most as far as that, as where loads
 * are of two kinds and the median of few falls now among the one, now among the other. Of an even number both values in the middle are
 * asked, because what lies between them is in the middle by itself.
 */
function medianOff(ascending: Float64Array): number {
  const { low, high } = mostlyWithin(ascending);
  const off = (place: number): number => Math.abs((low + high) / 2 - (ascending[place] as number));
  const last = ascending.length - 1;
  return (ofSquares * (off(Math.floor(last / 2)) + off(Math.ceil(last / 2)))) / 2;
}

/**
 * 95 % interval of the median, in any unit; null with fewer than five values. That of five positive values begins a little
 * before the first, by a share of the gap's logarithm, so that no time is negative; other five keep to their range, 93.75 %.
 */
export function medianInterval(values: readonly number[]): Interval | null {
  const n = values.length;
  if (n < minimumUnits) return null;
  const depth = depthOf(n, (1 - confidence) / 2);
  const ascending = Float64Array.from(values).sort();
  const ends = (sorted: Float64Array, from: number): Interval => ({
    low: atDepth(sorted, from),
    high: atDepth(sorted, n + 1 - from),
  });
  if (depth >= 1) return ends(ascending, depth);
  if ((ascending[0] as number) <= 0) return ends(ascending, 1);
  const { low, high } = ends(ascending.map(Math.log), depth);
  return { low: Math.exp(low), high: Math.exp(high) };
}

/** Beyond the outermost values, in the gaps next to them: nothing tells how far the median may be there. */
const farthest = 0.5;

/** Among values in ascending order, where the median is when `below` of them are: `odds` is the way to it over the way beyond. */
function placeOf(ascending: Float64Array, below: number, odds: number): number {
  const n = ascending.length;
  if (below === 0) return atDepth(ascending, 1 - Math.min(odds, farthest));
  if (below === n) return atDepth(ascending, n + Math.min(odds, farthest));
  // The gaps of many values are narrower than those of few: so much as in the interval above.
  const weighted = odds * (n - below);
  return atDepth(ascending, below + weighted / (weighted + below));
}

const inOrder = (values: Float64Array): Float64Array => values.filter((value) => !Number.isNaN(value)).sort();
const middle = (ascending: Float64Array): number => quantileOfSorted(ascending, 0.5);

/** Of two exponential times. */
function drawOdds(random: RandomSource): number {
  return Math.log(1 - random()) / Math.log(1 - random());
}

/** Of the other lane: the same where both move together, the other way round where they move apart. */
function otherOdds(odds: number, shared: number, random: RandomSource): number {
  if (random() >= Math.abs(shared)) return drawOdds(random);
  return shared > 0 ? odds : 1 / odds;
}

/** Of each block with both values 1 where they lie on the same side of their medians, -1 on different ones, 0 on a median itself. */
function sidesOf(lane: Float64Array, over: Float64Array, medians: { lane: number; over: number }): number[] {
  return [...lane]
    .map((value, block) => Math.sign(value - medians.lane) * Math.sign((over[block] as number) - medians.over))
    .filter((side) => !Number.isNaN(side));
}

/**
 * Share of the blocks whose two values lie on the same side of their medians: how far lanes move together. Below one half where
 * they move apart (one is slow where the other is quick), which widens their difference. A block on a median says neither, and
 * is counted as half or not at all, whichever is wider.
 */
function concordance(sides: readonly number[]): number {
  const share = (some: readonly number[]): number =>
    some.length === 0 ? 0.5 : mean(some.map((side) => (side + 1) / 2));
  return Math.min(share(sides), share(sides.filter((side) => side !== 0)));
}

/** How far both move together: the share of their blocks in which they lie on the same side of their medians, as a correlation. */
export const correlation = (together: number): number => 2 * together - 1;

export interface DifferenceErrors {
  /** Standard errors of the two medians. */
  readonly lane: number;
  readonly over: number;
  /** How far both medians lie off the middle of where they may be. */
  readonly off: { readonly lane: number; readonly over: number };
  /** Blocks whose two values lie off their medians, and of them those in which both lie on the same side. */
  readonly blocks: { readonly all: number; readonly together: number };
}

/** For median(lane) - median(over), block by block; NaN where a block has no value. Null with fewer than two values of either. */
export function medianDifferenceErrors(lane: Float64Array, over: Float64Array): DifferenceErrors | null {
  const [lanes, overs] = [inOrder(lane), inOrder(over)];
  if (Math.min(lanes.length, overs.length) < fewestForError) return null;
  const sides = sidesOf(lane, over, { lane: middle(lanes), over: middle(overs) });
  return {
    lane: medianError(lanes),
    over: medianError(overs),
    off: { lane: medianOff(lanes), over: medianOff(overs) },
    blocks: { all: sides.filter((side) => side !== 0).length, together: sides.filter((side) => side === 1).length },
  };
}

/**
 * What the middle of the draws leaves out at each end so that 95 % of intervals hold their truth. Two medians' uncertain
 * spreads make the draws a little too wide; found by simulation, which coverage.slow.test.ts repeats. Where one lane's spread is all there
 * is, they are as wide as its own interval.
 */
const drawnTail = { fiveValues: 0.031, more: 0.029 } as const;

function tailOf(lanes: Float64Array, overs: Float64Array): number {
  const alike = Math.min(lanes.length, overs.length) === minimumUnits ? drawnTail.fiveValues : drawnTail.more;
  const [a, b] = [medianError(lanes), medianError(overs)];
  const balance = a + b > 0 ? (2 * a * b) / (a ** 2 + b ** 2) : 1;
  const single = (1 - confidence) / 2;
  return single + (alike - single) * balance;
}

/**
 * 95 % interval of median(lane) - median(over), block by block; NaN where a block has no value. Null with fewer than five
 * values of either. Blocks in which both moved together narrow it, those in which they moved apart widen it.
 */
export function medianDifferenceInterval(
  lane: Float64Array,
  over: Float64Array,
  random: RandomSource,
  resamples = defaultResamples,
): Interval | null {
  const [lanes, overs] = [inOrder(lane), inOrder(over)];
  const fewest = Math.min(lanes.length, overs.length);
  if (fewest < minimumUnits) return null;
  const together = concordance(sidesOf(lane, over, { lane: middle(lanes), over: middle(overs) }));
  const drawn = new Float64Array(resamples);
  for (let draw = 0; draw < resamples; draw++) {
    let [lanesBelow, oversBelow] = [0, 0];
    for (let block = 0; block < lane.length; block++) {
      const isBelow = random() < 0.5;
      const isSame = random() < together;
      if (isBelow && !Number.isNaN(lane[block])) lanesBelow++;
      if (isBelow === isSame && !Number.isNaN(over[block])) oversBelow++;
    }
    const odds = drawOdds(random);
    drawn[draw] =
      placeOf(lanes, lanesBelow, odds) - placeOf(overs, oversBelow, otherOdds(odds, correlation(together), random));
  }
  drawn.sort();
  const tail = tailOf(lanes, overs);
  return { low: quantileOfSorted(drawn, tail), high: quantileOfSorted(drawn, 1 - tail) };
}
