// Loads of two lanes side by side: page by page, link by link, block by block. What each cell says of itself, its medians' ratio and
// its blocks' ratios; no test and no interval.
import { median } from "../stats/quantile.ts";
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
    return {
      page: first.page,
      link: first.link,
      lane: Float64Array.from(inOrder, (block) => block.lane),
      over: Float64Array.from(inOrder, (block) => block.over),
      gap: gapOf(loads, pair),
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

/** log(lane / over) of each block that has both; none where the lanes cannot be compared. */
export function blockRatios({ lane, over, gap }: PairedCell): number[] {
  if (gap) return [];
  return [...lane.entries()].flatMap(([block, value]) => {
    const ratio = Math.log(value / (over[block] as number));
    return Number.isFinite(ratio) ? [ratio] : [];
  });
}

export interface CellMedians {
  readonly cell: PairedCell;
  /** Of the valid PLTs, in ms. */
  readonly lane: number;
  readonly over: number;
  readonly n: { readonly lane: number; readonly over: number };
}

/** Null where a lane has no valid load, or the lanes cannot be compared. */
export function cellMedians(cell: PairedCell): CellMedians | null {
  if (cell.gap) return null;
  const [lane, over] = [present(cell.lane), present(cell.over)];
  if (lane.length === 0 || over.length === 0) return null;
  return { cell, lane: median(lane), over: median(over), n: { lane: lane.length, over: over.length } };
}

/** log(lane / over) of a cell's medians. */
export const medianRatio = ({ lane, over }: Pick<CellMedians, "lane" | "over">): number => Math.log(lane / over);

/** Improvement, (over - lane) / over * 100, of log(lane / over). */
export const percentOfLog = (logRatio: number): number => (1 - Math.exp(logRatio)) * 100;
