// Which effect a study of pages would show before it is run: studies are simulated, and what they show is what the verdict's own function says of
// them (`improvement` in comparison.ts), so that what is promised is what will be printed. How many runs it takes is ../stats/runs_search.ts's;
// how loads scatter is load_noise.ts's.

import { median } from "../../base/quantile.ts";
import type { RandomSource } from "../../base/random.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { normalDraw } from "../stats/normal_tail.ts";
import { logOfPercent, type Studies } from "../stats/runs_search.ts";
import { direction, improvement } from "./comparison.ts";
import type { Both, EffectSpread, KnownCell, LoadNoise } from "./load_noise.ts";
import type { PairedCell } from "./paired_cells.ts";

/** What is to be loaded: every cell so many times. */
export interface Design {
  readonly noise: LoadNoise;
  readonly cells: readonly KnownCell[];
  /** So many pairs of lanes are shown together, and corrected for it. */
  readonly comparisons: number;
}

/** Deviations of the cells' effects from their mean. */
function offsetsOf(cells: readonly KnownCell[], effects: EffectSpread, random: RandomSource): number[] {
  const drawn = new Map<string, number>();
  const at = (name: keyof EffectSpread, key: string): number => {
    const size = effects[name] ?? 0;
    if (size === 0) return 0;
    const place = `${name} ${key}`;
    const found = drawn.get(place) ?? size * normalDraw(random);
    drawn.set(place, found);
    return found;
  };
  const offsets = cells.map(
    ({ page, link }) => at("page", page) + at("link", link) + at("page on link", JSON.stringify([page, link])),
  );
  const centre = offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length;
  return offsets.map((offset) => offset - centre);
}

/** One study, with `effect` (a logarithm) on average over its cells. */
function studyOf({ noise, cells }: Design, runs: number, effect: number, random: RandomSource): PairedCell[] {
  const offsets = offsetsOf(cells, noise.effects, random);
  const draw = noise.study(random);
  return cells.map(({ page, link, base_ms, spread }, index): PairedCell => {
    const [lane, over] = [new Float64Array(runs), new Float64Array(runs)];
    const gain = effect + (offsets[index] as number);
    for (let block = 0; block < runs; block++) {
      const deviation = draw(random);
      lane[block] = base_ms * Math.exp(spread.lane * deviation.lane - gain);
      over[block] = base_ms * Math.exp(spread.over * deviation.over);
    }
    return { page, link, lane, over };
  });
}

/** Studies that are simulated of one cell, and of several: enough to know a power within some 4 %, few enough not to be waited for. */
const studiesOf = { cell: { most: 70, least: 40 }, cells: { most: 80, least: 40 } } as const;
/** A study's cost begins with what its bootstraps cost whatever its loads. */
const fixedCost_loads = 20;

function studiesFor({ cells }: Design, runs: number): number {
  const { most, least } = cells.length === 1 ? studiesOf.cell : studiesOf.cells;
  const loads = fixedCost_loads + cells.length * runs;
  return Math.round(Math.max(least, Math.min(most, (most * 2 * fixedCost_loads) / loads)));
}

/** Whether the verdict on a study is that the lane is faster, also where no other pair of lanes differs. */
function isShown({ noise: { pair }, comparisons }: Design, study: readonly PairedCell[], seed: number): boolean {
  const found = improvement(study, pair, seed);
  const others = Array.from({ length: comparisons - 1 }, () => ({ ...found, probability: 1 }));
  const [corrected = found] = correctedTogether([found, ...others]);
  return direction(corrected) === "faster";
}

/** The study with an effect, or with more of one. */
function moved(study: readonly PairedCell[], effect: number): PairedCell[] {
  const factor = Math.exp(-effect);
  return study.map((cell) => ({ ...cell, lane: cell.lane.map((time_ms) => time_ms * factor) }));
}

/** Of medians of normal loads against their mean. */
const medianVariance = Math.PI / 2;

/** For cells whose loads share nothing: the difference of two medians, over all cells. */
function runsByTheory({ cells }: Design, effect: number, distance: number): number {
  const variance = median(cells.map(({ spread }) => spread.lane ** 2 + spread.over ** 2));
  return Math.ceil((medianVariance * variance * (distance / effect) ** 2) / cells.length);
}

export const pageStudies = (design: Design): Studies => ({
  count: (runs) => studiesFor(design, runs),
  draw: (runs, effect, random) => {
    const study = studyOf(design, runs, effect, random);
    return {
      isShown: (more, seed) => isShown(design, moved(study, more), seed),
      leastShown: (seed) => {
        const { interval } = improvement(study, design.noise.pair, seed);
        return interval ? -logOfPercent(interval.low) : Number.POSITIVE_INFINITY;
      },
    };
  },
  areCheap: false,
  runsByTheory: (effect, distance) => runsByTheory(design, effect, distance),
});

/** One cell by itself. */
export function designOfCell(noise: LoadNoise, spread: Both, comparisons: number): Design {
  return {
    comparisons,
    noise: { ...noise, effects: {} },
    cells: [{ page: "page", link: "link", base_ms: 1000, spread }],
  };
}
