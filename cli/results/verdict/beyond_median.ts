// What a sweep says beyond its medians, for the report and for export: of each pair of lanes the pages' effects, the links' tails
// and the components of the variance. Puts together; the numbers are page_effects.ts's, tail_differences.ts's and
// effect_components.ts's.
import { type EffectComponents, effectComponents } from "./effect_components.ts";
import { type PageEffects, pageEffects } from "./page_effects.ts";
import { pairedCells } from "./paired_cells.ts";
import type { LanePair, Sample } from "./sample.ts";
import { type TailDifference, tailDifferences } from "./tail_differences.ts";
import { verdictPairs } from "./verdict.ts";

export interface LinkTails {
  readonly pair: LanePair;
  readonly link: string;
  readonly pages: number;
  readonly tails: readonly TailDifference[];
}

export interface BeyondMedian {
  readonly effects: readonly PageEffects[];
  /** Every link, also those of too few runs. */
  readonly tails: readonly LinkTails[];
  readonly components: readonly EffectComponents[];
}

function linkTails(samples: readonly Sample[], pair: LanePair): LinkTails[] {
  return [...Map.groupBy(pairedCells(samples, pair), ({ link }) => link)].map(([link, cells]) => ({
    pair,
    link,
    pages: new Set(cells.map(({ page }) => page)).size,
    tails: tailDifferences(cells),
  }));
}

/** The pairs in the verdict's order. */
export function beyondMedian(samples: readonly Sample[], seed: number): BeyondMedian {
  const pairs = verdictPairs(samples.map(({ lane }) => lane));
  return {
    effects: pairs.flatMap((pair) => pageEffects(pairedCells(samples, pair), pair, seed) ?? []),
    tails: pairs.flatMap((pair) => linkTails(samples, pair)),
    components: pairs.flatMap((pair) => effectComponents(samples, pair) ?? []),
  };
}
