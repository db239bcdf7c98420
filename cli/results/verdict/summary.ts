// One row per lane: median PLT, its interval, how reproducible it is, and what was left out. For one page on one link.
import type { Interval } from "../../base/interval.ts";
import { coefficientOfVariation, extremes, median } from "../../base/quantile.ts";
import { medianInterval } from "../stats/median_interval.ts";
import { calmed, widened } from "./busy_machine.ts";
import { compare, type Improvement } from "./comparison.ts";
import { byLane, countedTogether, isAcrossFactors, isMedianOut, isValid, type Sample, timedOut } from "./sample.ts";

export interface LaneSummary {
  readonly lane: string;
  /** All loads, counted attempt by attempt; valid + invalid + failed. */
  readonly loads: number;
  readonly valid: number;
  readonly invalid: number;
  readonly failed: number;
  /** Of the failed ones: they enter the median and its interval as slower than all others. */
  readonly timed_out: number;
  /** The median is no time that was measured: so many loads timed out that it is at least that long. */
  readonly isAtLeast: boolean;
  /** Null when no load is valid or timed out. */
  readonly median_ms: number | null;
  /** 95 % of the median; null with fewer than five valid loads. */
  readonly interval_ms: Interval | null;
  readonly min_ms: number | null;
  readonly max_ms: number | null;
  /** Standard deviation over mean; null with fewer than two valid loads. */
  readonly variation: number | null;
}

export interface ComparedSummary extends LaneSummary {
  /** Improvement over the first lane (h1 where it ran), in the same browser; null for that lane itself. */
  readonly against: Improvement | null;
}

/** Summaries of the lanes among these loads, h1 first. Loads should be of one page on one link. */
export function summarize(loads: readonly Sample[]): LaneSummary[] {
  const lanes = byLane(loads);
  const { loads: counting, off_ms } = calmed(countedTogether(loads));
  return lanes.map(({ lane, loads: all }) => {
    const plts_ms = counting.filter((load) => load.lane === lane).map(({ plt_ms }) => plt_ms);
    const range = extremes(plts_ms);
    const out = all.filter(timedOut).length;
    const valid = all.filter(isValid).length;
    return {
      lane,
      loads: all.length,
      valid,
      // A load without a PLT cannot be averaged, whatever its status says.
      invalid: all.filter((load) => load.status !== "failed" && !isValid(load)).length,
      failed: all.filter((load) => load.status === "failed").length,
      timed_out: out,
      isAtLeast: isMedianOut(plts_ms.length, out),
      median_ms: range ? median(plts_ms) : null,
      interval_ms: widened(medianInterval(plts_ms), off_ms.get(lane)),
      min_ms: range?.least ?? null,
      max_ms: range?.greatest ?? null,
      variation: plts_ms.length > 1 ? coefficientOfVariation(plts_ms) : null,
    };
  });
}

/** The same with comparisons, whose intervals take far longer than all else: reports have their own. */
export function summarizeCompared(loads: readonly Sample[], seed = 1): ComparedSummary[] {
  const summaries = summarize(loads);
  return summaries.map((summary) => {
    const { lane } = summary;
    const baseline = summaries.find((other) => !isAcrossFactors({ lane, over: other.lane }))?.lane;
    const isFirst = baseline === undefined || lane === baseline;
    return { ...summary, against: isFirst ? null : compare(loads, { lane, over: baseline }, seed) };
  });
}
