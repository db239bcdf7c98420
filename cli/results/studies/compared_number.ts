// A study's number beside ours, from the values of both places run by run: the median or the ratio of two, its 95 % interval, and whether
// that agrees with what was published. Knows neither flows nor fetches. Pure.
import { median } from "../../base/quantile.ts";
import { hashText, randomSource } from "../../base/random.ts";
import { medianDifferenceInterval } from "../stats/median_interval.ts";
import { summarizeMetric } from "../stats/metric_summary.ts";
import type { Agreement, ComparedNumber, Figure, NumberEstimate, NumberStudy, PublishedNumber } from "./study.ts";

const known = (values: Float64Array): number[] => [...values].filter((value) => !Number.isNaN(value));

const plain = {};

/** Of one place: the median over runs. */
function single(values: Float64Array): NumberEstimate {
  const all = known(values).map((value) => ({ value }));
  const { runs, median: value, interval, reason } = summarizeMetric(all, plain);
  return { value, interval, runs, reason };
}

/** The ratio of two places' medians; the interval is that of their logarithms' difference, block by block. */
function ratio(above: Float64Array, below: Float64Array, random: () => number): NumberEstimate {
  const [a, b] = [known(above), known(below)];
  const runs = Math.min(a.length, b.length);
  if (runs === 0) return { value: null, interval: null, runs, reason: "there are no valid runs of both" };
  if ([...a, ...b].some((value) => value <= 0))
    return { value: null, interval: null, runs, reason: "a run came to 0, of which there is no ratio" };
  const value = median(a) / median(b);
  const logs = medianDifferenceInterval(above.map(Math.log), below.map(Math.log), random);
  const interval = logs && { low: Math.exp(logs.low), high: Math.exp(logs.high) };
  return { value, interval, runs, reason: interval ? null : "an interval needs 5 runs of both" };
}

function agreementOf({ sign, beside, within = 0 }: PublishedNumber, { value, interval }: NumberEstimate): Agreement {
  if (value === null) return "not loaded";
  if (interval === null) return "undecided";
  const [low, high] = sign === 0 ? [beside * (1 - within), beside * (1 + within)] : [beside, beside];
  const way = interval.low > high ? 1 : interval.high < low ? -1 : 0;
  if (sign === 0) return way !== 0 ? "differs" : interval.low >= low && interval.high <= high ? "agrees" : "undecided";
  return way === 0 ? "undecided" : way === sign ? "agrees" : "differs";
}

/** What is looked at in a place in one repetition; null: it has no number. */
export type BlockValue = readonly [block: number, value: number | null];

/**
 * Of the study's figures those whose places were tried. `valuesAt`: of the figure's place, or of the one that it is divided by, of each attempt
 * there; `blocks`: how many repetitions there are; `nameOf`: what is looked at, by which chance is drawn.
 */
export function comparedNumbers<Place extends { readonly link: string }>(
  { figures }: NumberStudy<Place>,
  seed: number,
  blocks: (figure: Figure<Place>) => number,
  valuesAt: (place: Place, figure: Figure<Place>) => readonly BlockValue[],
  nameOf: (place: Place) => string,
): ComparedNumber<Figure<Place>>[] {
  return figures.flatMap((figure) => {
    const places: readonly Place[] = figure.over ? [figure, figure.over] : [figure];
    const tried = places.map((place) => valuesAt(place, figure));
    if (tried.some((values) => values.length === 0)) return [];
    const [values, below] = tried.map((found) => {
      const byBlock = new Float64Array(blocks(figure)).fill(Number.NaN);
      for (const [block, value] of found) if (value !== null) byBlock[block] = value;
      return byBlock;
    });
    if (!values) return [];
    const random = randomSource(seed, `${figure.what} ${hashText(`${nameOf(figure)} ${figure.link}`)}`);
    const estimate = below ? ratio(values, below, random) : single(values);
    return [{ figure, ...estimate, agreement: agreementOf(figure, estimate) }];
  });
}
