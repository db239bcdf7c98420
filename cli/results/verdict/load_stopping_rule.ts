// Whether the loads of one page on one link are enough for what a plan asks (`until` of schemas/sweep-plan.schema.json),
// and what they decided. Goes through the loads in the order in which they came and looks only where it may (sequential.ts), so that
// what was settled stays settled, also when a deferred load comes late and for a sweep that is resumed. On a busy machine a pair is
// decided if it is both with all that one lane's loads are estimated to have waited taken off, and with all of the other's (busy_machine.ts).
import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import type { Interval } from "../../base/interval.ts";
import { mean } from "../../base/quantile.ts";
import {
  decide,
  firstLook,
  isPrecise,
  type LogPair,
  type Outcome,
  preciseLooksUpTo,
  shiftAtLook,
} from "../stats/sequential.ts";
import { calmed, waited_ms, widened } from "./busy_machine.ts";
import type { CoverageGap } from "./lane_coverage.ts";
import { gapOf, percentOfLog } from "./paired_cells.ts";
import { counted, isValid, type LanePair, lanePairs, type Sample, timedOut } from "./sample.ts";

export interface PairDecision extends Outcome {
  readonly pair: LanePair;
  /** (over - lane) / over * 100, of these pairs' medians; null for none. Loads stopped by what they show, so it leans away from 0. */
  readonly percent: number | null;
  /** At the level of one look, so that it holds for all of them together; null with too few pairs, of which the first look may show lanes to be equal. */
  readonly interval: Interval | null;
  /** Why the lanes cannot be compared; null: they can. */
  readonly gap: CoverageGap | null;
}

/**
 * Of each block of one page on one link in which both count, as soon as it has both; `loads` in the order in which they came. A
 * block in which both timed out says nothing of which is faster, and least of all that they are alike. `calmed`: the lane whose loads' waits
 * on a busy machine are taken off.
 */
export function logPairs(loads: readonly Sample[], { lane, over }: LanePair, calmed: string | null = null): LogPair[] {
  const blocks = new Map<number, { lane?: Counted; over?: Counted }>();
  const pairs: LogPair[] = [];
  for (const attempt of loads) {
    const load = counted(attempt);
    if (load === null || (load.lane !== lane && load.lane !== over)) continue;
    const block = blocks.get(load.block) ?? {};
    blocks.set(load.block, block);
    block[load.lane === lane ? "lane" : "over"] = {
      log: Math.log(load.plt_ms - (load.lane === calmed ? Math.min(waited_ms(load), load.plt_ms / 2) : 0)),
      isOut: timedOut(attempt),
    };
    if (!block.lane || !block.over || (block.lane.isOut && block.over.isOut)) continue;
    pairs.push({ lane: atLeast(block.lane, block.over), over: atLeast(block.over, block.lane) });
  }
  return pairs;
}

/** Of a load that counts. */
interface Counted {
  readonly log: number;
  readonly isOut: boolean;
}

/** One that timed out was not faster than the block's other load, even if that one took longer than it was given (countedTogether). */
const atLeast = (load: Counted, other: Counted): number => (load.isOut ? Math.max(load.log, other.log) : load.log);

/** Each pair of `lanes`; loads of one page on one link, in the order in which they came. */
export function pairDecisions(
  loads: readonly Sample[],
  lanes: readonly string[],
  margin_percent: number,
): PairDecision[] {
  const isBusy = loads.some((load) => waited_ms(load) > 0);
  return lanePairs(lanes).map((pair) => {
    const views = isBusy
      ? [logPairs(loads, pair, pair.lane), logPairs(loads, pair, pair.over)]
      : [logPairs(loads, pair)];
    const [{ length: blocks } = []] = views;
    // More loads would not make the lanes alike.
    const gap = blocks < firstLook ? null : gapOf(loads.filter(isValid), pair);
    if (gap) return { pair, decision: "undecided", blocks, givenUp: true, percent: null, interval: null, gap };
    const outcome = agreed(views.map((pairs) => decide(pairs, margin_percent)));
    const found = views.flatMap((pairs) => shiftAtLook(pairs.slice(0, outcome.blocks)) ?? []);
    const shift = found.length > 0 ? hull(found.flatMap((each) => each.interval ?? [])) : null;
    const shifts = outcome.decision === "equivalent" ? within(margin_percent, shift) : shift;
    const interval = shifts ? { low: percentOfLog(-shifts.low), high: percentOfLog(-shifts.high) } : null;
    const percent = found.length > 0 ? percentOfLog(-mean(found.map(({ estimate }) => estimate))) : null;
    return { pair, ...outcome, percent, interval, gap };
  });
}

