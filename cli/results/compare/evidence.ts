// What two sides' loads say of a change of a given size, as tails by the size: of one cell, and of several together. Changes are
// differences of the logarithms of median page load times. Three grounds, of which each must speak for itself (an
// intersection-union test, Berger 1982), so that the least convincing one counts:
// - within occasions: the two medians, whatever the shapes of the noise (stats/median_test.ts); of cells together their tests
//   combined (stats/stouffer.ts) and never their medians, because those of few loads err to one side where shapes are not alike, and
//   over many cells that would add up;
// - between cells: of cells together, how far apart the changes of pages on links lie, because a mean of such unlike changes is
//   not known better than they agree;
// - between occasions, where a side has several: how far apart they lie, by Welch's (1947) t.
// Pure. Which sizes are asked about, and what follows, is compare.ts's.
import type { Interval } from "../../base/interval.ts";
import { mean, median, standardDeviation } from "../../base/quantile.ts";
import { carefulMedianShift, type MedianShift, medianShift } from "../stats/median_shift.ts";
import { leastMedianShift } from "../stats/median_test.ts";
import { stouffer } from "../stats/stouffer.ts";
import { studentUpperTail } from "../stats/student_tail.ts";
import type { TimedLoad } from "./pairs.ts";

export interface Evidence {
  /** The median logarithm after less that before; of cells together its mean over pages on links. */
  readonly change: number;
  /** Chance of such loads if the change were at most `size`: small shows a greater one. Rises with it. */
  readonly greater: (size: number) => number;
  /** And if it were at least `size`: small shows a smaller one. */
  readonly less: (size: number) => number;
  /** The least that either can be of so many loads. */
  readonly least: number;
}

/** A cell's, with what groups of cells need of it. */
export interface CellEvidence extends Evidence {
  /** Within occasions, and nothing guessed: what is combined with other cells' (carefulMedianShift). */
  readonly careful: Pick<Evidence, "greater" | "less">;
  readonly leastCareful: number;
  /** Median logarithms by occasion; NaN where none of the occasion's loads counts. */
  readonly medians: { readonly a: readonly number[]; readonly b: readonly number[] };
}

/** Both sides' loads of a cell. `isPaired`: in one sweep, block by block, so that occasion i of one is occasion i of the other. */
interface CellLoads {
  readonly a: readonly (readonly TimedLoad[])[];
  readonly b: readonly (readonly TimedLoad[])[];
  readonly isPaired: boolean;
}

type Grounds = Pick<Evidence, "greater" | "less">;

const logOf = ({ plt_ms }: TimedLoad): number => Math.log(plt_ms);
const logsOf = (occasions: readonly (readonly TimedLoad[])[]): number[] => occasions.flat().map(logOf);

/** The logarithms of all occasions' blocks, pair by pair. */
function pairedLogs({ a, b }: CellLoads): { readonly a: (number | null)[]; readonly b: (number | null)[] } {
  const pairs = a.flatMap((loads, occasion) => {
    const [before, after] = [loads, b[occasion] ?? []].map(
      (side) => new Map(side.map((load) => [load.block, logOf(load)])),
    );
    const blocks = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
    return [...blocks].map((block) => ({ a: before?.get(block) ?? null, b: after?.get(block) ?? null }));
  });
  return { a: pairs.map((pair) => pair.a), b: pairs.map((pair) => pair.b) };
}

/**
 * Tests that guess where between two values a median lies are wrong a little too often where nearly half of the loads are of
 * another kind: in 5.7 % at the level of 5 %, found by simulation (test/cli/results/compare/simulated_compare.ts).
 */
const guessing = 1.2;

function guessed({ greater, less }: MedianShift): Grounds {
  return {
    greater: (size) => Math.min(1, guessing * greater(size)),
    less: (size) => Math.min(1, guessing * less(size)),
  };
}

/** Page load times change by no more than this factor, as a logarithm. */
const farthest = Math.log(1e4);

/** Where a tail that rises with the size passes a level; null: it is above it however small the size. */
function crossing(rising: (size: number) => number, level: number): number | null {
  let [low, high] = [-farthest, farthest];
  if (rising(low) > level) return null;
  while (high - low > 1e-5) {
    const middle = (low + high) / 2;
    if (rising(middle) > level) high = middle;
    else low = middle;
  }
  return high;
}

/** The change that is as likely too small as too great, seen from below and from above. */
function middleOf({ greater, less }: Grounds): { readonly low: number; readonly high: number } | null {
  const low = crossing(greater, 0.5);
  const high = crossing((size) => less(-size), 0.5);
  return low === null || high === null ? null : { low, high: -high };
}

interface Spread {
  /** Standard error of the change. */
  readonly error: number;
  readonly freedom: number;
}

const has = (value: number): boolean => !Number.isNaN(value);

/** Of the figures of both sides' occasions; null: each has one only. */
function spreadOf(all: CellEvidence["medians"], isPaired: boolean): Spread | null {
  if (isPaired) {
    const changes = all.a.map((before, occasion) => (all.b[occasion] ?? Number.NaN) - before).filter(has);
    if (changes.length < 2) return null;
    return { error: standardDeviation(changes) / Math.sqrt(changes.length), freedom: changes.length - 1 };
  }
  const [a, b] = [all.a.filter(has), all.b.filter(has)];
  if (Math.min(a.length, b.length) === 0) return null;
  const [one, other] = [a, b].map((values) =>
    values.length < 2 ? null : standardDeviation(values) ** 2 / values.length,
  );
  if (typeof one === "number" && typeof other === "number") {
    const perFreedom = one ** 2 / (a.length - 1) + other ** 2 / (b.length - 1);
    const freedom = perFreedom > 0 ? (one + other) ** 2 / perFreedom : a.length + b.length - 2;
    return { error: Math.sqrt(one + other), freedom };
  }
  // Of a side with one occasion the other side's tell how far it may lie off.
  const several = [a, b].find((values) => values.length > 1);
  if (!several) return null;
  const error = standardDeviation(several) * Math.sqrt(1 / a.length + 1 / b.length);
  return { error, freedom: several.length - 1 };
}

