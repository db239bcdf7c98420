// What a test of ranks comes to: the chances of its statistic, without a shift, at both ends. No test.

export interface Tails {
  /** Probability of a statistic at least this great. */
  readonly greater: number;
  /** And at most this great. */
  readonly less: number;
  /** Either way: twice the smaller, at most 1. */
  readonly twoSided: number;
}

/** Sums of many chances may pass 1 by a last bit. */
export function tailsOf(greater: number, less: number): Tails {
  return { greater: Math.min(1, greater), less: Math.min(1, less), twoSided: Math.min(1, 2 * Math.min(greater, less)) };
}

/** Of the test with both sides' parts exchanged. */
export const mirrored = ({ greater, less, twoSided }: Tails): Tails => ({ greater: less, less: greater, twoSided });
