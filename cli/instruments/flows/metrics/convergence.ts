// Convergence time: delta-fair convergence (Bansal, Balakrishnan, Floyd, Shenker 2001; RFC 5166, 2.4) with delta 0.1, which for two flows
// is shares of 45 to 55 %. The RFC starts from two flows of 100/101 and 1/101 of the link; here the flows start as they were asked to, so that a
// late flow against an established one is that case. Goodput in whole seconds is what is looked at, and three in a row are asked for:
// a flow whose slow start passes its fair share has not converged.
import { type Counter, ratesBySecond, type Span } from "./cumulative.ts";
import { tooFewFlows } from "./jain.ts";
import { type Measured, missing } from "./measured.ts";

const delta = 0.1;
const secondsInARow = 3;

/** Whether each is within delta of their mean. */
function isFair(rates: readonly number[]): boolean {
  const fair = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return fair > 0 && rates.every((rate) => Math.abs(rate - fair) <= delta * fair);
}

/** In ms after `together`, the time in which all flows ran, began. */
export function convergence_ms(counters: readonly Counter[], together: Span): Measured {
  if (counters.length < 2) return missing(tooFewFlows);
  const rates = counters.map((counter) => ratesBySecond(counter, together, together.from_ms));
  const seconds = rates[0]?.length ?? 0;
  if (seconds < secondsInARow) return missing(`the flows ran together for less than ${secondsInARow} s`);
  let inARow = 0;
  for (let second = 0; second < seconds; second++) {
    inARow = isFair(rates.map((ofFlow) => ofFlow[second] as number)) ? inARow + 1 : 0;
    if (inARow === secondsInARow) return (second + 1 - secondsInARow) * 1000;
  }
  return missing(`not within ${delta * 100} % of the mean for ${secondsInARow} s in a row`);
}
