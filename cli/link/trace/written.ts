// What `trilane trace synth` and `convert` say of a file that they wrote. Writes it, whole or not at all.
import { resolve } from "node:path";
import type { WrittenTrace } from "../../../schemas/generated/trace_written.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { formatRate } from "../../registry/units.ts";
import { opportunity_bits, opportunityLines } from "../opportunities.ts";
import { formatLength } from "../trace_quantities.ts";

/** Writes a trace and counts it on the way. */
export async function writeTrace(path: string, times: Iterable<number>): Promise<WrittenTrace> {
  let opportunities = 0;
  let length_ms = 0;
  function* counted(): Generator<number, void, undefined> {
    for (const time_ms of times) {
      opportunities++;
      length_ms = time_ms;
      yield time_ms;
    }
  }
  const absolute = resolve(path);
  await atomicWrite(absolute, opportunityLines(counted()));
  return { path: absolute, opportunities, length_ms, mean_bps: (opportunities * opportunity_bits * 1000) / length_ms };
}

/** `trace.down: 95500 opportunities in 60 s, mean 19.1 Mbit/s`. */
export function writtenLine({ path, opportunities, length_ms, mean_bps }: WrittenTrace): string {
  return `${path}: ${opportunities} opportunities in ${formatLength(length_ms)}, mean ${formatRate(mean_bps)}`;
}
