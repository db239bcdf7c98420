// How long an end of a flow run stood still: ticks of its samples that never came, because the machine gave its process no CPU or held
// up its writes. Meanwhile a QUIC flow neither sends nor acknowledges, while kernel TCP continues from its buffers, so that such a run
// compares the machine and not the flows. Pure; what is tolerated is validity.ts's.
import type { FlowRecords } from "../records/flow_records.ts";
import type { SampleSeries } from "../records/series.ts";

/** A tick that is served late is written under its own time; so many intervals without one are a pause. */
const leastPause_ticks = 2;

/** Ms without a tick in which one was due, all in all; 0 for a series of less than two samples. */
export function missedTicks_ms({ time_ms }: Pick<SampleSeries, "time_ms">, sample_ms: number): number {
  let missed_ms = 0;
  for (let place = 1; place < time_ms.length; place++) {
    const apart_ms = (time_ms[place] ?? 0) - (time_ms[place - 1] ?? 0);
    if (apart_ms > leastPause_ticks * sample_ms) missed_ms += apart_ms - sample_ms;
  }
  return missed_ms;
}

/** Of each end, that of the flow which was sampled through most of it. */
export function standstill_ms({ run, samples }: Pick<FlowRecords, "run" | "samples">): Record<"near" | "far", number> {
  const missed = { near: 0, far: 0 };
  run.flows.forEach(({ direction }, flow) => {
    const { sender, receiver } = samples[flow] ?? {};
    const [near, far] = direction === "down" ? [receiver, sender] : [sender, receiver];
    if (near) missed.near = Math.max(missed.near, missedTicks_ms(near, run.sample_ms));
    if (far) missed.far = Math.max(missed.far, missedTicks_ms(far, run.sample_ms));
  });
  return missed;
}
