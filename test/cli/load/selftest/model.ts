// A link in virtual time for tests of the self-test's judgement: what trilane-probe would record of it, exactly. What the
// link is and what it was asked to be may differ.

import { randomSource } from "../../../../cli/base/random.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import type { LinkRecord, PhaseRecord } from "../../../../cli/load/selftest/measure.ts";
import { type Phase, phasesFor, queuePackets, thorough } from "../../../../cli/load/selftest/phases.ts";

/** What a link does otherwise than asked. */
export interface Fault {
  readonly rateFactor?: number;
  readonly extraDelay_ms?: number;
  /** For one packet in so many. */
  readonly lateEvery?: { readonly packets: number; readonly ms: number };
  readonly extraLoss?: number;
  readonly extraQueue?: number;
  readonly jitterFactor?: number;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function runPhase(form: string, phase: Phase, fault: Fault, seed: number): PhaseRecord {
  const link = parseLink(form);
  const { rate_bps, delay_ms, loss, jitter, duplicate } = link[phase.direction];
  const random = randomSource(seed, `${phase.direction} ${phase.kind}`);
  const each_ns = rate_bps === null ? 0 : (phase.size_bytes * 8e9) / (rate_bps * (fault.rateFactor ?? 1));
  const limit = (queuePackets(link, phase.direction) ?? Number.POSITIVE_INFINITY) + (fault.extraQueue ?? 0);
  const sent_ns: number[] = [];
  const arrivals: { number: number; at_ns: number }[] = [];
  const ends_ns: number[] = [];
  let latest_ns = 0;
  for (let number = 0; number < phase.count; number++) {
    const now_ns =
      number < phase.burst ? number * 2000 : phase.burst * 2000 + (number - phase.burst + 1) * phase.interval_us * 1000;
    sent_ns.push(now_ns);
    while (ends_ns.length > 0 && (ends_ns[0] ?? 0) <= now_ns) ends_ns.shift();
    // The first of them is being sent.
    if (ends_ns.length - 1 >= limit) continue;
    const end_ns = Math.max(now_ns, ends_ns.at(-1) ?? 0) + each_ns;
    ends_ns.push(end_ns);
    if (random() < loss + (fault.extraLoss ?? 0)) continue;
    let added_ms = fault.extraDelay_ms ?? 0;
    if (jitter && "distribution" in jitter) {
      const ms = jitter.ms * (fault.jitterFactor ?? 1);
      if (jitter.distribution === "uniform") added_ms += ms * (2 * random() - 1);
      if (jitter.distribution === "normal") added_ms += ms * normal(random);
      if (jitter.distribution === "pareto") added_ms += ms * 2 * ((1 - random()) ** (-1 / 3) - 1);
    }
    if (fault.lateEvery && number % fault.lateEvery.packets === 0) added_ms += fault.lateEvery.ms;
    latest_ns = Math.max(latest_ns, Math.round(end_ns + (delay_ms + added_ms) * 1e6));
    arrivals.push({ number, at_ns: latest_ns });
    if (duplicate !== undefined && random() < duplicate) arrivals.push({ number, at_ns: latest_ns });
  }
  return {
    direction: phase.direction,
    kind: phase.kind,
    size_bytes: phase.size_bytes,
    start_ns: 1e12,
    overrun: 0,
    sent_ns,
    numbers: arrivals.map(({ number }) => number),
    arrived_ns: arrivals.map(({ at_ns }) => at_ns),
  };
}

/** What the probe records of a link asked for by `form` that has the fault. */
export function recordOf(form: string, fault: Fault = {}, seed = 1, effort = thorough): LinkRecord {
  const phases = phasesFor(parseLink(form), effort)
    .flat()
    .map((phase) => runPhase(form, phase, fault, seed));
  return { phases, traces: {}, shaper: null, wall_ms: 0 };
}
