// Wilcoxon's signed-rank test (Wilcoxon 1945) of paired differences: are they shifted from 0? Distribution-free: it asks
// only that differences are as likely d as -d where there is no shift. Exact also with ties, by midranks; differences of
// 0 say nothing and are left out. Does not estimate the shift: hodges_lehmann.ts does.

/** Above this many differences the normal approximation, with its correction for ties, is as good and much cheaper. */
const exactUpTo = 200;

export interface SignedRank {
  /** Differences that are not 0. */
  readonly n: number;
  /** Probability, without a shift, of a rank sum of the positive differences at least this great. */
  readonly greater: number;
  /** And at most this great. */
  readonly less: number;
  /** Either way: twice the smaller, at most 1. */
  readonly twoSided: number;
}

/** Midranks of the absolute values times two, so that they are whole; in the order of `values`. */
function doubledMidranks(values: readonly number[]): Uint32Array {
  const order = values.map((_, index) => index).sort((a, b) => Math.abs(values[a] ?? 0) - Math.abs(values[b] ?? 0));
  const ranks = new Uint32Array(values.length);
  for (let first = 0; first < order.length; ) {
    const size = Math.abs(values[order[first] as number] as number);
    let end = first + 1;
    while (end < order.length && Math.abs(values[order[end] as number] as number) === size) end++;
    // Ranks first + 1 to end, of which the mean is (first + 1 + end) / 2.
    for (let place = first; place < end; place++) ranks[order[place] as number] = first + 1 + end;
    first = end;
  }
  return ranks;
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

/** Upper tail of the standard normal distribution; Abramowitz and Stegun 7.1.26 is too coarse for tails, so by Marsaglia's series. */
export function normalUpperTail(z: number): number {
  if (z < 0) return 1 - normalUpperTail(-z);
  if (z > 38) return 0;
  if (z > 5) {
    // Continued fraction: converges fast where the series loses digits.
    let fraction = z;
    for (let k = 60; k > 0; k--) fraction = z + k / fraction;
    return Math.exp((-z * z) / 2) / (Math.sqrt(2 * Math.PI) * fraction);
  }
  let [term, sum] = [z, z];
  for (let k = 1; Math.abs(term) > 1e-17 * sum; k++) {
    term *= (z * z) / (2 * k + 1);
    sum += term;
  }
  return 0.5 - (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The test over differences in any unit. No difference that is not 0: nothing is shown, all probabilities are 1. */
export function signedRank(differences: readonly number[]): SignedRank {
  const values = differences.filter((value) => value !== 0);
  if (values.length === 0) return { n: 0, greater: 1, less: 1, twoSided: 1 };
  const ranks = doubledMidranks(values);
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
  return {
    n: values.length,
    greater: Math.min(1, greater),
    less: Math.min(1, less),
    twoSided: Math.min(1, 2 * Math.min(greater, less)),
  };
}

/**
 * The greatest k for which the rank sum of n differences without ties is below k with a probability of at most `tail`:
 * as many Walsh averages lie outside the interval at each end (hodges_lehmann.ts). 0: n is too small for such a tail.
 */
export function signedRankCritical(n: number, tail: number): number {
  if (n > exactUpTo) {
    const mean = (n * (n + 1)) / 4;
    const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
    let [low, high] = [0, 40];
    while (high - low > 1e-9) {
      const z = (low + high) / 2;
      if (normalUpperTail(z) > tail) low = z;
      else high = z;
    }
    return Math.max(0, Math.floor(mean - 0.5 - high * deviation) + 1);
  }
  const chance = nullDistribution(Uint32Array.from({ length: n }, (_, index) => index + 1));
  let sum = 0;
  for (let k = 0; k < chance.length; k++) {
    sum += chance[k] as number;
    if (sum > tail) return k;
  }
  return chance.length;
}
