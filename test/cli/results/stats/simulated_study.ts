// Studies whose truth is known: page load times of several shapes around a median, and for each kind of interval that is
// printed somewhere whether it holds the truth of one such study. Seeded; judges nothing.

import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { shift } from "../../../../cli/results/stats/hodges_lehmann.ts";
import { medianInterval } from "../../../../cli/results/stats/median_interval.ts";
import { sampleShift } from "../../../../cli/results/stats/two_samples.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

export function normal(random: RandomSource): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A load's log(PLT / its lane's median); the median of each is 0. */
export type Noise = (random: RandomSource) => number;

/** Where seven of ten loads of one kind and three of another, slower by a tenth, have their median, in deviations of the first. */
const bimodalMedian = 0.5659488;

export const noises = {
  normal: (random) => 0.05 * normal(random),
  skewed: (random) => 0.05 * (Math.exp(0.8 * normal(random)) - 1),
  "of two kinds": (random) => 0.01 * (normal(random) - bimodalMedian) + (random() < 0.3 ? 0.1 : 0),
  "heavy-tailed": (random) => 0.02 * Math.tan(Math.PI * (random() - 0.5) * 0.95),
  // PLTs in whole ms, of 200 ms.
  "rounded to ties": (random) => Math.round(0.05 * normal(random) * 200) / 200,
} as const satisfies Record<string, Noise>;

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
const holds = (interval: Interval | null | undefined, truth: number): boolean =>
  interval !== null && interval !== undefined && interval.low <= truth + 1e-9 && truth - 1e-9 <= interval.high;

const drawn = ({ loads, noise, random }: Study): number[] => Array.from({ length: loads }, () => noise(random));

const pair = { lane: "h3", over: "h2" };
const ratio = 0.86;

/** `plt_ms` of h2 and h3 by block, page by page. */
function pairedLoads(pages: number, blocks: number, plt_ms: (lane: "h2" | "h3", block: number) => number): Sample[] {
  return Array.from({ length: pages }, (_, page) =>
    Array.from({ length: blocks }, (_, block) =>
      (["h2", "h3"] as const).map(
        (lane): Sample => ({
          page: `page ${page}`,
          link: "10mbit/50ms",
          lane,
          block,
          status: "valid",
          reasons: [],
          plt_ms: plt_ms(lane, block),
        }),
      ),
    ).flat(),
  ).flat();
}

function holdsImprovement({ loads, noise, random }: Study, pages: number): boolean {
  const study = pairedLoads(pages, loads, (lane) => 500 * (lane === "h3" ? ratio : 1) * Math.exp(noise(random)));
  return holds(compare(study, pair, Math.floor(random() * 2 ** 31)).interval, (1 - ratio) * 100);
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
    const samples = pairedLoads(
      1,
      loads,
      (_, block) => 500 * Math.exp(noises.normal(random)) * disturbances[name](random, block / loads),
    );
    const [verdict] = sweepVerdict(samples, new Map(), study).pairs;
    if (!verdict) throw new Error("no verdict");
    if (direction(verdict.overall) !== "unclear") wrong++;
  }
  return wrong / studies;
}
