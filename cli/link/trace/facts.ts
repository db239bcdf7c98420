// What a trace offers: its mean rate, how the rate spreads, where nothing could be delivered. Pure: times in, numbers out.
import type { TraceFactsOfFile, TraceOutage } from "../../../schemas/generated/trace_info.ts";
import { opportunity_bits, windowCounts } from "../opportunities.ts";

export type Outage = Readonly<TraceOutage>;
export type TraceFacts = Omit<TraceFactsOfFile, "path">;

interface FactsOptions {
  readonly window_ms: number;
  readonly outage_ms: number;
}

const maximumListed = 100;

/** Quantile, linear between order statistics. */
function quantileOf(sorted: Float64Array, probability: number): number {
  const position = (sorted.length - 1) * probability;
  const below = Math.floor(position);
  const low = sorted[below] ?? 0;
  return low + ((sorted[below + 1] ?? low) - low) * (position - below);
}

function spreadOf(times: Uint32Array, wanted_ms: number): TraceFacts["rate"] {
  const length_ms = times.at(-1) ?? 0;
  const window_ms = Math.min(wanted_ms, length_ms);
  const counts = windowCounts(times, window_ms);
  const scale = (opportunity_bits * 1000) / window_ms;
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
  const sorted = counts.sort();
  const at = (probability: number): number => quantileOf(sorted, probability) * scale;
  return {
    window_ms,
    windows: sorted.length,
    min_bps: at(0),
    p5_bps: at(0.05),
    p25_bps: at(0.25),
    median_bps: at(0.5),
    p75_bps: at(0.75),
    p95_bps: at(0.95),
    max_bps: at(1),
    variation: mean > 0 ? Math.sqrt(variance) / mean : 0,
  };
}

/** Times of at least so long without an opportunity, the one before the first included. */
export function* outagesOf(times: Uint32Array, atLeast_ms: number): Generator<Outage, void, undefined> {
  let previous_ms = 0;
  for (const time_ms of times) {
    const length_ms = time_ms - previous_ms;
    if (length_ms >= atLeast_ms) yield { start_ms: previous_ms, length_ms };
    previous_ms = time_ms;
  }
}

function outageFacts(times: Uint32Array, atLeast_ms: number): TraceFacts["outages"] {
  let count = 0;
  let total_ms = 0;
  let longest: Outage | null = null;
  const first: Outage[] = [];
  for (const outage of outagesOf(times, atLeast_ms)) {
    count++;
    total_ms += outage.length_ms;
    if (longest === null || outage.length_ms > longest.length_ms) longest = outage;
    if (first.length < maximumListed) first.push(outage);
  }
  return { at_least_ms: atLeast_ms, count, total_ms, longest, first };
}

function longestGap_ms(times: Uint32Array): number {
  let longest_ms = 0;
  let previous_ms = 0;
  for (const time_ms of times) {
    longest_ms = Math.max(longest_ms, time_ms - previous_ms);
    previous_ms = time_ms;
  }
  return longest_ms;
}

/** Of a trace as readOpportunities gives it: not empty, and not of length 0. */
export function factsOf(times: Uint32Array, options: FactsOptions): TraceFacts {
  const length_ms = times.at(-1) ?? 0;
  return {
    opportunities: times.length,
    length_ms,
    mean_bps: (times.length * opportunity_bits * 1000) / length_ms,
    longest_gap_ms: longestGap_ms(times),
    rate: spreadOf(times, options.window_ms),
    outages: outageFacts(times, options.outage_ms),
  };
}
