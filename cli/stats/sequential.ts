// When a comparison of two lanes is settled: whether a sweep may stop loading a cell. Looks at the paired loads after
// fixed numbers of blocks and decides faster, slower, or equivalent within a margin, with the chance of a wrong
// decision over all looks together below 5 %. Pure; which loads come next is the runner's.
//
// The bounds are Pocock's (1977), nearly: the same nominal level at each look but the first, where seven blocks all one way
// have to be enough. The signed-rank test's joint distribution over growing samples does not depend on the distribution of the
// differences, so the level that spends 5 % over these looks
// is a number, found by simulating signs (test/cli/stats/sequential.test.ts finds it again). Equivalence is two
// one-sided tests (Schuirmann 1987) at the level that spends 5 % on each side. A comparison that the last look would hardly
// decide is given up, undecided, which can make no decision wrong: by its predictive power (Spiegelhalter, Freedman and
// Blackburn 1986), which goes on from what was seen as a random walk does.
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { type SignedRank, signedRank } from "./signed_rank.ts";

/** Blocks after which a cell is looked at; after the last it stays undecided. */
export const looks = [7, 8, 10, 12, 15, 18, 22, 26, 30] as const;

/** At the first look 2 of 128 ways, and at those that follow. */
const nominal = { first: 2 / 128, twoSided: 0.0113, oneSided: 0.0135 } as const;

/** Levels of a look after so many blocks. */
export function nominalLevels(blocks: number): { readonly twoSided: number; readonly oneSided: number } {
  return blocks <= looks[0] ? { twoSided: nominal.first, oneSided: nominal.first } : nominal;
}

/** Below such a chance to be decided at the last look a comparison is given up. */
const hopeless = 0.2;

export type Decision = "faster" | "slower" | "equivalent" | "undecided";

export interface Outcome {
  readonly decision: Decision;
  /** Paired loads that it took. */
  readonly blocks: number;
  /** Undecided, and further loads would hardly change that. */
  readonly givenUp: boolean;
}

/** Chance that a test with this much to show after a share of its loads shows it at `level` after all of them. */
function predictivePower(
  { greater, less }: Pick<SignedRank, "greater" | "less">,
  share: number,
  level: number,
): number {
  const z = greater < less ? normalQuantile(greater) : less < greater ? -normalQuantile(less) : 0;
  return normalUpperTail((normalQuantile(level) - z / Math.sqrt(share)) / Math.sqrt((1 - share) / share));
}

const mirrored = ({ greater, less }: SignedRank) => ({ greater: less, less: greater });

/**
 * `differences`: log(over / lane) of paired loads in the order of their blocks: positive where `lane` was faster.
 * `margin_percent`: differences of less do not matter to who asks. Looks only at the looks that the loads have reached, in
 * order, so that a cell that was settled stays so when more loads come.
 */
export function decide(differences: readonly number[], margin_percent: number): Outcome {
  const margin = Math.log1p(margin_percent / 100);
  const last = looks[looks.length - 1] as number;
  for (const blocks of looks) {
    if (differences.length < blocks) break;
    const seen = differences.slice(0, blocks);
    const level = nominalLevels(blocks);
    const either = signedRank(seen);
    if (either.twoSided <= level.twoSided)
      return { decision: either.greater < either.less ? "faster" : "slower", blocks, givenUp: false };
    const above = signedRank(seen.map((value) => value + margin));
    const below = mirrored(signedRank(seen.map((value) => value - margin)));
    if (Math.max(above.greater, below.greater) <= level.oneSided)
      return { decision: "equivalent", blocks, givenUp: false };
    const share = blocks / last;
    const power = (test: Pick<SignedRank, "greater" | "less">, level: number) => predictivePower(test, share, level);
    const different = power(either, nominal.twoSided / 2) + power(mirrored(either), nominal.twoSided / 2);
    // Both have to be shown: at least this often they are.
    const equivalent = power(above, nominal.oneSided) + power(below, nominal.oneSided) - 1;
    if (blocks < last && different + Math.max(0, equivalent) < hopeless)
      return { decision: "undecided", blocks, givenUp: true };
  }
  return { decision: "undecided", blocks: Math.min(differences.length, last), givenUp: false };
}

/** The next look of a cell with so many blocks; null after the last. */
export function nextLook(blocks: number): number | null {
  return looks.find((look) => look > blocks) ?? null;
}
