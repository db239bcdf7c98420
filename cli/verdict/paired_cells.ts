// Loads of two lanes side by side: page by page, link by link, block by block. What each cell says of itself, its medians' ratio and
// its blocks' ratios; no test and no interval.
import { median, upperMedian } from "../stats/quantile.ts";
import { type CoverageGap, coverageGap } from "./lane_coverage.ts";
import { counted, type LanePair, type Sample, type ValidSample } from "./sample.ts";

/** One page on one link: the PLTs of both lanes (valid, or timed out), block by block; NaN where the block has none. */
export interface PairedCell {
  readonly page: string;
  readonly link: string;
  readonly lane: Float64Array;
  readonly over: Float64Array;
  /** Why the lanes cannot be compared here; null or absent: they can. */
  readonly gap?: CoverageGap | null;
  /** PLTs from here on are those of loads that timed out, and lower bounds; absent: none did. */
  readonly timedOutFrom_ms?: number;
}

export function pairedCells(samples: Iterable<Sample>, pair: LanePair): PairedCell[] {
  const cells = new Map<string, ValidSample[]>();
  for (const attempt of samples) {
    const sample = counted(attempt);
    if (sample === null || (sample.lane !== pair.lane && sample.lane !== pair.over)) continue;
    const key = JSON.stringify([sample.page, sample.link]);
    const cell = cells.get(key);
    if (cell) cell.push(sample);
    else cells.set(key, [sample]);
  }
  return [...cells.values()].map((loads) => {
    const blocks = new Map<number, { lane: number; over: number }>();
    for (const load of loads) {
      const block = blocks.get(load.block) ?? { lane: Number.NaN, over: Number.NaN };
      blocks.set(load.block, block);
      block[load.lane === pair.lane ? "lane" : "over"] = load.plt_ms;
    }
    const inOrder = [...blocks.entries()].sort((a, b) => a[0] - b[0]).map((entry) => entry[1]);
    const [first] = loads as [ValidSample];
    const given_ms = loads.filter(({ status }) => status !== "valid").map((load) => load.plt_ms);
    return {
      page: first.page,
      link: first.link,
      lane: Float64Array.from(inOrder, (block) => block.lane),
      over: Float64Array.from(inOrder, (block) => block.over),
      gap: gapOf(loads, pair),
      ...(given_ms.length > 0 ? { timedOutFrom_ms: Math.min(...given_ms) } : {}),
    };
  });
}

/** Of valid loads of one page on one link. */
export function gapOf(loads: readonly ValidSample[], pair: LanePair): CoverageGap | null {
  return coverageGap(
    loads.filter(({ lane }) => lane === pair.lane),
    loads.filter(({ lane }) => lane === pair.over),
  );
}

export function present(values: Float64Array): number[] {
  return [...values].filter((value) => !Number.isNaN(value));
}

/**
 * log(lane / over) of each block that has both; none where the lanes cannot be compared. Of a block in which both timed out it is
 * not known which one would have been faster.
 */
export function blockRatios({ lane, over, gap, timedOutFrom_ms = Number.POSITIVE_INFINITY }: PairedCell): number[] {
  if (gap) return [];
  return [...lane.entries()].flatMap(([block, value]) => {
    const other = over[block] as number;
    const ratio = Math.log(value / other);
    return Number.isFinite(ratio) && Math.min(value, other) < timedOutFrom_ms ? [ratio] : [];
  });
}

export interface CellMedians {
  readonly cell: PairedCell;
  /** Of the valid PLTs, in ms. */
  readonly lane: number;
  readonly over: number;
  readonly n: { readonly lane: number; readonly over: number };
  /** Whose median is only known to be at least that long, because so many loads timed out; null: neither's. */
  readonly isAtLeast: "lane" | "over" | null;
}

/** Whose medians are lower bounds. */
function medianBounds({ lane, over, timedOutFrom_ms = Number.POSITIVE_INFINITY }: PairedCell) {
  const isBound = (values: Float64Array): boolean => (upperMedian(present(values)) ?? 0) >= timedOutFrom_ms;
  return { lane: isBound(lane), over: isBound(over) };
}

/** Whether loads of both lanes timed out so often that nothing is known of their medians' ratio. */
export function bothTimedOut(cell: PairedCell): boolean {
  const { lane, over } = medianBounds(cell);
  return lane && over;
}

/** Null where a lane has no load that counts, where both medians are lower bounds, or where the lanes cannot be compared. */
export function cellMedians(cell: PairedCell): CellMedians | null {
  if (cell.gap || bothTimedOut(cell)) return null;
  const [lane, over] = [present(cell.lane), present(cell.over)];
  if (lane.length === 0 || over.length === 0) return null;
  const bounds = medianBounds(cell);
  return {
    cell,
    lane: median(lane),
    over: median(over),
    n: { lane: lane.length, over: over.length },
    isAtLeast: bounds.lane ? "lane" : bounds.over ? "over" : null,
  };
}

/** log(lane / over) of a cell's medians. */
export const medianRatio = ({ lane, over }: Pick<CellMedians, "lane" | "over">): number => Math.log(lane / over);

/** Improvement, (over - lane) / over * 100, of log(lane / over). */
export const percentOfLog = (logRatio: number): number => (1 - Math.exp(logRatio)) * 100;
