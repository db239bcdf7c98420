// When a comparison of two lanes is settled: whether a sweep may stop loading a cell. Looks at the paired loads after
// fixed numbers of blocks and decides faster, slower, or equivalent within a margin, with the chance of a wrong
// decision over all looks together below 5 %. Pure; which loads come next is the runner's.
//
// The bounds are Pocock's (1977): the same nominal level at each look. The signed-rank test's joint distribution over
// growing samples does not depend on the distribution of the differences, so the level that spends 5 % over these looks
// is a number, found by simulating signs (test/cli/stats/sequential.test.ts finds it again). Equivalence is two
// one-sided tests (Schuirmann 1987) at the level that spends 5 % on each side.
import { signedRank } from "./signed_rank.ts";

/** Blocks after which a cell is looked at; after the last it stays undecided. */
export const looks = [8, 10, 12, 15, 18, 22, 26, 30] as const;

export const nominalTwoSided = 0.014;
export const nominalOneSided = 0.015;

export type Decision = "faster" | "slower" | "equivalent" | "undecided";

/**
 * `differences`: log(over / lane) of paired loads in the order of their blocks: positive where `lane` was faster.
 * `margin_percent`: differences of less do not matter to who asks. Looks only at the looks that the loads have reached, in
 * order, so that a cell that was settled stays so when more loads come.
 */
export function decide(differences: readonly number[], margin_percent: number): { decision: Decision; blocks: number } {
  const margin = Math.log1p(margin_percent / 100);
  for (const blocks of looks) {
    if (differences.length < blocks) break;
    const seen = differences.slice(0, blocks);
    const { greater, less, twoSided } = signedRank(seen);
    if (twoSided <= nominalTwoSided) return { decision: greater < less ? "faster" : "slower", blocks };
    const above = signedRank(seen.map((value) => value + margin)).greater;
    const below = signedRank(seen.map((value) => value - margin)).less;
    if (Math.max(above, below) <= nominalOneSided) return { decision: "equivalent", blocks };
  }
  return { decision: "undecided", blocks: Math.min(differences.length, looks[looks.length - 1] as number) };
}

/** The next look of a cell with so many blocks; null after the last. */
export function nextLook(blocks: number): number | null {
  return looks.find((look) => look > blocks) ?? null;
}
