// Fisher's exact test (1922) of a fourfold table: whether the second of two groups fails more often than the first. One-sided,
// because that is what is asked. Tables only; which loads count as failed is who asks's.

export interface Tries {
  readonly valid: number;
  readonly failed: number;
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** Chance of so many failed tries of `b` or more, when both fail alike and as many fail in all. */
export function risingFailures(a: Tries, b: Tries): number {
  const [triesA, triesB, failed] = [a.valid + a.failed, b.valid + b.failed, a.failed + b.failed];
  const all = logChoose(triesA + triesB, failed);
  let chance = 0;
  for (let count = b.failed; count <= Math.min(failed, triesB); count++)
    if (failed - count <= triesA)
      chance += Math.exp(logChoose(triesB, count) + logChoose(triesA, failed - count) - all);
  return Math.min(1, chance);
}

/** The least that risingFailures() can be of as many tries and failures. */
export function leastRisingFailures(a: Tries, b: Tries): number {
  const [triesB, failed] = [b.valid + b.failed, a.failed + b.failed];
  const most = Math.min(failed, triesB);
  return risingFailures(
    { valid: a.valid + a.failed - (failed - most), failed: failed - most },
    { valid: triesB - most, failed: most },
  );
}
