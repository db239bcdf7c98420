// How the slowest loads of two lanes compare on a link: p90 and p95 of all loads of its pages together, each page weighing as much
// as it was loaded. With too few loads it says so: a tail is not guessed from a median. Intervals are quantile_interval.ts's.
import type { Interval } from "../../base/interval.ts";
import { fewestForQuantile, quantileDifference } from "../stats/quantile_interval.ts";
import { type PairedCell, percentOfLog } from "./paired_cells.ts";

export const tailQuantiles = [0.9, 0.95] as const;
type TailQuantile = (typeof tailQuantiles)[number];

/** `p95`. */
export const quantileName = (quantile: number): string => `p${Math.round(quantile * 100)}`;

export interface TailDifference {
  readonly quantile: TailQuantile;
  /** Blocks in which both lanes' loads count. */
  readonly loads: number;
  readonly lane_ms: number | null;
  readonly over_ms: number | null;
  /** (over - lane) / over * 100 of the quantiles: positive where `lane` is faster. */
  readonly percent: number | null;
  /** 95 % or more, for these pages. */
  readonly interval: Interval | null;
  /** Why there is no interval; null: there is one. */
  readonly reason: string | null;
}

interface Times {
  readonly lane: readonly number[];
  readonly over: readonly number[];
}

const never: ReadonlySet<number> = new Set();

/** Both lanes of the blocks that have both, so that pages weigh alike in both; what timed out takes longer than all that ended. */
function timesOf(cells: readonly PairedCell[]): Times {
  const lane: number[] = [];
  const over: number[] = [];
  for (const cell of cells) {
    if (cell.gap) continue;
    const { lane: laneOut = never, over: overOut = never } = cell.timedOut ?? {};
    for (const [block, value] of cell.lane.entries()) {
      const other = cell.over[block] as number;
      if (Number.isNaN(value) || Number.isNaN(other)) continue;
      lane.push(laneOut.has(block) ? Number.POSITIVE_INFINITY : value);
      over.push(overOut.has(block) ? Number.POSITIVE_INFINITY : other);
    }
  }
  return { lane, over };
}

function differenceAt({ lane, over }: Times, quantile: TailQuantile): TailDifference {
  const base = { quantile, loads: lane.length, lane_ms: null, over_ms: null, percent: null, interval: null };
  const fewest = fewestForQuantile(quantile);
  if (lane.length < fewest)
    return { ...base, reason: `too few runs: ${fewest} loads of each lane are needed, here are ${lane.length}` };
  const found = quantileDifference(over.map(Math.log), lane.map(Math.log), quantile);
  if (!Number.isFinite(found.difference))
    return { ...base, reason: `so many loads timed out that ${quantileName(quantile)} is not known` };
  const times = { lane_ms: Math.exp(found.b), over_ms: Math.exp(found.a), percent: percentOfLog(found.difference) };
  const { low, high } = found.interval ?? { low: Number.NaN, high: Number.NaN };
  if (!Number.isFinite(low) || !Number.isFinite(high))
    return { ...base, ...times, reason: "loads that timed out reach into the interval" };
  return { ...base, ...times, interval: { low: percentOfLog(high), high: percentOfLog(low) }, reason: null };
}

/** p90 and p95 over the pages of one link. */
export function tailDifferences(cells: readonly PairedCell[]): TailDifference[] {
  const times = timesOf(cells);
  return tailQuantiles.map((quantile) => differenceAt(times, quantile));
}
