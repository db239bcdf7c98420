// Draws from the standard normal distribution. Its tails are normal_tail.ts's.
import type { RandomSource } from "../../base/random.ts";

/** One value (Box and Muller 1958). */
export function normalDraw(random: RandomSource): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
