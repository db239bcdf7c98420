// How many runs a study takes to show an effect, found by simulated studies, whatever they are of and whatever judges them (Studies). Of each study it
// is found from which effect on it would show it, so that one set of studies answers for every effect and power; what is promised is tried once more,
// on other studies that have the effect. Theory gives only the first guess. Seeded.

import { type RandomSource, randomSource } from "../../base/random.ts";
import { normalQuantile } from "./normal_tail.ts";

/** Chances of showing an effect that are reported. */
export const powers = [0.8, 0.95] as const;
export type Power = (typeof powers)[number];

/** More runs than this are no answer. */
export const mostRuns = 300;

/** log(over / lane) of an improvement of so many per cent: positive if `lane` is faster. */
export const logOfPercent = (percent: number): number => -Math.log1p(-percent / 100);

/** One simulated study, with its noise and maybe an effect. Effects are logarithms. */
export interface Study {
  /** Whether what judges such studies says that there is an effect, if the study had so much more of one. */
  readonly isShown: (more: number, seed: number) => boolean;
  /** More than this is needed for that, by the study's interval; infinite: it has none. */
  readonly leastShown: (seed: number) => number;
}

/** What is simulated. */
export interface Studies {
  /** How many are simulated of so many runs: enough to know a power, few enough not to be waited for. */
  readonly count: (runs: number) => number;
  readonly draw: (runs: number, effect: number, random: RandomSource) => Study;
  /** They cost so little that each number of runs that is looked at is simulated, and not inferred from one near it. */
  readonly areCheap: boolean;
  /** The first guess. `distance`: of the effect from 0, in standard errors. */
  readonly runsByTheory: (effect: number, distance: number) => number;
}

/** Share of simulated studies of so many runs that show an effect. */
function shownShare(of: Studies, runs: number, effect: number, seed: number): number {
  const random = randomSource(seed, `${runs} runs, effect ${effect}`);
  const studies = of.count(runs);
  let shown = 0;
  for (let study = 1; study <= studies; study++) if (of.draw(runs, effect, random).isShown(0, study)) shown++;
  return shown / studies;
}

/** An effect is known well enough to this share of it. */
const exactEnough = { cheap: 0.02, costly: 0.06 } as const;
/** Effects (logarithms) below are as good as none, and above none that a page has. */
const [leastEffect, mostEffect] = [1e-4, 3];

/**
 * From which effect (a logarithm) on a study without one would show it. Its interval says from where on at the least; whatever else
 * is required may take more. Infinite: it has no interval.
 */
function reachOf(study: Study, exact: number, seed: number): number {
  const least = Math.max(leastEffect, study.leastShown(seed));
  if (!Number.isFinite(least)) return Number.POSITIVE_INFINITY;
  let [fails, shows] = [least, least * (1 + exact / 3)];
  while (!study.isShown(shows, seed)) {
    if (shows > mostEffect) return Number.POSITIVE_INFINITY;
    [fails, shows] = [shows, shows * 1.4];
  }
  while (shows > fails * (1 + exact)) {
    const middle = (fails + shows) / 2;
    if (study.isShown(middle, seed)) shows = middle;
    else fails = middle;
  }
  return shows;
}

/** From so many runs on the errors of medians are as their root has it, so that a simulation shows others not far from it. */
const manyRuns = 16;
const isNear = (ratio: number): boolean => ratio > 0.55 && ratio < 1.8;

/** From which effect on studies show it, by their number of runs; remembers what it has simulated. */
export class Reaches {
  readonly studies: Studies;
  readonly seed: number;
  readonly #known = new Map<number, Float64Array>();

  constructor(studies: Studies, seed: number) {
    this.studies = studies;
    this.seed = seed;
  }

  /** The least effect (a logarithm) that a share `power` of studies of so many runs shows; infinite: they have no interval. */
  at(runs: number, power: number): number {
    const reaches = this.#known.get(runs) ?? this.#simulated(runs);
    this.#known.set(runs, reaches);
    return reaches[Math.ceil(power * reaches.length) - 1] as number;
  }

  /** A number of runs that was simulated already and from which this one is inferred; else itself. */
  near(runs: number): number {
    return this.studies.areCheap ? runs : ([...this.#known.keys()].find((known) => isNear(runs / known)) ?? runs);
  }

  #simulated(runs: number): Float64Array {
    const random = randomSource(this.seed, `${runs} runs`);
    // Each is judged several times.
    const reaches = new Float64Array(Math.ceil(this.studies.count(runs) * 0.6));
    const exact = this.studies.areCheap ? exactEnough.cheap : exactEnough.costly;
    for (let study = 0; study < reaches.length; study++)
      reaches[study] = reachOf(this.studies.draw(runs, 0, random), exact, study + 1);
    return reaches.sort();
  }
}

/**
 * The fewest runs with which a share `power` of studies shows `effect` (a logarithm). `wider`: of what scatters so many
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
    const isInferred = !reaches.studies.areCheap && Math.min(runs, next) >= manyRuns && isNear(next / runs);
    if (isInferred) return next > mostRuns ? null : next;
    runs = Math.max(fails + 1, Math.min(passes - 1, next));
  }
  return passes > mostRuns ? null : passes;
}

interface Needed {
  readonly power: Power;
  /** Null: more than mostRuns would be needed. */
  readonly runs: number | null;
  /** Share of other studies, with the effect, that showed it; null without runs. */
  readonly shown: number | null;
}

/** Other studies than those that the number of runs is from. */
const seedOfTrial = 1000;
/** How far, in standard errors, an effect has to be from 0 to be shown so often at 5 %. */
const distanceOf = (power: number): number =>
  normalQuantile(0.025) + (power < 0.5 ? -normalQuantile(power) : normalQuantile(1 - power));

/** More runs after so many showed the effect too seldom: as many as theory has it, but no leap. */
function moreRuns(runs: number, shown: number, power: number): number {
  const ratio = distanceOf(power) / Math.max(0.1, distanceOf(Math.min(shown, power - 0.01)));
  return Math.max(runs + 1, Math.ceil(runs * Math.min(1.3, ratio ** 2)));
}

/** Runs needed to show an effect (a logarithm), tried on studies that have it: if they show it too seldom, more runs are tried. */
export function runsNeeded(reaches: Reaches, effect: number, power: Power): Needed {
  const { studies, seed } = reaches;
  let runs = fewestRuns(reaches, effect, power, studies.runsByTheory(effect, distanceOf(power)));
  while (runs !== null && runs <= mostRuns) {
    const shown = shownShare(studies, runs, effect, seed + seedOfTrial);
    if (shown >= power) return { power, runs, shown };
    runs = moreRuns(runs, shown, power);
  }
  return { power, runs: null, shown: null };
}

/** The same of what scatters so many times as much, from the same studies: not tried again. */
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
    return Number.isFinite(reach) ? (1 - Math.exp(-reach)) * 100 : null;
  });
}
