// How much faster one lane is over many pages, taken as a sample of pages: the ratio of the medians over them, as in Das 2014, link
// by link, and several links by the geometric mean of their ratios. The interval resamples whole pages, since a page stays the same
// page on every link.

import type { Interval } from "../../base/interval.ts";
import type { RandomSource } from "../../base/random.ts";
import { medianInPlace, resampledInterval } from "../stats/bootstrap.ts";
import type { CellMedians } from "./paired_cells.ts";

/** From this many pages on, pages are a sample of pages. */
export const manyPages = 6;

/** One link: medians of both lanes by page, NaN where it has none, and the pages that it has. */
interface Row {
  readonly lane: Float64Array;
  readonly over: Float64Array;
  readonly has: Uint32Array;
}

function rowOf(cells: readonly CellMedians[], pages: readonly string[]): Row {
  const byPage = new Map(cells.map((medians) => [medians.cell.page, medians]));
  const column = (side: "lane" | "over"): Float64Array =>
    Float64Array.from(pages, (page) => byPage.get(page)?.[side] ?? Number.NaN);
  const lane = column("lane");
  return { lane, over: column("over"), has: Uint32Array.from(lane.keys()).filter((page) => !Number.isNaN(lane[page])) };
}

/** Mean over `links` of log(median lane / median over), with its 95 % interval. */
export function overManyPages(
  links: readonly (readonly CellMedians[])[],
  pages: readonly string[],
  random: RandomSource,
): { readonly logRatio: number; readonly interval: Interval | null } {
  const rows = links.map((cells) => rowOf(cells, pages));
  const buffer = new Float64Array(pages.length);
  const medianOf = (values: Float64Array, drawn: Uint32Array): number => {
    drawn.forEach((page, index) => {
      buffer[index] = values[page] as number;
    });
    return medianInPlace(buffer, drawn.length);
  };
  const ratioOf = ({ lane, over }: Row, drawn: Uint32Array): number =>
    Math.log(medianOf(lane, drawn) / medianOf(over, drawn));
  const meanOf = (drawn: (row: Row) => Uint32Array): number =>
    rows.reduce((sum, row) => sum + ratioOf(row, drawn(row)), 0) / rows.length;

  const draw = new Uint32Array(pages.length);
  const ofRow = new Uint32Array(pages.length);
  /** The pages drawn; for one that the link does not have, another one of its own, so that it draws as many as it has. */
  const drawnFor = (source: RandomSource) => (row: Row) => {
    const { has, lane } = row;
    if (has.length === lane.length) return draw;
    const own = ofRow.subarray(0, has.length);
    for (let index = 0; index < own.length; index++) {
      const page = draw[index] as number;
      own[index] = Number.isNaN(lane[page]) ? (has[Math.floor(source() * has.length)] as number) : page;
    }
    return own;
  };
  const interval = resampledInterval(
    (source) => {
      for (let page = 0; page < draw.length; page++) draw[page] = Math.floor(source() * draw.length);
      return meanOf(drawnFor(source));
    },
    random,
    pages.length > 100 || rows.length * pages.length > 2000 ? 500 : 2000,
  );
  return { logRatio: meanOf((row) => row.has), interval };
}
