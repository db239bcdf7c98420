// Loads of two lanes over pages and links whose medians are known and whose shapes may be unlike, as samples. Seeded; judges nothing.
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

export const pair = { lane: "h3", over: "h2" };

/** log(PLT / median) of one load. */
export type Noise = (random: RandomSource) => number;

export const normalNoise =
  (spread: number): Noise =>
  (random) =>
    spread * normalDraw(random);

/** Seven of ten loads as they should be, three a tenth slower: its median is 0. */
export const ofTwoKinds: Noise = (random) => 0.01 * (normalDraw(random) - 0.5659488) + (random() < 0.3 ? 0.1 : 0);

export interface Lanes {
  readonly pages: number;
  readonly links: number;
  readonly runs: number;
  /** By how much h3 takes less than h2, in %. */
  readonly gain_percent: (page: number, link: number) => number;
  readonly h2: Noise;
  readonly h3: Noise;
}

export function lanesOf({ pages, links, runs, gain_percent, h2, h3 }: Lanes, seed: number): Sample[] {
  const random = randomSource(seed, "simulated lanes");
  const samples: Sample[] = [];
  for (let page = 0; page < pages; page++)
    for (let link = 0; link < links; link++)
      for (let block = 0; block < runs; block++)
        for (const lane of ["h2", "h3"] as const) {
          const median_ms = 400 * (1 + page) * (lane === "h3" ? 1 - gain_percent(page, link) / 100 : 1);
          const plt_ms = median_ms * Math.exp((lane === "h3" ? h3 : h2)(random));
          const name = { page: `page ${String(page).padStart(2, "0")}`, link: `link ${link}`, lane, block };
          samples.push({ ...name, status: "valid", reasons: [], plt_ms });
        }
  return samples;
}
