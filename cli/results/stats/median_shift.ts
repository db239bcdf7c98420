// median_test.ts's test for many shifts of the same two samples, and for samples in pairs, where what disturbs one load of a pair
// mostly disturbs the other too. Of pairs it still asks of the two medians, not of the pairs' differences: of unequal shapes the
// median of the differences is another thing (before: one kind of loads; after: some of them slower, with the same median). How many
// values lie below their medians is heads of coins as there, but a pair's two coins fall alike as often as the pairs of these loads
// do, which narrows where the difference may be.
import { countThrough, median } from "../../base/quantile.ts";
import { chanceAtMost, coins, type Place, placesOf } from "./median_test.ts";

/** Both samples' values by pair; null: that one is missing. */
interface PairedValues {
  readonly a: readonly (number | null)[];
  readonly b: readonly (number | null)[];
}

const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/**
 * How often the two of a pair lie on the same side of their medians: one standard error less than was seen, since few agree
 * by chance, and never less than of independent loads.
 */
function concordance({ a, b }: PairedValues, medians: { readonly a: number; readonly b: number }): number {
  const sides = a.flatMap((value, index) => {
    const other = b[index] ?? null;
    const side = value === null || other === null ? 0 : Math.sign(value - medians.a) * Math.sign(other - medians.b);
    return side === 0 ? [] : [side];
  });
  if (sides.length === 0) return 0.5;
  const alike = sides.filter((side) => side > 0).length / sides.length;
  return Math.max(0.5, alike - 0.5 / Math.sqrt(sides.length));
}

/** Chance of so many values of `a`, and of `b`, below their medians: [of a][of b]. */
function jointCoins({ a, b }: PairedValues, alike: number): Float64Array[] {
  let chances = [Float64Array.of(1)];
  a.forEach((value, index) => {
    const [moreA, moreB] = [Number(value !== null), Number((b[index] ?? null) !== null)];
    const ways =
      moreA + moreB === 2
        ? [
            { a: 0, b: 0, chance: alike / 2 },
            { a: 1, b: 1, chance: alike / 2 },
            { a: 1, b: 0, chance: (1 - alike) / 2 },
            { a: 0, b: 1, chance: (1 - alike) / 2 },
          ]
        : [
            { a: 0, b: 0, chance: 0.5 },
            { a: moreA, b: moreB, chance: 0.5 },
          ];
    if (moreA + moreB === 0) return;
    const next = Array.from({ length: chances.length + moreA }, () => {
      return new Float64Array((chances[0] as Float64Array).length + moreB);
    });
    chances.forEach((row, belowA) => {
      row.forEach((chance, belowB) => {
        for (const way of ways) {
          const into = next[belowA + way.a] as Float64Array;
          into[belowB + way.b] = (into[belowB + way.b] as number) + chance * way.chance;
        }
      });
    });
    chances = next;
  });
  return chances;
}

/** Rarer places of the two medians than this add nothing that is reported. */
const negligible = 1e-12;

/** Where both medians may be, and how probable that is. */
interface Places {
  readonly x: Place;
  readonly y: Place;
  readonly chance: number;
}

type Chances = (belowA: number, belowB: number) => number;

function jointPlaces(a: readonly number[], b: readonly number[], chances: Chances): Places[] {
  const ofB = placesOf(b);
  return placesOf(a).flatMap((x, belowA) =>
    ofB.flatMap((y, belowB): Places[] => {
      const chance = chances(belowA, belowB);
      return chance < negligible ? [] : [{ x, y, chance }];
    }),
  );
}

/** Chance that median(b) - median(a) is at most a shift. */
type Reaching = (places: readonly Places[]) => (shift: number) => number;

const sumOf = (places: readonly Places[]): number => places.reduce((sum, { chance }) => sum + chance, 0);

/** Of a above all its values, or b below all of its: the difference may be as small as it likes. */
const isOpen = ({ x, y }: Places): boolean => x.isAboveAll || y.isBelowAll;

/** Each median anywhere alike in its place. */
const anywhereAlike: Reaching = (places) => {
  const ends = sumOf(places.filter(isOpen));
  const inner = places.filter((each) => !isOpen(each));
  return (shift) => inner.reduce((sum, { x, y, chance }) => sum + chance * chanceAtMost(x, y, shift), ends);
};

/** Whatever can be at most the shift counts in full. */
const whereverItMayBe: Reaching = (places) => {
  const ends = sumOf(places.filter(isOpen));
  const inner = places
    .filter((each) => !isOpen(each))
    .map(({ x, y, chance }) => ({ least: y.low - x.high, chance }))
    .sort((one, other) => one.least - other.least);
  const least = Float64Array.from(inner, (each) => each.least);
  const upTo = new Float64Array(inner.length + 1).fill(ends);
  inner.forEach(({ chance }, index) => {
    upTo[index + 1] = (upTo[index] as number) + chance;
  });
  return (shift) => upTo[countThrough(least, shift)] as number;
};

const turned = (values: readonly number[]): number[] => values.map((value) => -value);

/**
 * The one-sided tests that median(b) - median(a) is a shift, by the shift, any unit: a small `greater` shows that it is greater.
 * Both are 1 where a sample is empty.
 */
export interface MedianShift {
  readonly greater: (shift: number) => number;
  readonly less: (shift: number) => number;
}

function testsBy(a: readonly number[], b: readonly number[], chances: Chances, reaching: Reaching): MedianShift {
  if (a.length === 0 || b.length === 0) return { greater: () => 1, less: () => 1 };
  const atMost = reaching(jointPlaces(a, b, chances));
  // Coins are as often heads as tails, so that the same chances are those of the values turned round.
  const atLeast = reaching(jointPlaces(turned(a), turned(b), chances));
  // Sums of many chances may pass 1 by a last bit.
  return { greater: (shift) => Math.min(1, atMost(shift)), less: (shift) => Math.min(1, atLeast(-shift)) };
}

/** Coins of more pairs would take too long to count: theirs are taken to fall by themselves, which is only more careful. */
const mostPairs = 200;

function chancesOf(values: PairedValues): Chances {
  const [a, b] = [present(values.a), present(values.b)];
  if (values.a.length > mostPairs || a.length === 0 || b.length === 0) return independent(a.length, b.length);
  const joint = jointCoins(values, concordance(values, { a: median(a), b: median(b) }));
  return (belowA, belowB) => joint[belowA]?.[belowB] ?? 0;
}

function independent(a: number, b: number): Chances {
  const [ofA, ofB] = [coins(a), coins(b)];
  return (belowA, belowB) => (ofA[belowA] ?? 0) * (ofB[belowB] ?? 0);
}

/** Of unpaired samples medianShiftTails() for many shifts; of pairs as it, and surer the more often a pair lies alike. */
export function medianShift(values: PairedValues, isPaired: boolean): MedianShift {
  return testsOf(values, isPaired, anywhereAlike);
}

/**
 * As medianShift, but without a guess at where between two values a median
 * lies: wherever it may be counts against what is tested. Between the two kinds of loads of a page there is nothing, and a guess that
 * the median is somewhere there errs to one side: a little in one test, and much in the combination of many.
 */
export function carefulMedianShift(values: PairedValues, isPaired: boolean): MedianShift {
  return testsOf(values, isPaired, whereverItMayBe);
}

function testsOf(values: PairedValues, isPaired: boolean, reaching: Reaching): MedianShift {
  const [a, b] = [present(values.a), present(values.b)];
  return testsBy(a, b, isPaired ? chancesOf(values) : independent(a.length, b.length), reaching);
}
