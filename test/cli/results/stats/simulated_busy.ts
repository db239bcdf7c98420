// Studies of two equal lanes on a busy machine whose truth is known: calm times of several shapes, an estimate of each load's waits, and
// how much of it there is in each lane. What the verdict says of them, and what other rules would have. Seeded; judges nothing.
import { median, quantile } from "../../../../cli/base/quantile.ts";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { calmed } from "../../../../cli/results/verdict/busy_machine.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { isValid, type Sample } from "../../../../cli/results/verdict/sample.ts";
import { holds, noises, pair, type Size, type Told } from "./simulated_study.ts";

/** The estimate of a load, in ms of about 500. */
export const machines = {
  "as busy all the time": (random) => 20 + 6 * (random() - 0.5),
  "busy for a third of the time": (random) => (random() < 1 / 3 ? 35 : 0),
  "ever busier for some": (random) => -25 * Math.log(1 - random()),
} as const satisfies Record<string, (random: RandomSource) => number>;

type Shares = (random: RandomSource) => { readonly lane: number; readonly over: number };

const tail = (random: RandomSource): number => -Math.log(1 - random());

/** How much of its estimate a load of each lane took longer. */
export const effects = {
  "none of it": () => ({ lane: 0, over: 0 }),
  "half of it": () => ({ lane: 0.5, over: 0.5 }),
  "all of it": () => ({ lane: 1, over: 1 }),
  "one lane alone": () => ({ lane: 0, over: 1 }),
  "a tail to one side": (random) => ({ lane: tail(random), over: tail(random) }),
  "a tail of one lane": (random) => ({ lane: 0.1, over: tail(random) }),
} as const satisfies Record<string, Shares>;

const noiseNames = ["normal", "skewed", "of two kinds"] as const;
/** Loads spread less than in most studies: what the machine adds is to show. */
const spread = 0.4;

function study(
  random: RandomSource,
  machine: keyof typeof machines,
  effect: keyof typeof effects,
  noise: (typeof noiseNames)[number],
  { pages, links, loads }: Size,
): Sample[] {
  const samples: Sample[] = [];
  for (let page = 0; page < pages; page++)
    for (let link = 0; link < links; link++)
      for (let block = 0; block < loads; block++)
        for (const lane of ["h2", "h3"] as const) {
          const estimate_ms = machines[machine](random);
          const share = effects[effect](random)[lane === "h3" ? "lane" : "over"];
          samples.push({
            ...{ page: `page ${page}`, link: `${link + 1}mbit/50ms`, lane, block, status: "valid", reasons: [] },
            plt_ms: 500 * Math.exp(spread * noises[noise](random)) + share * estimate_ms,
            ...{ disturbance_ms: 15 * estimate_ms, tolerated_ms: 5, disturbance_estimate_ms: estimate_ms },
          });
        }
  return samples;
}

interface Said {
  readonly isCalledDifferent: boolean;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

const asCalm = (samples: readonly Sample[]): Sample[] =>
  samples.map((sample) => ({ ...sample, disturbance_estimate_ms: 0 }));

function byVerdict(samples: readonly Sample[], seed: number): Said {
  const result = compare(samples, pair, seed);
  return { isCalledDifferent: ["faster", "slower"].includes(direction(result)), interval: result.interval };
}

/** All loads of a study on one page and link, by what they show. */
function withoutSlope(samples: readonly Sample[]): Sample[] {
  return [...Map.groupBy(samples, ({ page, link }) => `${page} ${link}`).values()].flatMap((of) => {
    const valid = of.filter(isValid);
    const share = Math.min(1, Math.max(0, calmed(valid).slope?.estimate ?? 0));
    return valid.map((load) => ({ ...load, plt_ms: load.plt_ms - share * (load.disturbance_estimate_ms ?? 0) }));
  });
}

/** Ratios of lower quartiles, whole cells drawn again; of one page on one link. */
function byQuartiles(samples: readonly Sample[], seed: number): Said {
  const random = randomSource(seed, "quartiles");
  const timesOf = (lane: string): number[] =>
    samples.flatMap((load) => (load.lane === lane ? (load.plt_ms ?? []) : []));
  const drawn = (times: readonly number[]): number =>
    quantile(
      times.map(() => times[Math.floor(random() * times.length)] as number),
      0.25,
    );
  const [h3, h2] = [timesOf("h3"), timesOf("h2")];
  const percents = Array.from({ length: 300 }, () => (1 - drawn(h3) / drawn(h2)) * 100);
  const interval = { low: quantile(percents, 0.025), high: quantile(percents, 0.975) };
  return { isCalledDifferent: interval.low > 0 || interval.high < 0, interval };
}

/** What the medians may be off in quadrature with chance, as if lanes were off to either side by chance too. */
function inQuadrature(samples: readonly Sample[], seed: number): Said {
  const { loads, off_ms } = calmed(samples.filter(isValid));
  const { percent, interval } = compare(asCalm(loads), pair, seed);
  if (!interval || percent === null) return { isCalledDifferent: false, interval };
  const off = ["h2", "h3"].map((lane) => {
    const of = loads.filter((load) => load.lane === lane).map(({ plt_ms }) => plt_ms);
    return (100 * (off_ms.get(lane) ?? 0)) / median(of);
  });
  const [low, high] = [
    percent - Math.hypot(percent - interval.low, ...off),
    percent + Math.hypot(interval.high - percent, ...off),
  ] as const;
  return { isCalledDifferent: low > 0 || high < 0, interval: { low, high } };
}

/** The verdict's rule first. The last two are of one page on one link. */
export const rules = {
  "half, and the rest in full": byVerdict,
  "no correction": (samples, seed) => byVerdict(asCalm(samples), seed),
  "the slope alone": (samples, seed) => byVerdict(asCalm(withoutSlope(samples)), seed),
  "half, in quadrature": inQuadrature,
  "lower quartiles": byQuartiles,
} as const satisfies Record<string, (samples: readonly Sample[], seed: number) => Said>;

export interface BusyTold extends Told {
  readonly name: string;
  /** Median of the intervals' widths, points. */
  readonly width: number;
}

/** What a rule says of equal lanes, for each way in which lanes share what a machine adds and each shape of noise. */
export function toldOfBusy(
  rule: keyof typeof rules,
  machine: keyof typeof machines,
  size: Size,
  studies: number,
): BusyTold[] {
  return (Object.keys(effects) as (keyof typeof effects)[]).flatMap((effect) =>
    noiseNames.map((noise) => {
      const name = `${effect}, ${noise}`;
      const random = randomSource(29, `${machine} ${name} ${JSON.stringify(size)}`);
      const said = Array.from({ length: studies }, (_, number) =>
        rules[rule](study(random, machine, effect, noise, size), number),
      );
      const known = said.flatMap(({ interval }) => interval ?? []);
      return {
        name,
        wrong: said.filter(({ isCalledDifferent }) => isCalledDifferent).length / studies,
        covered: known.filter((interval) => holds(interval, 0)).length / known.length,
        tooFew: 1 - known.length / studies,
        width: known.length > 0 ? median(known.map(({ low, high }) => high - low)) : Number.NaN,
      };
    }),
  );
}
