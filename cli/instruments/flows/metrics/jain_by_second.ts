// Jain's index in each whole second of the run, of the flows that ran all of it: flows may begin and end as they like.
import { type Counter, rateOver, type Span, second_ms, wholeSeconds } from "./cumulative.ts";
import { jainIndex } from "./jain.ts";
import { isNumber } from "./measured.ts";

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
