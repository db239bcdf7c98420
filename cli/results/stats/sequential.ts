// When a comparison of two lanes is settled: whether a sweep may stop loading a cell. Looks at the paired loads after each
// block from the fifth on and decides faster, slower, or equivalent within a margin, with the chance of a wrong
// decision over all looks together below 5 %. Pure; which loads come next is the runner's.
//
// Blocks are compared by the signed-rank test, which needs eight of them all one way. Before that two lanes are told apart only where
// all loads of one lie beyond all of the other, as those of most lanes that differ much do after five (2 of 252 orders, by the
// rank-sum test), and by a good part of their ranges, because one lane's loads may be much more alike than the other's.
// The bounds lie between Pocock's (1977), the same level at each look, and O'Brien and Fleming's (1979), which keep it for the last.
// Found by simulation, which test/cli/results/stats/sequential.test.ts repeats: together they spend 5 %. Equivalence is two
// one-sided tests (Schuirmann 1987) at the level that spends 5 % on each side. A comparison that the last look would hardly
// decide is given up, undecided, which can make no decision wrong: by its predictive power (Spiegelhalter, Freedman and
// Blackburn 1986), which goes on from what was seen as a random walk does.

import type { Interval } from "../../base/interval.ts";
import { extremes } from "../../base/quantile.ts";
import { shift } from "./hodges_lehmann.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { signedRank } from "./signed_rank.ts";
import { mirrored, type Tails, tailsOf } from "./tails.ts";
import { rankSum, sampleShift } from "./two_samples.ts";

/** Blocks after which a cell is first and last looked at; after the last it stays undecided. */
export const firstLook = 5;
export const lastLook = 30;

/** Up to so many blocks only wholly separate lanes are told apart, at this level of the rank-sum test. */
export const separationOnlyThroughBlock = 6;
const apartLevel = 0.008;
/** Between them, of the wider one's range. Lanes of one median, one ten times as wide, lie so far apart in under 1 % of cells (without: 3.8). */
export const minSeparation = 0.35;
const atLast = 0.0125;

/** Level of the look after so many blocks, of a two-sided test as of each of two one-sided ones. */
export function nominalLevel(blocks: number): number {
  return blocks <= separationOnlyThroughBlock ? apartLevel : atLast * (blocks / lastLook) ** 0.25;
}

/** Below such a chance to be decided at the last look a comparison is given up. */
export const futilityThreshold = 0.24;
/** Before the signed-rank test can reject one cannot tell that. */
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

const nothingShown = tailsOf(1, 1);

function isApart(lane: readonly number[], over: readonly number[]): boolean {
  const [a, b] = [extremes(lane), extremes(over)];
  if (!a || !b) return false;
  const between = Math.max(a.least - b.greatest, b.least - a.greatest);
  return between > 0 && between >= minSeparation * Math.max(a.greatest - a.least, b.greatest - b.least);
}

/** Whether `over`, made longer by `margin`, took longer than `lane`. */
function compared(pairs: readonly LogPair[], margin: number): Tails {
  if (pairs.length > separationOnlyThroughBlock) return signedRank(pairs.map(({ lane, over }) => over - lane + margin));
  const lane = pairs.map((pair) => pair.lane);
  const over = pairs.map((pair) => pair.over + margin);
  return isApart(lane, over) ? rankSum(lane, over) : nothingShown;
}

/** Hodges and Lehmann's shift of log(over / lane), with the interval that belongs to the test and level of a look; null without pairs. */
export function shiftAtLook(pairs: readonly LogPair[]): { estimate: number; interval: Interval | null } | null {
  const confidence = 1 - nominalLevel(pairs.length);
  if (pairs.length > separationOnlyThroughBlock)
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
    const either = compared(seen, 0);
    if (either.twoSided <= level)
      return { decision: either.greater < either.less ? "faster" : "slower", blocks, givenUp: false };
    const above = compared(seen, margin);
    const below = mirrored(compared(seen, -margin));
    if (Math.max(above.greater, below.greater) <= level) return { decision: "equivalent", blocks, givenUp: false };
    if (blocks >= fewestToGiveUp && blocks < lastLook && isFutile(either, above, below, blocks / lastLook))
      return { decision: "undecided", blocks, givenUp: true };
  }
  return { decision: "undecided", blocks: Math.min(pairs.length, lastLook), givenUp: false };
}
