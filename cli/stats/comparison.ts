// How much faster one lane is than another: (a - b) / a * 100 of median PLTs, with an interval that keeps what loads
// share. Loads of one block ran together and pages stay the same page on every link, so blocks and pages are drawn whole.
// Knows samples only; wording is in verdict.ts.
import { type Interval, medianInPlace, minimumUnits, resampledInterval } from "./bootstrap.ts";
import { medianDifferenceInterval } from "./median_interval.ts";
import { extremes, median } from "./quantile.ts";
import { hashText, randomSource } from "./random.ts";
import { isValid, type LanePair, type Sample } from "./sample.ts";

/** From this many pages on, pages are a sample of pages: the figure is the median over them, as in Das 2014. */
export const manyPages = 6;

/** Cells that sum up each other need fewer loads each: three of three loads cover as well as one of five (see coverage.test.ts). */
const pooledCells = 3;
const pooledUnits = 3;

/** What the interval's resamples drew: `blocks` of loads, whole `pages`, or whole `cells` (page on a link). */
export type Units = "blocks" | "pages" | "cells";

export interface Improvement {
  readonly pair: LanePair;
  /** (over - lane) / over * 100: positive where `lane` is faster. Null when a lane has no valid load. */
  readonly percent: number | null;
  /** 95 %; null when there are too few loads, as `reason` says. */
  readonly interval: Interval | null;
  readonly units: Units;
  /** Valid loads that entered. */
  readonly n: { readonly lane: number; readonly over: number };
  readonly pages: number;
  readonly links: number;
  /** Why percent or interval is null. */
  readonly reason: string | null;
}

/** (a - b) / a * 100. */
export function improvementPercent(over: number, lane: number): number {
  return ((over - lane) / over) * 100;
}

/** One page on one link: the valid PLTs of both lanes, block by block; NaN where the block has none. */
export interface PairedCell {
  readonly page: string;
  readonly link: string;
  readonly lane: Float64Array;
  readonly over: Float64Array;
}

export function pairedCells(samples: Iterable<Sample>, pair: LanePair): PairedCell[] {
  const cells = new Map<string, { page: string; link: string; blocks: Map<number, { lane: number; over: number }> }>();
  for (const sample of samples) {
    if (!isValid(sample) || (sample.lane !== pair.lane && sample.lane !== pair.over)) continue;
    const key = JSON.stringify([sample.page, sample.link]);
    const cell = cells.get(key) ?? { page: sample.page, link: sample.link, blocks: new Map() };
    cells.set(key, cell);
    const block = cell.blocks.get(sample.block) ?? { lane: Number.NaN, over: Number.NaN };
    cell.blocks.set(sample.block, block);
    block[sample.lane === pair.lane ? "lane" : "over"] = sample.plt_ms;
  }
  return [...cells.values()].map(({ page, link, blocks }) => {
    const inOrder = [...blocks.entries()].sort((a, b) => a[0] - b[0]).map((entry) => entry[1]);
    return {
      page,
      link,
      lane: Float64Array.from(inOrder, (block) => block.lane),
      over: Float64Array.from(inOrder, (block) => block.over),
    };
  });
}

function present(values: Float64Array): number[] {
  return [...values].filter((value) => !Number.isNaN(value));
}

/** Draws the cell's blocks with replacement and returns log(median lane / median over); NaN when a lane was not drawn. */
function resampledLogRatio(cell: PairedCell, random: () => number, buffers: [Float64Array, Float64Array]): number {
  const blocks = cell.lane.length;
  let lanes = 0;
  let overs = 0;
  for (let draw = 0; draw < blocks; draw++) {
    const block = Math.floor(random() * blocks);
    const lane = cell.lane[block] as number;
    const over = cell.over[block] as number;
    if (!Number.isNaN(lane)) buffers[0][lanes++] = lane;
    if (!Number.isNaN(over)) buffers[1][overs++] = over;
  }
  return Math.log(medianInPlace(buffers[0], lanes) / medianInPlace(buffers[1], overs));
}

interface CellMedians {
  readonly cell: PairedCell;
  readonly lane: number;
  readonly over: number;
}

const percentOfLog = (logRatio: number): number => (1 - Math.exp(logRatio)) * 100;

/** Improvement on one page and link. */
function overOneCell({ lane, over }: PairedCell, random: () => number): Interval | null {
  const interval = medianDifferenceInterval(lane.map(Math.log), over.map(Math.log), random);
  return interval && { low: percentOfLog(interval.high), high: percentOfLog(interval.low) };
}

