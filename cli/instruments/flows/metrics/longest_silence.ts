// The longest time in which a flow stood still for its receiver: what a path that moved, a time-out or an outage cost. As exact as samples are
// apart. Pure.
import type { Counter } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

/** In ms, from the sample that has the first byte on; the time from the last byte to the flow's end counts, too. */
export function longestSilence_ms({ time_ms, bytes }: Counter): Measured {
  let last_ms: number | null = null;
  let longest_ms = 0;
  for (let place = 1; place < time_ms.length; place++) {
    const at_ms = time_ms[place] as number;
    const isNew = (bytes[place] as number) > (bytes[place - 1] as number);
    if (last_ms !== null) longest_ms = Math.max(longest_ms, at_ms - last_ms);
    if (isNew) last_ms = at_ms;
  }
  return last_ms === null ? missing("its receiver had no byte") : longest_ms;
}
