// The pages that one lane helps most and hurts most against another, and how a number that each page has differs between
// the two groups (as Das 2014 did for QUIC). Pure; what numbers those are is the caller's matter.

import { type Interval, minimumUnits } from "../../base/interval.ts";
import { mean } from "../../base/quantile.ts";
import { randomSource } from "../../base/random.ts";
import { resampledInterval } from "../stats/bootstrap.ts";
import { cellMedians, medianRatio, type PairedCell, percentOfLog } from "./paired_cells.ts";

/** With fewer pages a quarter is one page, of which nothing can be said in general. */
const fewestPages = 8;
/** As many as Das listed of 500. */
const mostInGroup = 10;

export interface RankedPage {
  readonly page: string;
  /** Over all links: 1 - the geometric mean of the medians' ratios, in %; positive: faster. */
  readonly percent: number;
  readonly cells: readonly PairedCell[];
}

interface PageGroups {
  /** The most helped first. */
  readonly helped: readonly RankedPage[];
  /** The most hurt last. */
  readonly hurt: readonly RankedPage[];
  /** All that could be ranked. */
  readonly pages: number;
}

/** The quarters at both ends, ten pages at most; null with fewer than eight pages that have valid loads of both lanes. */
export function pageGroups(cells: readonly PairedCell[]): PageGroups | null {
  const ranked = [...Map.groupBy(cells, ({ page }) => page)].flatMap(([page, ofPage]): RankedPage[] => {
    const ratios = ofPage.flatMap((cell) => cellMedians(cell) ?? []).map(medianRatio);
    return ratios.length === 0 ? [] : [{ page, percent: percentOfLog(mean(ratios)), cells: ofPage }];
  });
  if (ranked.length < fewestPages) return null;
  ranked.sort((a, b) => b.percent - a.percent || (a.page < b.page ? -1 : 1));
  const size = Math.min(mostInGroup, Math.floor(ranked.length / 4));
  return { helped: ranked.slice(0, size), hurt: ranked.slice(-size), pages: ranked.length };
}

export interface GroupContrast {
  readonly helped: number;
  readonly hurt: number;
  /** Of the means: how many times the hurt pages' the helped ones' is; for shares how much more it is. */
  readonly change: number | null;
  /** 95 %, by resampling pages; null with fewer than five in a group. */
  readonly interval: Interval | null;
}

/** `kind`: whether a change of the number is reported as a ratio or as a difference. Null where a group has no number. */
export function contrast(
  helped: readonly number[],
  hurt: readonly number[],
  kind: "ratio" | "difference",
  seed: number,
): GroupContrast | null {
  if (helped.length === 0 || hurt.length === 0) return null;
  const changeOf = (a: number, b: number): number => (kind === "difference" ? a - b : b > 0 ? a / b : Number.NaN);
  const [a, b] = [mean(helped), mean(hurt)];
  const change = changeOf(a, b);
  const enough = Math.min(helped.length, hurt.length) >= minimumUnits;
  const resampled = (values: readonly number[], random: () => number): number =>
    mean(values.map(() => values[Math.floor(random() * values.length)] as number));
  const interval = enough
    ? resampledInterval(
        (random) => changeOf(resampled(helped, random), resampled(hurt, random)),
        randomSource(seed, "groups of pages"),
      )
    : null;
  return { helped: a, hurt: b, change: Number.isFinite(change) ? change : null, interval };
}