/** What all views decided, when the last of them had; undecided where they differ. */
function agreed(outcomes: readonly Outcome[]): Outcome {
  const blocks = Math.max(...outcomes.map((outcome) => outcome.blocks));
  const [first] = outcomes;
  if (first && outcomes.every(({ decision }) => decision === first.decision))
    return { ...first, blocks, givenUp: outcomes.some(({ givenUp }) => givenUp) };
  // Of one that is decided otherwise in two views further loads show nothing.
  const isSplit = outcomes.every(({ decision, givenUp }) => decision !== "undecided" || givenUp);
  return { decision: "undecided", blocks, givenUp: isSplit };
}

const hull = (intervals: readonly Interval[]): Interval | null =>
  intervals.length === 0
    ? null
    : { low: Math.min(...intervals.map(({ low }) => low)), high: Math.max(...intervals.map(({ high }) => high)) };

/** Of equal lanes: all beyond the margin was refused, though the interval, at half the level on each side, may reach further. */
function within(margin_percent: number, interval: Interval | null = null): Interval | null {
  const margin = Math.log1p(margin_percent / 100);
  return interval && { low: Math.max(-margin, interval.low), high: Math.min(margin, interval.high) };
}

/**
 * Of `lanes`, all that the plan asks for, those that need no further loads of one page on one link: each pair that a lane is
 * in is decided or given up; all medians are precise.
 */
export function settledLanes(loads: readonly Sample[], lanes: readonly string[], until: PlanUntil): string[] {
  if ("decided_percent" in until) {
    const decisions = pairDecisions(loads, lanes, until.decided_percent);
    const isOf = (lane: string, { pair }: PairDecision): boolean => pair.lane === lane || pair.over === lane;
    const open = decisions.filter(({ decision, givenUp }) => decision === "undecided" && !givenUp);
    // A lane that is compared with none continues as long as any other does.
    return lanes.filter((lane) =>
      decisions.some((each) => isOf(lane, each)) ? !open.some((each) => isOf(lane, each)) : open.length === 0,
    );
  }
  return areAllPrecise(loads, lanes, until.interval_percent) ? [...lanes] : [];
}

/** Whether loads of one page on one link are enough. */
export function isSettled(loads: readonly Sample[], lanes: readonly string[], until: PlanUntil): boolean {
  return settledLanes(loads, lanes, until).length === lanes.length;
}

function areAllPrecise(loads: readonly Sample[], lanes: readonly string[], percent: number): boolean {
  const byLane = lanes.map((lane) => loads.filter((load) => load.lane === lane && (timedOut(load) || counted(load))));
  const fewest = Math.min(...byLane.map(({ length }) => length));
  return preciseLooksUpTo(fewest).some((look) => {
    const seen = byLane.map((of) => of.slice(0, look));
    // As the medians that are shown: without what a busy machine is likely to have added.
    const calm = calmed(seen.flat().flatMap((load) => (timedOut(load) ? [] : (counted(load) ?? []))));
    return lanes.every((lane, index) => {
      const plts_ms = calm.loads.filter((load) => load.lane === lane).map(({ plt_ms }) => plt_ms);
      // One that timed out takes part, too; how long it would have taken is not known.
      const out = (seen[index] ?? []).filter(timedOut).map(() => Number.POSITIVE_INFINITY);
      return isPrecise([...plts_ms, ...out], percent, (interval) => widened(interval, calm.off_ms.get(lane)));
    });
  });
}
