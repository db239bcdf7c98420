// When a comparison of two lanes is settled: whether a sweep may stop loading a cell. Looks at the paired loads after each
// block from the fifth on and decides faster, slower, or equivalent within a margin, with the chance of a wrong
// decision over all looks together below 5 %. Pure; which loads come next is the runner's.
//
// Blocks are compared by the signed-rank test, which needs eight of them all one way. Before that the rank-sum test asks whether
// the two lanes' loads lie wholly apart, as most that differ much do after five; what blocks share makes it only more careful.
// The bounds lie between Pocock's (1977), the same level at each look, and O'Brien and Fleming's (1979), which keep it for the last.
// Found by simulation, which test/cli/stats/sequential.test.ts repeats: together they spend 5 %. Equivalence is two
// one-sided tests (Schuirmann 1987) at the level that spends 5 % on each side. A comparison that the last look would hardly
// decide is given up, undecided, which can make no decision wrong: by its predictive power (Spiegelhalter, Freedman and
// Blackburn 1986), which goes on from what was seen as a random walk does.
import type { Interval } from "./bootstrap.ts";
import { shift } from "./hodges_lehmann.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { signedRank } from "./signed_rank.ts";
import { rankSum, sampleShift } from "./two_samples.ts";

/** Blocks after which a cell is first and last looked at; after the last it stays undecided. */
export const firstLook = 5;
export const lastLook = 30;

/** Up to so many blocks by the rank-sum test. */
const apartUpTo = 6;
/** Its levels: lanes that lie wholly apart have 2 of 252 chances, and those that nearly do 6 of 924. */
const apart: Readonly<Record<number, number>> = { 5: 0.008, 6: 0.0066 };
const atLast = 0.0115;

/** Level of the look after so many blocks, of a two-sided test as of each of two one-sided ones. */
export function nominalLevel(blocks: number): number {
  return apart[blocks] ?? atLast * (blocks / lastLook) ** 0.25;
}

/** Below such a chance to be decided at the last look a comparison is given up. */
export const hopeless = 0.24;
/** Before the signed-rank test has its say one cannot tell that. */
const fewestToGiveUp = 7;

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

interface Tails {
  readonly greater: number;
  readonly less: number;
  readonly twoSided: number;
}

/** Whether `over`, made longer by `margin`, took longer than `lane`. */
function compared(pairs: readonly LogPair[], margin: number): Tails {
  if (pairs.length > apartUpTo) return signedRank(pairs.map(({ lane, over }) => over - lane + margin));
  return rankSum(
    pairs.map(({ lane }) => lane),
    pairs.map(({ over }) => over + margin),
  );
}

/** Hodges and Lehmann's shift of log(over / lane), with the interval that belongs to the test and level of a look; null without pairs. */
export function shiftAtLook(pairs: readonly LogPair[]): { estimate: number; interval: Interval | null } | null {
  const confidence = 1 - nominalLevel(pairs.length);
  if (pairs.length > apartUpTo)
    return shift(
      pairs.map(({ lane, over }) => over - lane),
      confidence,
    );
  return sampleShift(
    pairs.map(({ lane }) => lane),
    pairs.map(({ over }) => over),
    confidence,
  );
}

/** Chance that a test with this much to show after a share of its loads shows it at `level` after all of them. */
function predictivePower({ greater, less }: Omit<Tails, "twoSided">, share: number, level: number): number {
  const z = greater < less ? normalQuantile(greater) : less < greater ? -normalQuantile(less) : 0;
  return normalUpperTail((normalQuantile(level) - z / Math.sqrt(share)) / Math.sqrt((1 - share) / share));
}

const mirrored = ({ greater, less, twoSided }: Tails): Tails => ({ greater: less, less: greater, twoSided });

/** Whether the last look would hardly decide: by its chances for a difference either way, and for equivalence. */
function isHopeless(either: Tails, above: Tails, below: Tails, share: number): boolean {
  const level = nominalLevel(lastLook);
  const power = (test: Tails, tail: number) => predictivePower(test, share, tail);
  const different = power(either, level / 2) + power(mirrored(either), level / 2);
  // Both have to be shown: at least this often they are.
  const equivalent = power(above, level) + power(below, level) - 1;
  return different + Math.max(0, equivalent) < hopeless;
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
    const either = compared(seen, 0);
    if (either.twoSided <= level)
      return { decision: either.greater < either.less ? "faster" : "slower", blocks, givenUp: false };
    const above = compared(seen, margin);
    const below = mirrored(compared(seen, -margin));
    if (Math.max(above.greater, below.greater) <= level) return { decision: "equivalent", blocks, givenUp: false };
    if (blocks >= fewestToGiveUp && blocks < lastLook && isHopeless(either, above, below, blocks / lastLook))
      return { decision: "undecided", blocks, givenUp: true };
  }
  return { decision: "undecided", blocks: Math.min(pairs.length, lastLook), givenUp: false };
}
