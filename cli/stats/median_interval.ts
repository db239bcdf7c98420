// 95 % intervals of medians, from order statistics: how many of n values lie below their true median is as the heads of n coins,
// whatever the values' distribution. That gives a median's own interval, and draws of where a median may be, for two medians'
// ratio. Not bootstrapped: with the 5 to 10 loads that people do, a resampled median covers its truth in 90 to 93 %
// (test/cli/stats/coverage.test.ts has what these do).
import { confidence, defaultResamples, type Interval, minimumUnits } from "./bootstrap.ts";
import { median, quantileOfSorted } from "./quantile.ts";
import type { RandomSource } from "./random.ts";

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

/** 95 % interval of the median; null with fewer than five values. */
export function medianInterval(values: readonly number[]): Interval | null {
  const n = values.length;
  if (n < minimumUnits) return null;
  const ascending = Float64Array.from(values).sort();
  const depth = depthOf(n, (1 - confidence) / 2);
  return { low: atDepth(ascending, depth), high: atDepth(ascending, n + 1 - depth) };
}

/** Among values in ascending order, where the median is when `below` of them are: `odds` is the way to it over the way beyond. */
function placeOf(ascending: Float64Array, below: number, odds: number): number {
  const n = ascending.length;
  if (below === 0) return atDepth(ascending, 1 - odds);
  if (below === n) return atDepth(ascending, n + odds);
  // The gaps of many values are narrower than those of few: so much as in the interval above.
  const weighted = odds * (n - below);
  return atDepth(ascending, below + weighted / (weighted + below));
}

/** Of two exponential times. */
function drawOdds(random: RandomSource): number {
  return Math.log(1 - random()) / Math.log(1 - random());
}

/** Share of the blocks whose two values lie on the same side of their medians, at least one half: how far lanes move together. */
function concordance(lane: Float64Array, over: Float64Array, medians: { lane: number; over: number }): number {
  let [same, both] = [0, 0];
  lane.forEach((value, block) => {
    const sides = Math.sign(value - medians.lane) * Math.sign((over[block] as number) - medians.over);
    if (Number.isNaN(sides)) return;
    same += (sides + 1) / 2;
    both++;
  });
  return both === 0 ? 0.5 : Math.max(0.5, same / both);
}

/**
 * What the middle of the draws leaves out at each end so that 95 % of intervals hold their truth. Two medians' uncertain
 * spreads make the draws a little too wide; found by simulation, which coverage.test.ts repeats.
 */
const drawnTail = { fiveValues: 0.042, more: 0.029 } as const;

/**
 * 95 % interval of median(lane) - median(over), block by block; NaN where a block has no value. Null with fewer than five
 * values of either. Blocks in which both moved together narrow it.
 */
export function medianDifferenceInterval(
  lane: Float64Array,
  over: Float64Array,
  random: RandomSource,
  resamples = defaultResamples,
): Interval | null {
  const lanes = lane.filter((value) => !Number.isNaN(value)).sort();
  const overs = over.filter((value) => !Number.isNaN(value)).sort();
  const fewest = Math.min(lanes.length, overs.length);
  if (fewest < minimumUnits) return null;
  const together = concordance(lane, over, { lane: median([...lanes]), over: median([...overs]) });
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
    const otherOdds = random() < 2 * together - 1 ? odds : drawOdds(random);
    drawn[draw] = placeOf(lanes, lanesBelow, odds) - placeOf(overs, oversBelow, otherOdds);
  }
  drawn.sort();
  const tail = fewest === minimumUnits ? drawnTail.fiveValues : drawnTail.more;
  return { low: quantileOfSorted(drawn, tail), high: quantileOfSorted(drawn, 1 - tail) };
}
