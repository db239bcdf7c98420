// Whether two medians differ by more than a shift, whatever the shapes of the two samples: one lane's loads may be eight times as
// wide as the other's, or of two kinds. Tests of ranks (two_samples.ts, signed_rank.ts) ask another question, whether values of one
// tend to be greater, and call equal medians different where shapes are not alike. Here the only ground is the sign test's: how many
// of n values lie below their true median is as the heads of n coins (Dixon and Mood 1946). Between two neighbouring values the
// median is taken to lie anywhere alike, beyond the outermost ones as far out as speaks against what is tested, so that few values
// show little: 5 in each sample nothing at 5 %, 7 at best 3.1 %.
import { type Tails, tailsOf } from "./tails.ts";

/** Chances of each number of heads among n coins. */
export function coins(n: number): Float64Array {
  const chances = new Float64Array(n + 1);
  let logChance = n * Math.log(0.5);
  for (let heads = 0; heads <= n; heads++) {
    chances[heads] = Math.exp(logChance);
    logChance += Math.log((n - heads) / (heads + 1));
  }
  return chances;
}

/** Rarer places of a median than this add nothing that is reported. */
const negligible = 1e-12;

/** Between two neighbouring values. The places beyond the outermost values are those values themselves. */
export interface Place {
  readonly low: number;
  readonly high: number;
  readonly isBelowAll: boolean;
  readonly isAboveAll: boolean;
}

/** By how many values lie below. */
export function placesOf(values: readonly number[]): Place[] {
  const ascending = Float64Array.from(values).sort();
  const n = ascending.length;
  return Array.from({ length: n + 1 }, (_, below) => ({
    low: ascending[Math.max(0, below - 1)] as number,
    high: ascending[Math.min(n - 1, below)] as number,
    isBelowAll: below === 0,
    isAboveAll: below === n,
  }));
}

/** Of x below zero, what lies there of a ramp: the integral of the uniform distribution's function. */
const squared = (x: number): number => (x > 0 ? x * x : 0);

/** Chance that y - x <= shift, of x and y anywhere alike in their places. */
export function chanceAtMost(x: Place, y: Place, shift: number): number {
  const [width, height] = [x.high - x.low, y.high - y.low];
  // y <= x + shift; from the least difference to the greatest.
  const reach = shift - (y.low - x.high);
  if (reach < 0) return 0;
  if (reach >= width + height) return 1;
  if (width === 0) return reach / height;
  if (height === 0) return reach / width;
  return (squared(reach) - squared(reach - width) - squared(reach - height)) / (2 * width * height);
}

type Chances = (below: number, otherBelow: number) => number;

/** Chance that median(b) - median(a) is at most `shift`, its unknown ends counted in. */
function reaches(a: readonly Place[], b: readonly Place[], shift: number, chances: Chances): number {
  let sum = 0;
  a.forEach((x, below) => {
    b.forEach((y, otherBelow) => {
      const chance = chances(below, otherBelow);
      if (chance > negligible) sum += x.isAboveAll || y.isBelowAll ? chance : chance * chanceAtMost(x, y, shift);
    });
  });
  return sum;
}

const turned = (values: readonly number[]): number[] => values.map((value) => -value);

function tailsBy(a: readonly number[], b: readonly number[], shift: number, chances: Chances): Tails {
  const greater = reaches(placesOf(a), placesOf(b), shift, chances);
  // Coins fall as they fall turned round, so that the same chances hold.
  const less = reaches(placesOf(turned(a)), placesOf(turned(b)), -shift, chances);
  return tailsOf(greater, less);
}

/**
 * Tails of the test that median(b) - median(a) = `shift`, any unit: a small `greater` shows that it is greater. 1 for an empty
 * sample.
 */
export function medianShiftTails(a: readonly number[], b: readonly number[], shift = 0): Tails {
  if (a.length === 0 || b.length === 0) return tailsOf(1, 1);
  const [of, ofOther] = [coins(a.length), coins(b.length)];
  return tailsBy(a, b, shift, (below, otherBelow) => (of[below] as number) * (ofOther[otherBelow] as number));
}

/** Tails of the test that the median of `values` is `centre`: a small `greater` shows that it is greater. 1 for none. */
export function medianTails(values: readonly number[], centre = 0): Tails {
  const chances = coins(values.length);
  /** Chance that no more of n coins fall heads than values lie there: those on `centre` itself count against what is tested. */
  const atMostHeads = (isThere: (value: number) => boolean): number =>
    chances.subarray(0, values.filter(isThere).length + 1).reduce((sum, chance) => sum + chance, 0);
  return tailsOf(
    atMostHeads((value) => value <= centre),
    atMostHeads((value) => value >= centre),
  );
}

/** The least probability that so many values can have, two-sided, however far apart. */
export function leastMedianShift(a: number, b: number): number {
  const [below, above] = [0.5 ** a, 0.5 ** b];
  return Math.min(1, 2 * (below + above - below * above));
}
