// Which effect a study would show before it is run, and how many runs it takes to show one: studies are simulated, and what they show
// is what the verdict's own function says of them (`improvement` in comparison.ts), so that what is promised is what will be
// printed. Theory gives only the first guess. Of each study it is found from which effect on it would show it, so that one set of
// studies answers for every effect and power; what is promised is tried once more, on other studies that have the effect.
// Seeded; how loads scatter is load_noise.ts's.

import { median } from "../../base/quantile.ts";
import { type RandomSource, randomSource } from "../../base/random.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { normalDraw, normalQuantile } from "../stats/normal_tail.ts";
import { direction, improvement } from "./comparison.ts";
import type { Both, EffectSpread, KnownCell, LoadNoise } from "./load_noise.ts";
import { type PairedCell, percentOfLog } from "./paired_cells.ts";

/** Chances of showing an effect that are reported. */
export const powers = [0.8, 0.95] as const;
export type Power = (typeof powers)[number];

/** What is to be loaded: every cell so many times. */
export interface Design {
  readonly noise: LoadNoise;
  readonly cells: readonly KnownCell[];
  /** So many pairs of lanes are shown together, and corrected for it. */
  readonly comparisons: number;
}

/** More runs than this are no answer. */
export const mostRuns = 300;

/** log(over / lane) of an improvement of so many per cent: positive where `lane` is faster. */
export const logOfPercent = (percent: number): number => -Math.log1p(-percent / 100);

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

/** Share of simulated studies of so many runs whose verdict is that the lane is faster, where it is by `effect` (a logarithm). */
function shownShare(design: Design, runs: number, effect: number, seed: number): number {
  const random = randomSource(seed, `${runs} runs, effect ${effect}`);
  const studies = studiesFor(design, runs);
  let shown = 0;
  for (let study = 1; study <= studies; study++)
    if (isShown(design, studyOf(design, runs, effect, random), study)) shown++;
  return shown / studies;
}

/** The study with an effect, or with more of one. */
function moved(study: readonly PairedCell[], effect: number): PairedCell[] {
  const factor = Math.exp(-effect);
  return study.map((cell) => ({ ...cell, lane: cell.lane.map((time_ms) => time_ms * factor) }));
}

/** An effect is known well enough to this share of it. */
const exactEnough = 0.06;
/** Effects (logarithms) below are as good as none, and above none that a page has. */
const [leastEffect, mostEffect] = [1e-4, 3];

/**
 * From which effect (a logarithm) on a study without one would show it. Its interval says from where on at the least; whatever else
 * the verdict asks for may take more. Infinite: it has no interval.
 */
function reachOf(design: Design, study: readonly PairedCell[], seed: number): number {
  const { interval } = improvement(study, design.noise.pair, seed);
  const least = interval ? Math.max(leastEffect, -logOfPercent(interval.low)) : Number.POSITIVE_INFINITY;
  if (!Number.isFinite(least)) return Number.POSITIVE_INFINITY;
  let [fails, shows] = [least, least * (1 + exactEnough / 3)];
  while (!isShown(design, moved(study, shows), seed)) {
    if (shows > mostEffect) return Number.POSITIVE_INFINITY;
    [fails, shows] = [shows, shows * 1.4];
  }
  while (shows > fails * (1 + exactEnough)) {
    const middle = (fails + shows) / 2;
    if (isShown(design, moved(study, middle), seed)) shows = middle;
    else fails = middle;
  }
  return shows;
}

/** Of so many loads the errors of medians are as their root has it, so that a simulation shows others not far from it. */
const manyRuns = 16;
const isNear = (ratio: number): boolean => ratio > 0.55 && ratio < 1.8;

/** From which effect on studies show it, by their number of runs; remembers what it has simulated. */
export class Reaches {
  readonly #design: Design;
  readonly #seed: number;
  readonly #known = new Map<number, Float64Array>();

  constructor(design: Design, seed: number) {
    this.#design = design;
    this.#seed = seed;
  }

  /** The least effect (a logarithm) that a share `power` of studies of so many runs shows; infinite: they have no interval. */
  at(runs: number, power: number): number {
    const reaches = this.#known.get(runs) ?? this.#simulated(runs);
    this.#known.set(runs, reaches);
    return reaches[Math.ceil(power * reaches.length) - 1] as number;
  }

