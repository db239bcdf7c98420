// A study's published figures beside ours, cell by cell, and in how many the sign agrees. Pure.

import { count } from "../../base/numbers.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import { withNetworks } from "../../link/trace/networks.ts";
import { type Measured, samplesBy } from "../verdict/compared_metric.ts";
import { direction, type Improvement, improvement } from "../verdict/comparison.ts";
import { pairedCells } from "../verdict/paired_cells.ts";
import type { Sample } from "../verdict/sample.ts";
import { isEquivalent } from "../verdict/verdict.ts";
import { ratioOfQuantiles } from "./ratio_of_quantiles.ts";
import type { Agreement, Published, Study } from "./study.ts";

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
