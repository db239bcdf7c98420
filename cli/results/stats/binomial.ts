// The binomial distribution: chances of so many successes among n tries, and the exact interval of a share (Clopper and Pearson
// 1934). No approximation.
import { confidence, type Interval } from "../../base/interval.ts";

/** Chances of 0 to n successes among n independent tries, each with the chance `p`, 0 < p < 1. */
export function binomialChances(n: number, p: number): Float64Array {
  const chances = new Float64Array(n + 1);
  const logOdds = Math.log(p) - Math.log1p(-p);
  // As a logarithm: of many tries the first chance is no number any more.
  let logChance = n * Math.log1p(-p);
  for (let successes = 0; successes <= n; successes++) {
    chances[successes] = Math.exp(logChance);
    logChance += logOdds + Math.log((n - successes) / (successes + 1));
  }
  return chances;
}

function atLeast(successes: number, n: number, p: number): number {
  return binomialChances(n, p)
    .subarray(successes)
    .reduce((sum, chance) => sum + chance, 0);
}

/** The chance of a success at which `successes` or more of n have the chance `tail`. */
function leastShare(successes: number, n: number, tail: number): number {
  if (successes === 0) return 0;
  let [low, high] = [0, 1];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (atLeast(successes, n, middle) > tail) high = middle;
    else low = middle;
  }
  return low;
}

/** 95 % interval of a share of which `successes` of n were seen; it holds the truth in 95 % or more. n of 1 or more. */
export function shareInterval(successes: number, n: number): Interval {
  const tail = (1 - confidence) / 2;
  return { low: leastShare(successes, n, tail), high: 1 - leastShare(n - successes, n, tail) };
}