/** Around a change that is known from below and from above. */
function around({ low, high }: { readonly low: number; readonly high: number }, { error, freedom }: Spread): Grounds {
  return {
    greater: (size) => studentUpperTail((low - size) / error, freedom),
    less: (size) => studentUpperTail((size - high) / error, freedom),
  };
}

function allOf(grounds: readonly Grounds[]): Grounds {
  return {
    greater: (size) => Math.max(...grounds.map(({ greater }) => greater(size))),
    less: (size) => Math.max(...grounds.map(({ less }) => less(size))),
  };
}

/**
 * And even that leans a little where nearly half of the loads are of another kind: by itself the t test would be wrong in 8 % at the
 * level of 5 %, found by simulation as above.
 */
const leaning = 1.6;

/** The grounds between occasions, which stand around what was found within them; none where each side has one occasion. */
function betweenOccasions(within: Grounds, medians: CellEvidence["medians"], isPaired: boolean): Grounds[] {
  const spread = spreadOf(medians, isPaired);
  if (spread === null) return [];
  const middle = middleOf(within);
  if (middle === null) return [{ greater: () => 1, less: () => 1 }];
  // Loads of several occasions at once are spread out by what these add, which moves the median of loads of two kinds, as few loads
  // move those of single occasions: whichever says less counts.
  const apart = mean(medians.b.filter(has)) - mean(medians.a.filter(has));
  const { greater, less } = around({ low: Math.min(middle.low, apart), high: Math.max(middle.high, apart) }, spread);
  return [
    { greater: (size) => Math.min(1, leaning * greater(size)), less: (size) => Math.min(1, leaning * less(size)) },
  ];
}

/** One-sided, the least probability that so many values of both can have in one cell, however far apart. */
const leastInOne = (a: number, b: number): number => leastMedianShift(a, b) / 2;

/** The fewest loads of each side of which one of so many tests can show anything at this level. */
export function loadsNeeded(tests: number, level: number): number {
  let loads = 1;
  while (guessing * leastInOne(loads, loads) * tests > level) loads++;
  return loads;
}

/** Null where a side has no load that counts. */
export function cellEvidence(cell: CellLoads): CellEvidence | null {
  const [a, b] = [logsOf(cell.a), logsOf(cell.b)];
  if (a.length === 0 || b.length === 0) return null;
  const pairs = pairedLogs(cell);
  const within = guessed(medianShift(pairs, cell.isPaired));
  const mediansOf = (occasions: CellLoads["a"]): number[] =>
    occasions.map((loads) => (loads.length === 0 ? Number.NaN : median(loads.map(logOf))));
  const medians = { a: mediansOf(cell.a), b: mediansOf(cell.b) };
  return {
    change: median(b) - median(a),
    ...allOf([within, ...betweenOccasions(within, medians, cell.isPaired)]),
    least: guessing * leastInOne(a.length, b.length),
    careful: carefulMedianShift(pairs, cell.isPaired),
    leastCareful: leastInOne(a.length, b.length),
    medians,
  };
}

/** Mean of each occasion over cells that were loaded on all of them; empty where none was. */
function occasionMeans(cells: readonly CellEvidence[], side: "a" | "b"): number[] {
  const [first] = cells;
  return (first?.medians[side] ?? []).map((_, occasion) =>
    mean(cells.map(({ medians }) => medians[side][occasion] as number)),
  );
}

function isOnAllOccasions({ medians: { a, b } }: CellEvidence, occasions: { a: number; b: number }): boolean {
  return a.length === occasions.a && b.length === occasions.b && [...a, ...b].every(has);
}

/**
 * Of cells together, by places (pages on links): lanes of one place were loaded in the same minutes and may err together. Null for
 * fewer than two places, or where no cell was loaded on all occasions.
 */
export function evidenceTogether(
  places: readonly (readonly CellEvidence[])[],
  occasions: { readonly a: number; readonly b: number },
  isPaired: boolean,
): Evidence | null {
  if (places.length < 2) return null;
  const changes = places.map((cells) => mean(cells.map(({ change }) => change)));
  const change = mean(changes);
  const combined = (tail: "greater" | "less") => (size: number) =>
    stouffer(
      places.map((cells) =>
        cells.map(({ careful, leastCareful: least }) => ({ probability: careful[tail](size), least })),
      ),
    );
  const within = { greater: combined("greater"), less: combined("less") };
  const error = standardDeviation(changes) / Math.sqrt(changes.length);
  const betweenCells = around({ low: change, high: change }, { error, freedom: changes.length - 1 });
  const whole = places.flat().filter((cell) => isOnAllOccasions(cell, occasions));
  if (whole.length === 0) return null;
  const medians = { a: occasionMeans(whole, "a"), b: occasionMeans(whole, "b") };
  const least = stouffer(
    places.map((cells) => cells.map(({ leastCareful: least }) => ({ probability: least, least }))),
  );
  return { change, ...allOf([within, betweenCells, ...betweenOccasions(within, medians, isPaired)]), least };
}

/** The sizes that are not shown to be too small or too great, each with so much chance of error; null: of too few loads. */
export function intervalOf({ greater, less }: Grounds, tail: number): Interval | null {
  const low = crossing(greater, tail);
  const high = crossing((size) => less(-size), tail);
  return low === null || high === null ? null : { low, high: -high };
}
