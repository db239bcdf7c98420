// The figures of Das 2014: how much shorter the median over all pages, or another quantile, is with one lane than with the other, page
// load times of one link.
// It throws away which page is which, so that it shows less than a comparison of each page with itself (verdict/comparison.ts), and is
// for setting figures beside his only. The interval resamples whole pages.
import { quantileOfSorted } from "../../base/quantile.ts";
import { hashText, randomSource } from "../../base/random.ts";
import { resampledInterval } from "../stats/bootstrap.ts";
import { type Improvement, improvement } from "../verdict/comparison.ts";
import { cellMedians, type PairedCell, percentOfLog } from "../verdict/paired_cells.ts";
import { manyPages } from "../verdict/pooled_cells.ts";
import type { LanePair } from "../verdict/sample.ts";

/** Cells of one link. Of fewer than six pages the median as any comparison, another quantile without an interval. */
export function ratioOfQuantiles(
  cells: readonly PairedCell[],
  pair: LanePair,
  seed: number,
  probability = 0.5,
): Improvement {
  const paired = improvement(cells, pair, seed);
  const usable = cells.flatMap((cell) => cellMedians(cell) ?? []);
  if (usable.length === 0 || (usable.length < manyPages && probability === 0.5)) return paired;
  const buffer = new Float64Array(usable.length);
  const quantileOver = (side: "lane" | "over", pageAt: (place: number) => number): number => {
    for (let place = 0; place < buffer.length; place++) buffer[place] = usable[pageAt(place)]?.[side] ?? Number.NaN;
    return quantileOfSorted(buffer.sort(), probability);
  };
  const percentOf = (pageAt: (place: number) => number): number =>
    percentOfLog(Math.log(quantileOver("lane", pageAt) / quantileOver("over", pageAt)));
  const percent = percentOf((place) => place);
  if (usable.length < manyPages) {
    const reason = `an interval of a quantile over pages needs ${manyPages} of them`;
    return { ...paired, percent, interval: null, probability: null, units: "pages", reason };
  }
  const name = probability === 0.5 ? "medians" : `quantiles ${probability}`;
  const drawn = new Uint32Array(usable.length);
  const interval = resampledInterval(
    (random) => {
      for (let place = 0; place < drawn.length; place++) drawn[place] = Math.floor(random() * drawn.length);
      return percentOf((place) => drawn[place] as number);
    },
    randomSource(seed, `ratio of ${name}, ${pair.lane} over ${pair.over}: ${hashText(usable[0]?.cell.link ?? "")}`),
  );
  // Its own interval says whether it differs; no test of medians over pages belongs to it.
  const shown = interval && (interval.low > 0 || interval.high < 0) ? 0.05 : 1;
  return { ...paired, percent, interval, probability: shown, units: "pages" };
}
