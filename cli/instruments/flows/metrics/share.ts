// How flows of one direction share it while all of them run.
import { mean } from "../../../base/quantile.ts";
import { type Measured, missing } from "./measured.ts";

/** Each rate's part of their sum. */
export function shares(rates: readonly number[]): Measured[] {
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  return rates.map((rate) => (total > 0 ? rate / total : missing("nothing came")));
}

/** Mean rate of a flow of the first group over one of the second: 3 is three times as much for each flow. */
export function shareRatio(groups: readonly (readonly number[])[]): Measured {
  const [first, second] = groups;
  if (!first || !second || groups.length > 2) return missing("it is of two kinds of flows: see each one's share");
  const least = mean(second);
  return least > 0 ? mean(first) / least : missing("nothing came of the second kind");
}
