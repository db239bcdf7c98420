// Smoothness as variation (RFC 5166, 2.2.2): the coefficient of variation of a flow's goodput in whole seconds. Its first seconds are in
// it: a flow that starts slowly is less smooth.
import { coefficientOfVariation, mean } from "../../../base/quantile.ts";
import { type Measured, missing } from "./measured.ts";

/** With fewer, one odd second is all that it would show. */
const fewestSeconds = 5;

/** Standard deviation over mean; any unit. */
export function rateVariation(rates: readonly number[]): Measured {
  if (rates.length < fewestSeconds)
    return missing(`it ran for ${rates.length} whole seconds: ${fewestSeconds} are needed`);
  return mean(rates) > 0 ? coefficientOfVariation(rates) : missing("nothing came in its whole seconds");
}
