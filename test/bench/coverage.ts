// What the product's sentences promise, tried on simulated studies of lanes whose medians are equal and whose noise is not: intervals
// hold the truth in 93 to 97 %, and equal lanes are called different in at most 6 %, by shape, runs, and what is pooled. Intervals
// over several cells are widened by what cannot be known of few runs, and so hold more than 97 % for noise that is alike on both sides.
// `npm run bench -- coverage --json`, `--only PART`; no machine is measured.
import { UserError } from "../../cli/base/errors.ts";
import { randomSource } from "../../cli/base/random.ts";
import { significanceLevel } from "../../cli/results/stats/multiplicity.ts";
import { decide, lastLook } from "../../cli/results/stats/sequential.ts";
import { cellTest, correctedTests } from "../../cli/results/verdict/cell_significance.ts";
import { improvement } from "../../cli/results/verdict/comparison.ts";
import { wrongExits } from "../cli/results/compare/simulated_compare.ts";
import {
  coverage,
  disturbances,
  falseVerdicts,
  intervals,
  noises,
  shapes,
  sizes,
  toldOfEqual,
} from "../cli/results/stats/simulated_study.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const studies = 2000;
/** Of what takes a whole verdict. */
const costlyStudies = 500;

const names = <Name extends string>(of: Record<Name, unknown>): Name[] => Object.keys(of) as Name[];
const percent = { unit: "%" } as const;

function coverages(name: keyof typeof intervals): Measurement[] {
  return sizes.flatMap((loads) => {
    // Six differences are the fewest that have one.
    if (name === "shift between paired loads" && loads < 6) return [];
    const found = names(noises).map((noise) => coverage(name, noise, loads, studies) * 100);
    return [measurement(`${name}, ${loads} loads: holds the truth`, found, null, percent)];
  });
}

/** What is told of equal lanes: a page on a link, four links, twelve, a hundred, twelve pages. */
const places = [
  { pages: 1, links: 1, studies: 2000 },
  { pages: 1, links: 4, studies: 400 },
  { pages: 1, links: 12, studies: 400 },
  { pages: 1, links: 100, studies: 100 },
  { pages: 12, links: 1, studies: 400 },
] as const;

function toldAt(
  { pages, links, studies: number }: (typeof places)[number],
  say: (line: string) => void,
): Measurement[] {
  const where = `${pages} page${pages > 1 ? "s" : ""}, ${links} link${links > 1 ? "s" : ""}`;
  return [3, 5, 10, 20, 30].flatMap((loads) => {
    const told = names(shapes).map((shape) => ({ shape, ...toldOfEqual(shape, { pages, links, loads }, number) }));
    for (const { shape, wrong, covered, tooFew } of told)
      say(
        `${where}, ${loads} runs, ${shape}: ${tooFew === 1 ? "too few runs" : `called different ${(wrong * 100).toFixed(1)} %, covers ${(covered * 100).toFixed(1)} %`}`,
      );
    const known = told.filter(({ tooFew }) => tooFew < 1);
    if (known.length === 0) return [];
    const [wrong, short] = [known.map((each) => each.wrong * 100), known.map((each) => 100 - each.covered * 100)];
    return [
      measurement(`${where}, ${loads} runs: called different`, wrong, 6, percent),
      measurement(`${where}, ${loads} runs: interval misses the truth`, short, 7, percent),
    ];
  });
}

/** Maps of 36 cells, nine runs each, in which nothing differs: share with any filled cell, by shape. */
function filledMaps(): number[] {
  const maps = 200;
  return names(shapes).map((shape) => {
    const random = randomSource(36, shape);
    const { lane, over } = shapes[shape] as (typeof shapes)[string];
    const loads = (noise: typeof lane) => Float64Array.from({ length: 9 }, () => 1000 * Math.exp(noise(random)));
    let wrong = 0;
    for (let map = 0; map < maps; map++) {
      const tests = Array.from({ length: 36 }, () => {
        const cell = { page: "page", link: "3mbit/50ms", lane: loads(lane), over: loads(over) };
        return cellTest(improvement([cell], { lane: "h3", over: "h2" }, map));
      });
      if (correctedTests(tests).some((each) => each !== null && each.holm <= significanceLevel)) wrong++;
    }
    return (wrong / maps) * 100;
  });
}

