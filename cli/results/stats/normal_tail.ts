// The standard normal distribution: its tails, for tests whose exact distribution would cost too much, and draws from it. Pure arithmetic.
import type { RandomSource } from "../../base/random.ts";

/** Chance of a greater value than z; by Marsaglia's series (2004), good to 15 digits, and far out by the continued fraction. */
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

/** The z that a greater value than has the chance `tail`, for tails up to one half. */
export function normalQuantile(tail: number): number {
  let [low, high] = [0, 40];
  while (high - low > 1e-9) {
    const z = (low + high) / 2;
    if (normalUpperTail(z) > tail) low = z;
    else high = z;
  }
  return high;
}

/** One value (Box and Muller 1958). */
export function normalDraw(random: RandomSource): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
