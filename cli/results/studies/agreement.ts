// A study's published figures beside ours, cell by cell, and in how many the sign agrees. Pure.

import { count } from "../../base/numbers.ts";
import { quantileOfSorted } from "../../base/quantile.ts";
import { hashText, randomSource } from "../../base/random.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import { withNetworks } from "../../link/trace/networks.ts";
import { resampledInterval } from "../stats/bootstrap.ts";
import { type Measured, samplesBy } from "../verdict/compared_metric.ts";
import { direction, type Improvement, improvement } from "../verdict/comparison.ts";
import { cellMedians, type PairedCell, pairedCells, percentOfLog } from "../verdict/paired_cells.ts";
import { manyPages } from "../verdict/pooled_cells.ts";
import type { LanePair, Sample } from "../verdict/sample.ts";
import { isEquivalent } from "../verdict/verdict.ts";
import type { Agreement, Published, Study } from "./study.ts";

// The figures of Das 2014: how much shorter the median over all pages, or another quantile, is with one lane than with the other, page
// load times of one link. It throws away which page is which, so that it shows less than a comparison of each page with itself
// (verdict/comparison.ts), and is for setting figures beside his only. The interval resamples whole pages.

/** Cells of one link. Of fewer than six pages the median as any comparison, another quantile without an interval. */
function ratioOfQuantiles(cells: readonly PairedCell[], pair: LanePair, seed: number, probability = 0.5): Improvement {
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

export interface ComparedFigure {
  readonly published: Published;
  readonly ours: Improvement;
  readonly agreement: Agreement;
}

/** Anything whose agreement is counted. */
type Judged = Pick<ComparedFigure, "agreement">;

/** With a published 0 we agree where our interval lies within what counts as equivalent: that it holds 0 shows nothing. */
function agreementOf({ sign }: Published, ours: Improvement): Agreement {
  if (ours.percent === null) return "not loaded";
  if (sign === 0 && ours.interval && isEquivalent(ours.interval)) return "agrees";
  const way = direction(ours);
  if (way !== "faster" && way !== "slower") return "undecided";
  return (way === "faster" ? 1 : -1) === sign ? "agrees" : "differs";
}

/** Of the published figures those for whose link and page loads of both lanes were tried. */
export function comparedFigures(study: Study, all: readonly Measured[], seed: number): ComparedFigure[] {
  const metrics = [...new Set(study.published.map(({ metric }) => metric))];
  return metrics.flatMap((metric) => {
    const published = study.published.filter((each) => each.metric === metric);
    return comparedBy({ ...study, published }, metric === undefined ? all : samplesBy(all, metric), seed);
  });
}

/** `loads`: with what the figures are of as their time. */
function comparedBy(study: Study, loads: readonly Sample[], seed: number): ComparedFigure[] {
  const byLink = Map.groupBy(loads, (load) => withNetworks(load.link));
  return study.published.flatMap((published) => {
    const link = published.link === null ? null : formatLink(parseLink(published.link));
    const onLink = link === null ? loads : (byLink.get(link) ?? []);
    const here = onLink.filter((load) => published.page === null || load.page === published.page);
    const tried = new Set(here.map(({ lane }) => lane));
    if (!tried.has(published.pair.lane) || !tried.has(published.pair.over)) return [];
    const cells = pairedCells(here, published.pair);
    const ours =
      study.figures === undefined
        ? improvement(cells, published.pair, seed)
        : ratioOfQuantiles(cells, published.pair, seed, published.quantile);
    return [{ published: { ...published, link }, ours, agreement: agreementOf(published, ours) }];
  });
}

/**
 * `Our sign agrees with the published one in 61 of 80 figures where ours is decided; 7 more are not.` Null where there is nothing to
 * compare.
 */
export function agreementSentence(figures: readonly Judged[]): string | null {
  if (figures.length === 0) return null;
  const number = (agreement: Agreement): number => figures.filter((figure) => figure.agreement === agreement).length;
  const agrees = number("agrees");
  const decided = agrees + number("differs");
  const undecided = figures.length - decided;
  if (decided === 0)
    return undecided === 1
      ? "The one published figure that was loaded is not decided here."
      : `None of the ${undecided} published figures that were loaded is decided here.`;
  const rest = undecided === 0 ? "" : `; ${undecided} more ${undecided === 1 ? "is" : "are"} not decided here`;
  return `Our sign agrees with the published one in ${agrees} of ${count(decided, "figure")}${rest}.`;
}
