// Loads of two lanes side by side: page by page, link by link, block by block. What each cell says of itself, its medians' ratio and
// its blocks' ratios; no test and no interval.
import { median } from "../../base/quantile.ts";
import { calmed } from "./busy_machine.ts";
import { type CoverageGap, coverageGap } from "./lane_coverage.ts";
import { countedTogether, isMedianOut, type LanePair, type Sample, type ValidSample } from "./sample.ts";

/** One page on one link: the PLTs of both lanes (valid, or timed out), block by block; NaN where the block has none. On a calm machine. */
export interface PairedCell {
  readonly page: string;
  readonly link: string;
  readonly lane: Float64Array;
  readonly over: Float64Array;
  /** Why the lanes cannot be compared here; null or absent: they can. */
  readonly gap?: CoverageGap | null;
  /** Which of the blocks' loads timed out, so that their PLTs are lower bounds; absent: none did. */
  readonly timedOut?: { readonly lane: ReadonlySet<number>; readonly over: ReadonlySet<number> };
  /** How far the lanes' medians may be off on either side, in ms, because the machine was busy; absent: by nothing. */
  readonly off_ms?: { readonly lane: number; readonly over: number };
}

const noneOut = { lane: new Set<number>(), over: new Set<number>() };

export function pairedCells(samples: Iterable<Sample>, pair: LanePair): PairedCell[] {
  const cells = Map.groupBy(samples, ({ page, link }) => JSON.stringify([page, link]));
  return [...cells.values()].flatMap((all) => {
    const calm = calmed(countedTogether(all));
    const loads = calm.loads.filter(({ lane }) => lane === pair.lane || lane === pair.over);
    const [first] = loads;
    if (first === undefined) return [];
    const blocks = new Map<number, { lane?: ValidSample; over?: ValidSample }>();
    for (const load of loads) {
      const block = blocks.get(load.block) ?? {};
      blocks.set(load.block, block);
      block[load.lane === pair.lane ? "lane" : "over"] = load;
    }
    const inOrder = [...blocks.entries()].sort((a, b) => a[0] - b[0]).map((entry) => entry[1]);
    const outOf = (side: "lane" | "over"): Set<number> =>
      new Set(inOrder.flatMap((block, index) => (block[side] && block[side].status !== "valid" ? [index] : [])));
    const timedOut = { lane: outOf("lane"), over: outOf("over") };
    const off_ms = { lane: calm.off_ms.get(pair.lane) ?? 0, over: calm.off_ms.get(pair.over) ?? 0 };
    return {
      page: first.page,
      link: first.link,
      lane: Float64Array.from(inOrder, ({ lane }) => lane?.plt_ms ?? Number.NaN),
      over: Float64Array.from(inOrder, ({ over }) => over?.plt_ms ?? Number.NaN),
      gap: gapOf(loads, pair),
      ...(timedOut.lane.size + timedOut.over.size > 0 ? { timedOut } : {}),
      ...(off_ms.lane + off_ms.over > 0 ? { off_ms } : {}),
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
function medianBounds({ lane, over, timedOut = noneOut }: PairedCell) {
  return {
    lane: isMedianOut(present(lane).length, timedOut.lane.size),
    over: isMedianOut(present(over).length, timedOut.over.size),
  };
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

/** A median is no farther off than this share of itself: of one that is, nothing is known. */
const mostOff_share = 0.9;

/** How far medianRatio may be off on either side, because the machine was busy. */
export function ratioOff({ cell: { off_ms }, lane, over }: CellMedians): number {
  if (!off_ms) return 0;
  const ofOne = (off: number, of_ms: number): number => -Math.log1p(-Math.min(mostOff_share, off / of_ms));
  return ofOne(off_ms.lane, lane) + ofOne(off_ms.over, over);
}

/** Improvement, (over - lane) / over * 100, of log(lane / over). */
export const percentOfLog = (logRatio: number): number => (1 - Math.exp(logRatio)) * 100;