/** Improvement where every cell carries its own ratio and the geometric mean sums them up. */
function overFewPages(
  cells: readonly CellMedians[],
  random: () => number,
): { interval: Interval | null; units: Units } {
  const [only, second] = cells;
  if (only && !second) return { interval: overOneCell(only.cell, random), units: "blocks" };
  const sizes = cells.flatMap(({ cell }) => [present(cell.lane).length, present(cell.over).length]);
  const fewest = extremes(sizes)?.least ?? 0;
  if (fewest >= minimumUnits || (cells.length >= pooledCells && fewest >= pooledUnits)) {
    const longest = extremes(cells.map(({ cell }) => cell.lane.length))?.greatest ?? 0;
    const buffers: [Float64Array, Float64Array] = [new Float64Array(longest), new Float64Array(longest)];
    const resamples = cells.length > 200 ? 500 : cells.length > 20 ? 1000 : 2000;
    const interval = resampledInterval(
      (source) => {
        let sum = 0;
        for (const { cell } of cells) sum += resampledLogRatio(cell, source, buffers);
        return percentOfLog(sum / cells.length);
      },
      random,
      resamples,
    );
    return { interval, units: "blocks" };
  }
  if (cells.length < manyPages) return { interval: null, units: "blocks" };
  const ratios = cells.map(({ lane, over }) => Math.log(lane / over));
  const interval = resampledInterval((source) => {
    let sum = 0;
    for (let draw = 0; draw < ratios.length; draw++) sum += ratios[Math.floor(source() * ratios.length)] as number;
    return percentOfLog(sum / ratios.length);
  }, random);
  return { interval, units: "cells" };
}

/** Improvement of the median over pages, link by link; several links by the geometric mean of their ratios. */
function overManyPages(
  links: readonly (readonly CellMedians[])[],
  pages: readonly string[],
  random: () => number,
): { percent: number; interval: Interval | null } {
  const rows = links.map((cells) => {
    const byPage = new Map(cells.map((medians) => [medians.cell.page, medians]));
    const column = (side: "lane" | "over"): Float64Array =>
      Float64Array.from(pages, (page) => byPage.get(page)?.[side] ?? Number.NaN);
    return { lane: column("lane"), over: column("over") };
  });
  const draw = new Uint32Array(pages.length);
  const buffer = new Float64Array(pages.length);
  const medianOfDraw = (values: Float64Array): number => {
    let count = 0;
    for (const page of draw) {
      const value = values[page] as number;
      if (!Number.isNaN(value)) buffer[count++] = value;
    }
    return medianInPlace(buffer, count);
  };
  const percentOfDraw = (): number => {
    let sum = 0;
    for (const row of rows) sum += Math.log(medianOfDraw(row.lane) / medianOfDraw(row.over));
    return percentOfLog(sum / rows.length);
  };
  for (let page = 0; page < draw.length; page++) draw[page] = page;
  const percent = percentOfDraw();
  const interval = resampledInterval(
    (source) => {
      for (let page = 0; page < draw.length; page++) draw[page] = Math.floor(source() * draw.length);
      return percentOfDraw();
    },
    random,
    pages.length > 100 || rows.length * pages.length > 2000 ? 500 : 2000,
  );
  return { percent, interval };
}

/**
 * Improvement over any cells. One page on one link: of its two medians. Six pages or more: of the medians over pages. Fewer pages,
 * or several links: the geometric mean of the cells' ratios, which no single big page or slow link outweighs.
 */
export function improvement(cells: readonly PairedCell[], pair: LanePair, seed: number): Improvement {
  const usable: CellMedians[] = [];
  const n = { lane: 0, over: 0 };
  for (const cell of cells) {
    const lane = present(cell.lane);
    const over = present(cell.over);
    if (lane.length === 0 || over.length === 0) continue;
    n.lane += lane.length;
    n.over += over.length;
    usable.push({ cell, lane: median(lane), over: median(over) });
  }
  const pages = [...new Set(usable.map(({ cell }) => cell.page))].sort();
  const links = [...Map.groupBy(usable, ({ cell }) => cell.link).entries()].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const base = { pair, n, pages: pages.length, links: links.length };
  if (usable.length === 0) {
    return { ...base, percent: null, interval: null, units: "blocks", reason: "no page has valid loads of both lanes" };
  }
  const names = links.map(([link]) => link).join(" ");
  const random = randomSource(seed, `${pair.lane} over ${pair.over}: ${hashText(pages.join(" "))} ${hashText(names)}`);
  if (pages.length >= manyPages) {
    const rows = links.map(([, linkCells]) => linkCells);
    return { ...base, ...overManyPages(rows, pages, random), units: "pages", reason: null };
  }
  const ordered = links.flatMap(([, linkCells]) => linkCells);
  const logRatio = ordered.reduce((sum, { lane, over }) => sum + Math.log(lane / over), 0) / ordered.length;
  const { interval, units } = overFewPages(ordered, random);
  const reason = interval ? null : `an interval needs ${minimumUnits} valid loads of each lane`;
  return { ...base, percent: percentOfLog(logRatio), interval, units, reason };
}

/** Improvement of `pair.lane` over `pair.over` among these loads. */
export function compare(samples: Iterable<Sample>, pair: LanePair, seed: number): Improvement {
  return improvement(pairedCells(samples, pair), pair, seed);
}

/** What an improvement says once its interval is known. */
export type Direction = "faster" | "slower" | "unclear" | "unknown";

export function direction(result: Improvement): Direction {
  if (result.percent === null || result.interval === null) return "unknown";
  if (result.interval.low > 0) return "faster";
  if (result.interval.high < 0) return "slower";
  return "unclear";
}
