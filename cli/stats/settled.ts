// Whether the loads of one page on one link are enough for what a plan asks (`until` of schemas/sweep-plan.schema.json),
// and what they decided. Looks only at the numbers of loads at which it may (sequential.ts), so that what was settled stays
// settled, also for a sweep that is gone on with.
import type { PlanUntil } from "../../schemas/generated/sweep_plan.ts";
import type { Interval } from "./bootstrap.ts";
import { shift } from "./hodges_lehmann.ts";
import { medianInterval } from "./median_interval.ts";
import { pairedCells } from "./paired_cells.ts";
import { median } from "./quantile.ts";
import { isValid, type LanePair, lanePairs, type Sample } from "./sample.ts";
import { decide, looks, nominalLevels, type Outcome } from "./sequential.ts";

export interface PairDecision extends Outcome {
  readonly pair: LanePair;
  /** (over - lane) / over * 100, Hodges and Lehmann's estimate over these pairs; null for none. */
  readonly percent: number | null;
  /** At the level of one look, so that it holds for all of them together; null with too few pairs. */
  readonly interval: Interval | null;
}

/** log(over / lane) of the blocks of one page on one link in which both are valid, in order. */
export function pairDifferences(loads: readonly Sample[], pair: LanePair): number[] {
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
    const ratios = pairDifferences(loads, pair);
    const outcome = decide(ratios, margin_percent);
    const found = shift(ratios.slice(0, outcome.blocks), 1 - nominalLevels(outcome.blocks).twoSided);
    const interval = found?.interval
      ? { low: percentOf(found.interval.low), high: percentOf(found.interval.high) }
      : null;
    return { pair, ...outcome, percent: found ? percentOf(found.estimate) : null, interval };
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

function isPrecise(plts_ms: readonly number[], percent: number): boolean {
  const interval = medianInterval(plts_ms);
  const centre = median(plts_ms);
  const reach = interval ? Math.max(interval.high - centre, centre - interval.low) : Number.POSITIVE_INFINITY;
  return reach <= (centre * percent) / 100;
}

/**
 * Of `lanes`, all that the plan asks for, those that need no further loads of one page on one link: each pair that a lane is
 * in is decided or given up; all medians are precise.
 */
export function settledLanes(loads: readonly Sample[], lanes: readonly string[], until: PlanUntil): string[] {
  if ("decided_percent" in until) {
    const open = pairDecisions(loads, lanes, until.decided_percent).filter(
      ({ decision, givenUp }) => decision === "undecided" && !givenUp,
    );
    return lanes.filter((lane) => !open.some(({ pair }) => pair.lane === lane || pair.over === lane));
  }
  return areAllPrecise(loads, lanes, until.interval_percent) ? [...lanes] : [];
}

/** Whether loads of one page on one link are enough. */
export function isSettled(loads: readonly Sample[], lanes: readonly string[], until: PlanUntil): boolean {
  return settledLanes(loads, lanes, until).length === lanes.length;
}

function areAllPrecise(loads: readonly Sample[], lanes: readonly string[], percent: number): boolean {
  const byLane = lanes.map((lane) =>
    loads
      .filter((load) => load.lane === lane)
      .filter(isValid)
      .sort((a, b) => a.block - b.block)
      .map((load) => load.plt_ms),
  );
  const fewest = Math.min(...byLane.map((plts_ms) => plts_ms.length));
  return looksUpTo(fewest).some((look) => byLane.every((plts_ms) => isPrecise(plts_ms.slice(0, look), percent)));
}