interface Decided {
  readonly wrong: number;
  readonly blocks: number;
}

/** Of cells with this true difference (log ratio): how many are decided otherwise than `right` allows, and by how many blocks. */
function decided(shape: string, truth: number, margin_percent: number, right: readonly string[]): Decided {
  const { lane, over } = shapes[shape] as (typeof shapes)[string];
  const random = randomSource(6, `${shape} ${truth}`);
  let [wrong, blocks] = [0, 0];
  for (let study = 0; study < studies; study++) {
    const pairs = Array.from({ length: lastLook }, () => ({ lane: lane(random), over: truth + over(random) }));
    const outcome = decide(pairs, margin_percent);
    if (!right.includes(outcome.decision)) wrong++;
    blocks += outcome.blocks;
  }
  return { wrong: (wrong / studies) * 100, blocks: blocks / studies };
}

const margin_percent = 3;

/** One value for all shapes: a bar holds for each of them, so for the worst. */
function worst(name: string, values: readonly number[], say: (line: string) => void): Measurement {
  names(shapes).forEach((shape, i) => {
    say(`${name}, ${shape}: ${values[i]?.toFixed(1)} %`);
  });
  return measurement(`${name}, worst shape`, [Math.max(...values)], 5, percent);
}

type Part = (say: (line: string) => void) => Measurement[];

/** What `--only` takes. */
const parts: Readonly<Record<string, Part>> = {
  intervals: (say) =>
    names(intervals).flatMap((name) => {
      say(`studies of each size and shape: ${name}`);
      return coverages(name);
    }),
  verdicts: (say) => places.flatMap((place) => toldAt(place, say)),
  disturbed: () =>
    names(disturbances).map((name) => {
      const wrong = sizes.map((loads) => falseVerdicts(name, loads, costlyStudies) * 100);
      return measurement(`equal lanes called different, with ${name}`, wrong, 6, percent);
    }),
  maps: (say) => [worst("maps of 36 equal cells, 9 runs: any cell filled", filledMaps(), say)],
  compare: () => wrongExits(costlyStudies).map(({ name, percents }) => measurement(name, percents, 5, percent)),
  decisions: (say) => {
    const decisionsOf = (truth: number, right: readonly string[]): Decided[] =>
      names(shapes).map((shape) => decided(shape, truth, margin_percent, right));
    const equal = decisionsOf(0, ["equivalent", "undecided"]);
    const atMargin = decisionsOf(Math.log1p(margin_percent / 100), ["faster", "undecided"]);
    const clear = decisionsOf(Math.log1p(0.1), ["faster", "undecided"]);
    const wrongOf = (of: readonly Decided[]): number[] => of.map(({ wrong }) => wrong);
    const loadsOf = (of: readonly Decided[]): number[] => of.map(({ blocks }) => (blocks / lastLook) * 100);
    return [
      worst("equal lanes decided to be different", wrongOf(equal), say),
      worst("apart by the margin, decided to be equivalent", wrongOf(atMargin), say),
      measurement("loads spent on equal lanes, of 30 blocks'", loadsOf(equal), null, percent),
      measurement("loads spent on lanes 10 % apart, of 30 blocks'", loadsOf(clear), null, percent),
    ];
  },
};

export const bench: Bench = async (say, only) => {
  const known = Object.keys(parts);
  if (only && !known.includes(only)) throw new UserError(`coverage has no part ${only}: one of ${known.join(", ")}`);
  return Object.entries(parts).flatMap(([name, part]) => {
    if (only && name !== only) return [];
    say(name);
    return part(say);
  });
};
