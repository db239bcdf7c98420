// How flows that run together share a direction: shares, Jain's index, convergence. Pure.
import { mean } from "../../../base/quantile.ts";
import { type Counter, rateOver, ratesBySecond, type Span, second_ms, wholeSeconds } from "./cumulative.ts";
import { isNumber, type Measured, missing } from "./measured.ts";

// How flows of one direction share it while all of them run.

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

// Jain's fairness index (Jain, Chiu, Hawe 1984; RFC 5166, 2.3.1), of flows that ran together. Pure.

const tooFewFlows = "one flow has nothing to share with";

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

// Jain's index in each whole second of the run, of the flows that ran all of it: flows may begin and end as they like.

export interface RunningFlow {
  readonly counter: Counter;
  readonly span: Span;
}

/** [second, index], in order; a second in which fewer than two ran is missing. */
export function jainBySecond(flows: readonly RunningFlow[]): [number, number][] {
  const end = Math.max(0, ...flows.map(({ span }) => wholeSeconds(span)).map(({ first, seconds }) => first + seconds));
  return Array.from({ length: end }, (_, second): [number, number][] => {
    const span = { from_ms: second * second_ms, to_ms: (second + 1) * second_ms };
    const running = flows.filter(({ span: its }) => its.from_ms <= span.from_ms && its.to_ms >= span.to_ms);
    const index = jainIndex(running.map(({ counter }) => rateOver(counter, span)));
    return isNumber(index) ? [[second, index]] : [];
  }).flat();
}

// Convergence time: delta-fair convergence (Bansal, Balakrishnan, Floyd, Shenker 2001; RFC 5166, 2.4) with delta 0.1, which for two flows
// is shares of 45 to 55 %. The RFC starts from two flows of 100/101 and 1/101 of the link; here the flows start as planned, so that a
// late flow against an established one is that case. Goodput in whole seconds is what is looked at, and three in a row are required:
// a flow whose slow start passes its fair share has not converged.

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
