// Wilcoxon's signed-rank test (Wilcoxon 1945) of paired differences: are they shifted from 0? Distribution-free: it asks
// only that differences are as likely d as -d where there is no shift. Exact also with ties, by midranks; differences of
// 0 say nothing and are left out. Does not estimate the shift: hodges_lehmann.ts does.
import { doubledMidranks } from "./midranks.ts";
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";
import { type Tails, tailsOf } from "./tails.ts";

/** Above this many differences the normal approximation, with its correction for ties, is as good and much cheaper. */
const exactUpTo = 200;

/** Of the rank sum of the positive differences. */
interface SignedRank extends Tails {
  /** Differences that are not 0. */
  readonly n: number;
}

/** Probabilities of each sum of the ranks that get a plus when each does with probability one half. */
function nullDistribution(ranks: Uint32Array): Float64Array {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const chance = new Float64Array(total + 1);
  chance[0] = 1;
  let reached = 0;
  for (const rank of ranks) {
    reached += rank;
    for (let sum = reached; sum >= 0; sum--)
      chance[sum] = ((chance[sum] as number) + (sum >= rank ? (chance[sum - rank] as number) : 0)) / 2;
  }
  return chance;
}

/** The test over differences in any unit. No difference that is not 0: nothing is shown, all probabilities are 1. */
export function signedRank(differences: readonly number[]): SignedRank {
  const values = differences.filter((value) => value !== 0);
  if (values.length === 0) return { n: 0, ...tailsOf(1, 1) };
  const ranks = doubledMidranks(values.map(Math.abs));
  let positive = 0;
  let total = 0;
  let squares = 0;
  ranks.forEach((rank, index) => {
    total += rank;
    squares += rank * rank;
    if ((values[index] as number) > 0) positive += rank;
  });
  let greater: number;
  let less: number;
  if (values.length <= exactUpTo) {
    const chance = nullDistribution(ranks);
    greater = chance.subarray(positive).reduce((sum, value) => sum + value, 0);
    less = chance.subarray(0, positive + 1).reduce((sum, value) => sum + value, 0);
  } else {
    // Mean and variance of the sum of independent coins; half a (doubled) rank for continuity.
    const deviation = Math.sqrt(squares) / 2;
    greater = normalUpperTail((positive - total / 2 - 1) / deviation);
    less = normalUpperTail((total / 2 - positive - 1) / deviation);
  }
  return { n: values.length, ...tailsOf(greater, less) };
}

/**
 * The greatest k for which the rank sum of n differences without ties is below k with a probability of at most `tail`:
 * as many Walsh averages lie outside the interval at each end (hodges_lehmann.ts). 0: n is too small for such a tail.
 */
export function signedRankCritical(n: number, tail: number): number {
  if (n > exactUpTo) {
    const mean = (n * (n + 1)) / 4;
    const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
    return Math.max(0, Math.floor(mean - 0.5 - normalQuantile(tail) * deviation) + 1);
  }
  const chance = nullDistribution(Uint32Array.from({ length: n }, (_, index) => index + 1));
  let sum = 0;
  for (let k = 0; k < chance.length; k++) {
    sum += chance[k] as number;
    if (sum > tail) return k;
  }
  return chance.length;
}
