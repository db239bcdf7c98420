// Whether the loads of one page on one link are enough for what a plan asks (`until` of schemas/sweep-plan.schema.json),
// and what they decided. Looks only at the numbers of loads at which it may (sequential.ts), so that what was settled stays
// settled, also for a sweep that is gone on with.
import type { PlanUntil } from "../../schemas/generated/sweep_plan.ts";
import { type Interval, medianInterval } from "./bootstrap.ts";
import { pairedCells } from "./comparison.ts";
import { shift } from "./hodges_lehmann.ts";
import { median } from "./quantile.ts";
import { randomSource } from "./random.ts";
import { isValid, type LanePair, lanePairs, type Sample } from "./sample.ts";
import { type Decision, decide, looks, nominalTwoSided } from "./sequential.ts";

export interface PairDecision {
  readonly pair: LanePair;
  readonly decision: Decision;
  /** Paired loads that it took. */
  readonly blocks: number;
  /** (over - lane) / over * 100, Hodges and Lehmann's estimate over these pairs; null for none. */
  readonly percent: number | null;
  /** At the level of one look, so that it holds for all of them together; null with too few pairs. */
  readonly interval: Interval | null;
}

/** log(over / lane) of the blocks in which both are valid, in order. */
function logRatios(loads: readonly Sample[], pair: LanePair): number[] {
  const [cell] = pairedCells(loads, pair);
  if (!cell) return [];
  return [...cell.lane].flatMap((lane, block) => {
    const ratio = Math.log((cell.over[block] as number) / lane);
    return Number.isFinite(ratio) ? [ratio] : [];
  });
}

const percentOf = (logRatio: number): number => (1 - Math.exp(-logRatio)) * 100;

/** Each pair of `lanes`; loads of one page on one link. */
export function pairDecisions(
  loads: readonly Sample[],
  lanes: readonly string[],
  margin_percent: number,
): PairDecision[] {
  return lanePairs(lanes).map((pair) => {
    const ratios = logRatios(loads, pair);
    const { decision, blocks } = decide(ratios, margin_percent);
    const found = shift(ratios.slice(0, blocks), 1 - nominalTwoSided);
    const interval = found?.interval
      ? { low: percentOf(found.interval.low), high: percentOf(found.interval.high) }
      : null;
    return { pair, decision, blocks, percent: found ? percentOf(found.estimate) : null, interval };
  });
}

/** Ten more each time after the last look of a comparison. */
function looksUpTo(loads: number): number[] {
  const last = looks[looks.length - 1] as number;
  const further = Array.from(
    { length: Math.max(0, Math.floor((loads - last) / 10)) },
    (_, index) => last + 10 * (index + 1),
  );
  return [...looks.filter((look) => look <= loads), ...further];
}

function isPrecise(plts_ms: readonly number[], percent: number, purpose: string): boolean {
  const interval = medianInterval(plts_ms, randomSource(1, purpose));
  const centre = median(plts_ms);
  const reach = interval ? Math.max(interval.high - centre, centre - interval.low) : Number.POSITIVE_INFINITY;
  return reach <= (centre * percent) / 100;
}

/** Whether loads of one page on one link are enough. `lanes`: all that the plan asks for. */
export function isSettled(loads: readonly Sample[], lanes: readonly string[], until: PlanUntil): boolean {
  if ("decided_percent" in until)
    return pairDecisions(loads, lanes, until.decided_percent).every(({ decision }) => decision !== "undecided");
  const byLane = lanes.map((lane) =>
    loads
      .filter((load) => load.lane === lane)
      .filter(isValid)
      .sort((a, b) => a.block - b.block)
      .map((load) => load.plt_ms),
  );
  const fewest = Math.min(...byLane.map((plts_ms) => plts_ms.length));
  return looksUpTo(fewest).some((look) =>
    byLane.every((plts_ms, index) => isPrecise(plts_ms.slice(0, look), until.interval_percent, lanes[index] as string)),
  );
}