  /** A number of runs that was simulated already and from which this one is inferred; else itself. */
  near(runs: number): number {
    return [...this.#known.keys()].find((known) => isNear(runs / known)) ?? runs;
  }

  #simulated(runs: number): Float64Array {
    const random = randomSource(this.#seed, `${runs} runs`);
    // Each is judged several times.
    const reaches = new Float64Array(Math.ceil(studiesFor(this.#design, runs) * 0.6));
    for (let study = 0; study < reaches.length; study++)
      reaches[study] = reachOf(this.#design, studyOf(this.#design, runs, 0, random), study + 1);
    return reaches.sort();
  }
}

/** Of medians of normal loads against their mean. */
const medianVariance = Math.PI / 2;

/**
 * The fewest runs with which a share `power` of studies shows `effect` (a logarithm). `wider`: of cells whose loads scatter so many
 * times as much. Null: more than mostRuns.
 */
function fewestRuns(reaches: Reaches, effect: number, power: Power, first: number, wider = 1): number | null {
  // So many more than are simulated need no simulation to say so.
  if (first > 2 * mostRuns) return null;
  let [fails, passes] = [0, mostRuns + 1];
  let runs = reaches.near(Math.max(1, Math.min(mostRuns, first)));
  while (passes - fails > 1) {
    const reach = reaches.at(runs, power) * wider;
    if (reach <= effect) passes = runs;
    else fails = runs;
    const next = Number.isFinite(reach) ? Math.ceil(runs * (reach / effect) ** 2) : runs * 2;
    if (Math.min(runs, next) >= manyRuns && isNear(next / runs)) return next > mostRuns ? null : next;
    runs = Math.max(fails + 1, Math.min(passes - 1, next));
  }
  return passes > mostRuns ? null : passes;
}

interface Needed {
  readonly power: Power;
  /** Null: more than mostRuns would be needed. */
  readonly runs: number | null;
  /** In how many of other studies, with the effect, the verdict was that the lane is faster; null without runs. */
  readonly shown: number | null;
}

/** Other studies than those that the number of runs is from. */
const seedOfTrial = 1000;
/** Chance, two-sided, of calling equal lanes different. */
const distanceOf = (power: number): number =>
  normalQuantile(0.025) + (power < 0.5 ? -normalQuantile(power) : normalQuantile(1 - power));

/** Runs by theory for cells whose loads share nothing: the difference of two medians, over all cells, at 5 %. */
function runsByTheory({ cells }: Design, effect: number, power: number): number {
  const variance = median(cells.map(({ spread }) => spread.lane ** 2 + spread.over ** 2));
  return Math.ceil((medianVariance * variance * (distanceOf(power) / effect) ** 2) / cells.length);
}

/** More runs after so many showed the effect too seldom: as many as theory has it, but no leap. */
function moreRuns(runs: number, shown: number, power: number): number {
  const ratio = distanceOf(power) / Math.max(0.1, distanceOf(Math.min(shown, power - 0.01)));
  return Math.max(runs + 1, Math.ceil(runs * Math.min(1.3, ratio ** 2)));
}

/** Runs needed to show an effect (a logarithm), tried on studies that have it: where they show it too seldom, more runs are requested. */
export function runsNeeded(design: Design, reaches: Reaches, effect: number, power: Power, seed: number): Needed {
  let runs = fewestRuns(reaches, effect, power, runsByTheory(design, effect, power));
  while (runs !== null && runs <= mostRuns) {
    const shown = shownShare(design, runs, effect, seed + seedOfTrial);
    if (shown >= power) return { power, runs, shown };
    runs = moreRuns(runs, shown, power);
  }
  return { power, runs: null, shown: null };
}

/** The same of a cell that scatters so many times as much, from the same studies: not tried again. */
export function runsNeededWider(
  reaches: Reaches,
  effect: number,
  power: Power,
  first: number,
  wider: number,
): number | null {
  return fewestRuns(reaches, effect, power, Math.ceil(first * wider ** 2), wider);
}

/** What so many runs show with each power, as improvements in %; null: they have no interval. */
export function shownBy(reaches: Reaches, runs: number): (number | null)[] {
  return powers.map((power) => {
    const reach = reaches.at(runs, power);
    return Number.isFinite(reach) ? percentOfLog(-reach) : null;
  });
}

/** One cell by itself. */
export function designOfCell(noise: LoadNoise, spread: Both, comparisons: number): Design {
  return {
    comparisons,
    noise: { ...noise, effects: {} },
    cells: [{ page: "page", link: "link", base_ms: 1000, spread }],
  };
}
