// Jain's fairness index (Jain, Chiu, Hawe 1984; RFC 5166, 2.3.1), of flows that ran together. Pure.
import { type Measured, missing } from "./measured.ts";

export const tooFewFlows = "one flow has nothing to share with";

/** (sum x)^2 / (n sum x^2), from 1/n (one has all) to 1 (all have the same); any unit, none below 0. */
export function jainIndex(rates: readonly number[]): Measured {
  if (rates.length < 2) return missing(tooFewFlows);
  // Of shares, so that no sum of squares overflows, and rounding cannot pass 1.
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  if (total === 0) return missing("nothing came");
  const squares = rates.reduce((sum, rate) => sum + (rate / total) ** 2, 0);
  return Math.min(1, 1 / (rates.length * squares));
}

/** The smallest over the largest (RFC 5166, 2.3.1: at least 1 - epsilon is epsilon-fair). */
export function leastOverGreatest(rates: readonly number[]): Measured {
  if (rates.length < 2) return missing(tooFewFlows);
  const greatest = Math.max(...rates);
  return greatest === 0 ? missing("nothing came") : Math.min(...rates) / greatest;
}
