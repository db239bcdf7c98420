// A study's published figures beside ours, cell by cell, and in how many the sign agrees. Pure.
import { formatLink, parseLink } from "../link/link.ts";
import { direction, type Improvement, improvement, pairedCells } from "../stats/comparison.ts";
import type { Sample } from "../stats/sample.ts";
import type { Published, Study } from "./study.ts";

/** `undecided`: our interval holds 0, or there is none. */
export type Agreement = "agrees" | "differs" | "undecided" | "not loaded";

export interface ComparedFigure {
  readonly published: Published;
  readonly ours: Improvement;
  readonly agreement: Agreement;
}

function agreementOf({ sign }: Published, ours: Improvement): Agreement {
  if (ours.percent === null) return "not loaded";
  const way = direction(ours);
  if (way !== "faster" && way !== "slower") return "undecided";
  return (way === "faster" ? 1 : -1) === sign ? "agrees" : "differs";
}

/** Of the published figures those whose link and lanes were loaded. */
export function comparedFigures(study: Study, loads: readonly Sample[], seed: number): ComparedFigure[] {
  const byLink = Map.groupBy(loads, (load) => load.link);
  return study.published.flatMap((published) => {
    const link = formatLink(parseLink(published.link));
    const here = (byLink.get(link) ?? []).filter((load) => published.page === null || load.page === published.page);
    if (here.length === 0) return [];
    const ours = improvement(pairedCells(here, published.pair), published.pair, seed);
    return [{ published: { ...published, link }, ours, agreement: agreementOf(published, ours) }];
  });
}

/** `Our sign agrees with the published one in 61 of 80 figures where ours is decided; 7 are not.` Null where there is nothing to compare. */
export function agreementSentence(figures: readonly ComparedFigure[]): string | null {
  if (figures.length === 0) return null;
  const number = (agreement: Agreement): number => figures.filter((figure) => figure.agreement === agreement).length;
  const [agrees, undecided] = [number("agrees"), number("undecided") + number("not loaded")];
  const decided = agrees + number("differs");
  const rest = undecided === 0 ? "" : `; ${undecided} more ${undecided === 1 ? "is" : "are"} not decided here`;
  return `Our sign agrees with the published one in ${agrees} of ${decided} figures${rest}.`;
}
