// Why effects are not the same everywhere: how far one lane's gain over another varies from page to page, link to link, from one
// occasion to the next (a block, in which every page is loaded once over every link), and between loads that share all of
// these. So one sees which of them to have more of. The arithmetic is variance_components.ts's.
import { type Factor, varianceComponents } from "../stats/variance_components.ts";
import { type PairedCell, pairedCells } from "./paired_cells.ts";
import { countedTogether, type LanePair, type Sample } from "./sample.ts";

export type ComponentName = "page" | "link" | "page on link" | "occasion" | "residual";

interface EffectComponent {
  readonly name: ComponentName;
  /** How many of them there are; of the residual the blocks that entered. */
  readonly levels: number;
  /** Standard deviation of log(lane / over), in %: of an effect of 10 %, 2 is about 8 to 12 in two of three. */
  readonly sd_percent: number;
  /** Of the variance of the effects' mean, 0 to 1: what more of this would take away. */
  readonly share: number;
}

export interface EffectComponents {
  readonly pair: LanePair;
  readonly components: readonly EffectComponent[];
}

/** Of fewer levels a component is a rough guess. */
export const fewestLevels = 5;
/** So many differences are the fewest of which variances are reported. */
const fewestDifferences = 12;

interface BlockEffect {
  readonly page: string;
  readonly link: string;
  readonly block: number;
  readonly logRatio: number;
}

/** The blocks of one page on one link in which neither load timed out: those are lower bounds, not values. */
function blocksOf(loads: readonly Sample[], pair: LanePair): BlockEffect[] {
  const numbers = [
    ...new Set(
      countedTogether(loads)
        .filter(({ lane }) => lane === pair.lane || lane === pair.over)
        .map(({ block }) => block),
    ),
  ].sort((a, b) => a - b);
  return pairedCells(loads, pair).flatMap(({ page, link, lane, over, gap, timedOut }: PairedCell) => {
    if (gap) return [];
    return numbers.flatMap((block, index) => {
      const logRatio = Math.log((lane[index] as number) / (over[index] as number));
      const isBound = timedOut?.lane.has(index) || timedOut?.over.has(index);
      return Number.isFinite(logRatio) && !isBound ? [{ page, link, block, logRatio }] : [];
    });
  });
}

function factorOf(name: ComponentName, effects: readonly BlockEffect[], keyOf: (of: BlockEffect) => string): Factor {
  const places = new Map<string, number>();
  const levels = effects.map((effect) => {
    const key = keyOf(effect);
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    return place;
  });
  return { name, levels };
}

const levelsIn = ({ levels }: Factor): number => new Set(levels).size;

/** Those that have several levels, but a finer one only where it is not the same as a coarser one. */
function factorsOf(effects: readonly BlockEffect[]): Factor[] {
  const page = factorOf("page", effects, (of) => of.page);
  const link = factorOf("link", effects, (of) => of.link);
  const both = factorOf("page on link", effects, (of) => JSON.stringify([of.page, of.link]));
  const occasion = factorOf("occasion", effects, (of) => String(of.block));
  const crossed = levelsIn(page) > 1 && levelsIn(link) > 1 && levelsIn(both) < effects.length ? [both] : [];
  // On one page over one link an occasion is a block, and no more can be said.
  const occasions = levelsIn(both) > 1 ? [occasion] : [];
  return [page, link, ...crossed, ...occasions].filter((factor) => levelsIn(factor) > 1);
}

/** Sum over a factor's levels of their squared share of the values: what its variance weighs in the mean's. */
function weightInMean({ levels }: Factor): number {
  const sizes = [...Map.groupBy(levels, (level) => level).values()].map((of) => of.length / levels.length);
  return sizes.reduce((sum, share) => sum + share ** 2, 0);
}

/** Null for one page on one link, and where there are too few blocks to tell factors apart. */
export function effectComponents(samples: Iterable<Sample>, pair: LanePair): EffectComponents | null {
  const places = Map.groupBy(samples, ({ page, link }) => JSON.stringify([page, link]));
  const effects = [...places.values()].flatMap((loads) => blocksOf(loads, pair));
  if (effects.length < fewestDifferences) return null;
  const factors = factorsOf(effects);
  if (factors.length === 0) return null;
  const found = varianceComponents(
    effects.map(({ logRatio }) => logRatio),
    factors,
  );
  if (!found) return null;
  const parts = [
    ...found.factors.map(({ name, levels, variance }, index) => {
      const inMean = variance * weightInMean(factors[index] as Factor);
      return { name: name as ComponentName, levels, variance, inMean };
    }),
    {
      name: "residual" as const,
      levels: effects.length,
      variance: found.residual,
      inMean: found.residual / effects.length,
    },
  ];
  const all = parts.reduce((sum, { inMean }) => sum + inMean, 0);
  return {
    pair,
    components: parts.map(({ name, levels, variance, inMean }) => ({
      name,
      levels,
      sd_percent: Math.sqrt(variance) * 100,
      share: all > 0 ? inMean / all : 0,
    })),
  };
}
