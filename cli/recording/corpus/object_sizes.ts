// The sizes of each page's objects, so that they come to the page's total and, over all pages, have the least, the median and
// the most that are published. Pure.
//
// Within a page sizes are lognormal around a scale that the total decides; the lognormal's width is one number for the whole
// corpus, the one at which the median over all objects is the published one (bisection: a wider one has more small objects
// for the same total). Its draws are stratified, so that few pages have the tails, too. The largest page has the largest object.
import { UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { quantileOfSorted } from "../../base/quantile.ts";
import { randomSource } from "../../base/random.ts";
import { normalScore, type PageDistributions, tolerance } from "./distributions.ts";
import type { PageShape } from "./page_shapes.ts";

const widths = { least: 0.01, most: 5 } as const;

/** Sizes are rounded to steps, so that objects of a corpus are often the same and stored once: of 1 %, and of 2 % above that. */
const exactUpTo_bytes = 400;
const fineUpTo_bytes = 20_000;

function rounded(size_bytes: number): number {
  if (size_bytes <= exactUpTo_bytes) return Math.round(size_bytes);
  const step = Math.log(size_bytes <= fineUpTo_bytes ? 1.01 : 1.02);
  return Math.round(Math.exp(step * Math.round(Math.log(size_bytes) / step)));
}

/** Stratified normals in random order. */
function scoresOf(count: number, seed: number, page: number): number[] {
  const random = randomSource(seed, `object sizes of page ${page}`);
  const scores = Array.from({ length: count }, (_, place) =>
    normalScore(Math.min(1 - 1e-9, Math.max(1e-9, (place + random()) / count))),
  );
  for (let place = count - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    [scores[place], scores[other]] = [scores[other] as number, scores[place] as number];
  }
  return scores;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Lognormal sizes of that width that come to `total` within the bounds. */
function sizesOf(scores: readonly number[], total: number, width: number, { least, most }: Bounds): number[] {
  const weights = scores.map((score) => Math.exp(width * score));
  const within =
    (scale: number) =>
    (weight: number): number =>
      Math.min(most, Math.max(least, scale * weight));
  const sumAt = (scale: number): number => {
    const at = within(scale);
    return weights.reduce((sum, weight) => sum + at(weight), 0);
  };
  // The sum grows with the scale; what the bounds take or add is made up for in a few rounds.
  let scale = total / weights.reduce((sum, weight) => sum + weight, 0);
  for (let round = 0; round < 40; round++) {
    const sum = sumAt(scale);
    if (Math.abs(sum - total) < 1e-3 * total) break;
    scale *= total / sum;
  }
  return weights.map(within(scale));
}

/** Of each page in turn, in random order, in bytes. UserError where no width has the median. */
export function objectSizes(shapes: readonly PageShape[], distributions: PageDistributions, seed: number): number[][] {
  const [least = 1, middle = 1, most = 1] = distributions.object_bytes;
  const scores = shapes.map(({ objects }, page) => scoresOf(objects, seed, page));
  const largest = shapes.reduce(
    (best, { total_bytes }, page) => (total_bytes > (shapes[best]?.total_bytes ?? 0) ? page : best),
    0,
  );
  // A corpus of fewer pages has not the largest total: its largest object is smaller in proportion.
  const share = Math.min(1, (shapes[largest]?.total_bytes ?? 0) / (distributions.total_bytes.at(-1) ?? 1));
  const made = (width: number): number[][] =>
    shapes.map(({ total_bytes }, page) => {
      const own = scores[page] ?? [];
      if (page !== largest || own.length < 2) return sizesOf(own, total_bytes, width, { least, most });
      const top = own.reduce((best, score, place) => (score > (own[best] ?? 0) ? place : best), 0);
      const room = total_bytes - least * (own.length - 1);
      const largest_bytes = Math.max(least, Math.min(room, most * share));
      const others = own.filter((_, place) => place !== top);
      const rest = sizesOf(others, total_bytes - largest_bytes, width, { least, most: largest_bytes });
      return [...rest.slice(0, top), largest_bytes, ...rest.slice(top)];
    });
  const medianAt = (width: number): number => quantileOfSorted(Float64Array.from(made(width).flat()).sort(), 0.5);
  const refuse = (what: string): never => {
    throw new UserError(
      `${distributions.source}: objects of ${formatSize(middle)} in the middle are ${what} for these objects and totals: correct object_bytes`,
    );
  };
  // At a bound of the widths the median may be off by as much as a quantile may.
  if (medianAt(widths.least) < (1 - tolerance) * middle) refuse("too large");
  if (medianAt(widths.most) > (1 + tolerance) * middle) refuse("too small");
  let [low, high] = [widths.least, widths.most] as [number, number];
  while (high - low > 1e-4) {
    const width = (low + high) / 2;
    if (medianAt(width) > middle) low = width;
    else high = width;
  }
  const exact = new Set([least, most]);
  const sizes = made((low + high) / 2).map((page) => page.map((size) => (exact.has(size) ? size : rounded(size))));
  smallest(sizes, least);
  return sizes;
}

/** The smallest of all objects has the least size. */
function smallest(sizes: readonly number[][], least: number): void {
  let [onPage, at] = [0, 0];
  for (const [page, own] of sizes.entries())
    for (const [place, size] of own.entries()) if (size < (sizes[onPage]?.[at] ?? 0)) [onPage, at] = [page, place];
  const page = sizes[onPage];
  if (page && page.length > 1) page[at] = least;
}
