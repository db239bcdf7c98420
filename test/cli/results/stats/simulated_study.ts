// Studies whose truth is known: page load times of several shapes around a median, and for each kind of interval that is
// printed somewhere whether it holds the truth of one such study. Seeded; judges nothing.

import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { shift } from "../../../../cli/results/stats/hodges_lehmann.ts";
import { medianInterval } from "../../../../cli/results/stats/median_interval.ts";
import { normalUpperTail } from "../../../../cli/results/stats/normal_tail.ts";
import type { LogPair } from "../../../../cli/results/stats/sequential.ts";
import { sampleShift } from "../../../../cli/results/stats/two_samples.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

export function normal(random: RandomSource): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A load's log(PLT / its lane's median); the median of each is 0. */
export type Noise = (random: RandomSource) => number;

/** Loads of two kinds: the `share` that is slower by a tenth, and the median of all. */
function ofTwoKinds(share: number): Noise {
  const [spread, slower] = [0.01, 0.1];
  const below = (value: number, centre: number): number => 1 - normalUpperTail((value - centre) / spread);
  let [low, high] = [-slower, 2 * slower];
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2;
    if ((1 - share) * below(middle, 0) + share * below(middle, slower) < 0.5) low = middle;
    else high = middle;
  }
  return (random) => spread * normal(random) + (random() < share ? slower : 0) - low;
}

export const noises = {
  normal: (random) => 0.05 * normal(random),
  skewed: (random) => 0.05 * (Math.exp(0.8 * normal(random)) - 1),
  "of two kinds": ofTwoKinds(0.3),
  "heavy-tailed": (random) => 0.02 * Math.tan(Math.PI * (random() - 0.5) * 0.95),
  // PLTs in whole ms, of 200 ms.
  "rounded to ties": (random) => Math.round(0.05 * normal(random) * 200) / 200,
} as const satisfies Record<string, Noise>;

/** A narrow lane beside one whose loads are not as alike; medians equal. */
export const unequalLanes = {
  "spread 1 to 8": { lane: (random) => 0.08 * normal(random), over: (random) => 0.01 * normal(random) },
  "a tenth slower": { lane: ofTwoKinds(0.1), over: (random) => 0.01 * normal(random) },
  "three tenths slower": { lane: ofTwoKinds(0.3), over: (random) => 0.01 * normal(random) },
  "45 % slower": { lane: ofTwoKinds(0.45), over: (random) => 0.03 * normal(random) },
  skewed: { lane: noises.skewed, over: (random) => 0.02 * normal(random) },
  "ms ties": { lane: ofTwoKinds(0.3), over: (random) => Math.round(0.01 * normal(random) * 200) / 200 },
} as const satisfies Record<string, Lanes>;

interface Lanes {
  readonly lane: Noise;
  readonly over: Noise;
}

/** Both lanes as each of the noises, and the unequal ones. */
export const shapes: Readonly<Record<string, Lanes>> = {
  ...Object.fromEntries(Object.entries(noises).map(([name, noise]) => [`both ${name}`, { lane: noise, over: noise }])),
  ...unequalLanes,
};

/** Numbers of loads that people do. */
export const sizes = [5, 8, 10, 20, 30] as const;

