// Which difference runs of what is compared by pairs would show before they are run: flows, fetches and commands. What pairs of a stored sweep vary
// by is resampled as studies with an effect, and the answer's own functions judge these (contrast.ts, judged.ts), so that what is promised is
// what will be printed. How many runs it takes is ../stats/runs_search.ts's. Values are log ratios of pairs. Pure and seeded.
import { minimumUnits } from "../../base/interval.ts";
import { mean, median } from "../../base/quantile.ts";
import type { RandomSource } from "../../base/random.ts";
import { normalDraw } from "../stats/normal_tail.ts";
import type { Studies, Study } from "../stats/runs_search.ts";
import { allowanceFor, fewestOfShape } from "../verdict/load_noise.ts";
import { type RuledAttempt, type RuledComparison, RuledValues } from "./block_values.ts";
import { contrast, logOf, type Pair, unitsOf } from "./contrast.ts";
import { judgeTogether, type ToJudge } from "./judged.ts";

type Draw = (random: RandomSource) => number;

/** How pairs of one comparison vary. */
export interface PairedNoise {
  /** What is compared in each block: objects; of anything else there is one. */
  readonly objects: number;
  /** Standard deviation of an object's log ratio from block to block, as it was found. */
  readonly spread: number;
  /** How many times wider it is planned with, because few runs may have hidden it. */
  readonly allowance: number;
  /** A block's deviation, with the allowance. */
  readonly deviation: Draw;
  /** An object's own difference from the others. */
  readonly offset: Draw;
  /** The fewest pairs of an object. */
  readonly runs: number;
}

/** More objects show at least what these do. */
const mostObjects = 300;

/** Of each object that both sides have its pairs, in the order of their blocks. */
export function pairsByObject<Attempt extends RuledAttempt>(
  comparisons: readonly RuledComparison<Attempt>[],
  attempts: readonly Attempt[],
): Pair[][][] {
  const split = comparisons.map(({ one, other }) =>
    [...one.cells]
      .filter(([object]) => other.cells.has(object))
      .map(([object, cell]) => ({
        one: { ...one, cells: new Map([[object, cell]]) },
        other: { ...other, cells: new Map([[object, other.cells.get(object) as number]]) },
      })),
  );
  const values = new RuledValues({ sides: [], comparisons: split.flat() }, attempts);
  return split.map((objects) => objects.map((each) => values.pairsOf(each)).filter((pairs) => pairs.length > 0));
}

const sumOfSquares = (values: readonly number[]): number => values.reduce((sum, value) => sum + value ** 2, 0);
const centred = (values: readonly number[]): number[] => {
  const centre = median(values);
  return values.map((value) => value - centre);
};

/**
 * Values as they were, each a little blurred, because few of them make ties that measurements have not. Whichever side is the first, equal ones
 * differ as often by so much more as by so much less: each value stands for both.
 */
function resampled(values: readonly number[]): Draw {
  const blur = 0.5 * (2 * values.length) ** -0.2;
  const size = Math.sqrt(sumOfSquares(values) / values.length);
  const shrink = 1 / Math.sqrt(1 + blur ** 2);
  return (random) => {
    const value = values[Math.floor(random() * values.length)] as number;
    return (random() < 0.5 ? -1 : 1) * (value + blur * size * normalDraw(random)) * shrink;
  };
}

/** Of fewer values than have a shape: normal ones. `spread`: what they are planned with. */
function drawLike(values: readonly number[], spread: number): Draw {
  if (values.length < fewestOfShape) return (random) => spread * normalDraw(random);
  const size = Math.sqrt(sumOfSquares(values) / values.length);
  return size > 0 ? resampled(values.map((value) => (value * spread) / size)) : () => 0;
}

/** How objects differ, without what few blocks add to it. */
function offsetsOf(objects: readonly (readonly number[])[], spread: number): Draw {
  const offsets = centred(objects.map((logs) => median(logs)));
  if (offsets.length < 2) return () => 0;
  const variance = sumOfSquares(offsets) / (offsets.length - 1);
  const ofBlocks = (medianVariance * spread ** 2) / mean(objects.map((logs) => logs.length));
  return drawLike(offsets, Math.sqrt(Math.max(0, variance - ofBlocks)));
}