export interface Study {
  readonly loads: number;
  readonly noise: Noise;
  readonly random: RandomSource;
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

// What was rounded may miss the truth by a last bit.
export const holds = (interval: Interval | null | undefined, truth: number): boolean =>
  interval !== null && interval !== undefined && interval.low <= truth + 1e-9 && truth - 1e-9 <= interval.high;

const drawn = ({ loads, noise, random }: Study): number[] => Array.from({ length: loads }, () => noise(random));

export const pair = { lane: "h3", over: "h2" };
const ratio = 0.86;

/** Pages, links and blocks of each. */
export interface Size {
  readonly pages: number;
  readonly links: number;
  readonly loads: number;
}

/** `plt_ms` of h2 and h3 by block, page by page and link by link. */
function pairedLoads(size: Size, plt_ms: (lane: "h2" | "h3", block: number) => number): Sample[] {
  const loads: Sample[] = [];
  for (let page = 0; page < size.pages; page++)
    for (let link = 0; link < size.links; link++)
      for (let block = 0; block < size.loads; block++)
        for (const lane of ["h2", "h3"] as const)
          loads.push({
            ...{ page: `page ${page}`, link: `${link + 1}mbit/50ms`, lane, block },
            ...{ status: "valid", reasons: [], plt_ms: plt_ms(lane, block) },
          });
  return loads;
}

function holdsImprovement({ loads, noise, random }: Study, pages: number): boolean {
  const size = { pages, links: 1, loads };
  const study = pairedLoads(size, (lane) => 500 * (lane === "h3" ? ratio : 1) * Math.exp(noise(random)));
  return holds(compare(study, pair, Math.floor(random() * 2 ** 31)).interval, (1 - ratio) * 100);
}

/** Shares of studies, from 0 to 1. */
export interface Told {
  /** Equal lanes called different. */
  readonly wrong: number;
  /** Intervals that hold the truth, of those there are; NaN: there are none. */
  readonly covered: number;
  readonly tooFew: number;
}

/** The loads of one study: what a block on a page (numbered from 0) draws for both lanes, whose true difference is 0. */
export type DrawStudy = (random: RandomSource) => (page: number) => LogPair;

/** Each load by itself. */
export function drawnApart(shape: string): DrawStudy {
  const lanes = shapes[shape];
  if (!lanes) throw new Error(`no shape ${shape}`);
  return (random) => () => ({ over: lanes.over(random), lane: lanes.lane(random) });
}

/** A block's loads of h2 and h3. */
export function blockLoads(place: Pick<Sample, "page" | "link" | "block">, pair: LogPair): Sample[] {
  return (["h2", "h3"] as const).map((lane) => ({
    ...{ ...place, lane, status: "valid", reasons: [] },
    plt_ms: 500 * Math.exp(lane === "h3" ? pair.lane : pair.over),
  }));
}

function studyLoads({ pages, links, loads }: Size, draw: ReturnType<DrawStudy>): Sample[] {
  const samples: Sample[] = [];
  for (let page = 0; page < pages; page++)
    for (let link = 0; link < links; link++)
      for (let block = 0; block < loads; block++)
        samples.push(...blockLoads({ page: `page ${page}`, link: `${link + 1}mbit/50ms`, block }, draw(page)));
  return samples;
}

/** What verdicts say of two lanes that do not differ. */
export function toldOf(name: string, study: DrawStudy, size: Size, studies: number): Told {
  const random = randomSource(14, `${name} ${JSON.stringify(size)}`);
  let [wrong, held, known] = [0, 0, 0];
  for (let number = 0; number < studies; number++) {
    const result = compare(studyLoads(size, study(random)), pair, number);
    const told = direction(result);
    if (told === "faster" || told === "slower") wrong++;
    if (result.interval) known++;
    if (holds(result.interval, 0)) held++;
  }
  return { wrong: wrong / studies, covered: held / known, tooFew: 1 - known / studies };
}

/** The same of two lanes of equal medians. */
export function toldOfEqual(shape: string, size: Size, studies: number): Told {
  return toldOf(shape, drawnApart(shape), size, studies);
}

/** Whether the interval holds its truth in one study. */
export const intervals = {
  "median of a lane": (study: Study) => holds(medianInterval(drawn(study).map((value) => 800 * Math.exp(value))), 800),
  "improvement on a page": (study: Study) => holdsImprovement(study, 1),
  "improvement over three pages": (study: Study) => holdsImprovement(study, 3),
  "shift between two sweeps": (study: Study) => holds(sampleShift(drawn(study), drawn(study))?.interval, 0),
  "shift between paired loads": (study: Study) => {
    const other = drawn(study);
    return holds(shift(drawn(study).map((value, block) => value - (other[block] as number)))?.interval, 0);
  },
} as const;

/** Share of so many studies whose interval holds the truth. */
export function coverage(
  name: keyof typeof intervals,
  noise: keyof typeof noises,
  loads: number,
  studies: number,
): number {
  const random = randomSource(95, `${name}, ${loads} loads, ${noise}`);
  let held = 0;
  for (let study = 0; study < studies; study++) if (intervals[name]({ loads, noise: noises[noise], random })) held++;
  return held / studies;
}

/** What happens to both lanes alike: each is a multiple of the PLT. */
export const disturbances = {
  nothing: () => 1,
  "a drift of 10 %": (_: RandomSource, share: number) => 1 + 0.1 * share,
  "every tenth load half as long again": (random: RandomSource) => (random() < 0.1 ? 1.5 : 1),
} as const;

/** Share of studies of two equal lanes in which the verdict says that one is faster, through all that makes a verdict. */
export function falseVerdicts(name: keyof typeof disturbances, loads: number, studies: number): number {
  const random = randomSource(5, `${name}, ${loads} loads`);
  let wrong = 0;
  for (let study = 0; study < studies; study++) {
    const size = { pages: 1, links: 1, loads };
    const plt_ms = (block: number): number =>
      500 * Math.exp(noises.normal(random)) * disturbances[name](random, block / loads);
    const samples = pairedLoads(size, (_, block) => plt_ms(block));
    const [verdict] = sweepVerdict(samples, new Map(), study).pairs;
    if (!verdict) throw new Error("no verdict");
    if (direction(verdict.overall) !== "unclear") wrong++;
  }
  return wrong / studies;
}