/** Null if no object has two pairs. */
export function pairedNoise(objects: readonly (readonly Pair[])[]): PairedNoise | null {
  const known = objects.map((pairs) => pairs.map(logOf)).filter((logs) => logs.length >= 2);
  if (known.length === 0) return null;
  const deviations = known.flatMap(centred);
  const freedom = deviations.length - known.length;
  const about = known.map((logs) => sumOfSquares(logs) - logs.length * mean(logs) ** 2);
  const spread = Math.sqrt(
    Math.max(
      0,
      about.reduce((sum, squares) => sum + squares, 0),
    ) / freedom,
  );
  const allowance = allowanceFor(freedom);
  return {
    ...{ objects: known.length, spread, allowance },
    deviation: drawLike(deviations, spread * allowance),
    offset: offsetsOf(known, spread),
    runs: Math.min(...known.map((logs) => logs.length)),
  };
}

/** One object whose log ratios are normal. */
export const normalPairs = (spread: number): PairedNoise => ({
  ...{ objects: 1, spread, allowance: 1, runs: 0 },
  deviation: (random) => spread * normalDraw(random),
  offset: () => 0,
});

/** Of medians of normal values against their mean. */
const medianVariance = Math.PI / 2;

const pairOf = (log: number): Pair => ({ one: Math.exp(log), other: 1 });

/** The log ratio of each unit in a study of so many runs. */
function studyUnits({ objects, deviation, offset }: PairedNoise, runs: number, random: RandomSource): number[] {
  const own = centred(Array.from({ length: Math.min(objects, mostObjects) }, () => offset(random)));
  const pairs = own.map((log) => Array.from({ length: runs }, () => pairOf(log + deviation(random))));
  return unitsOf(pairs).units.map((unit) => median(unit.map(logOf)));
}

const isMore = (all: readonly ToJudge[]): boolean => judgeTogether(all, undefined)[0]?.shown === "more";

/** Whether the answer says that one is more, also if nothing else differs that is read with it (`others`). */
function isShown(units: readonly number[], others: readonly ToJudge[]): boolean {
  const found = contrast(units.map((log) => [pairOf(log)]));
  if (found === null) return false;
  const own: ToJudge = { found, ruled: null };
  // What is not shown alone is not shown beside others: few studies are read with hundreds of them.
  return isMore([own]) && (others.length === 0 || isMore([own, ...others]));
}

const noDifference: ToJudge = {
  found: { ratio: 1, interval: { low: 1, high: 1 }, probability: 1, comparisons: 1, n: 1 },
  ruled: null,
};

function studyOf(units: readonly number[], others: readonly ToJudge[]): Study {
  return {
    isShown: (more) =>
      isShown(
        units.map((log) => log + more),
        others,
      ),
    leastShown: () => {
      const interval = contrast(units.map((log) => [pairOf(log)]))?.interval;
      return interval ? -Math.log(interval.low) : Number.POSITIVE_INFINITY;
    },
  };
}

/** Studies that are simulated: enough to know a power within some 3 %, and of many values fewer. */
const studies = { most: 400, least: 40, values: 60_000 } as const;

/** Studies of one comparison, that is read with others: `together` of them are corrected for one another. */
export function pairedStudies(noise: PairedNoise, together: number): Studies {
  const others = Array.from({ length: together - 1 }, () => noDifference);
  return {
    count: (runs) => {
      const values = runs * Math.min(noise.objects, mostObjects);
      return Math.max(studies.least, Math.min(studies.most, Math.round(studies.values / values)));
    },
    draw: (runs, effect, random) =>
      studyOf(
        studyUnits(noise, runs, random).map((log) => log + effect),
        others,
      ),
    areCheap: true,
    runsByTheory: (effect, distance) => {
      const units = noise.objects < minimumUnits ? noise.objects : 1;
      return Math.ceil((medianVariance * (noise.spread * noise.allowance * (distance / effect)) ** 2) / units);
    },
  };
}
