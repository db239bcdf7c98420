// What the product's sentences promise, tried on simulated studies of lanes whose medians are equal and whose noise is not: intervals
// hold the truth in 93 to 97 %, and equal lanes are called different in at most 6 %, by shape, runs, and what is pooled. Intervals
// over several cells are widened by what cannot be known of few runs, and so hold more than 97 % for noise that is alike on both sides.
// Sweeps that stop by what they show are coverage_stopping.ts's.
// `npm run bench -- coverage --json`, `--only PART`; no machine is measured. It takes some 15 minutes of one CPU.
import { UserError } from "../../cli/base/errors.ts";
import { randomSource } from "../../cli/base/random.ts";
import { significanceLevel } from "../../cli/results/stats/multiplicity.ts";
import { cellTest, correctedTests } from "../../cli/results/verdict/cell_significance.ts";
import { improvement } from "../../cli/results/verdict/comparison.ts";
import { wrongExits } from "../cli/results/compare/simulated_compare.ts";
import { machines, rules, toldOfBusy } from "../cli/results/stats/simulated_busy.ts";
import { drawnPages, drawnTogether, minutes, pageEffects } from "../cli/results/stats/simulated_minutes.ts";
import {
  coverage,
  disturbances,
  falseVerdicts,
  intervals,
  noises,
  shapes,
  sizes,
  type Told,
  toldOf,
  toldOfEqual,
} from "../cli/results/stats/simulated_study.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { stoppingParts } from "./coverage_stopping.ts";
import { type ShapeShare, shareOf, worstShape } from "./worst_shape.ts";

const studies = 1500;
/** Of what takes a whole verdict. */
const costlyStudies = 500;
/** Of what takes two or six sweeps. */
const compareStudies = 300;

const names = <Name extends string>(of: Record<Name, unknown>): Name[] => Object.keys(of) as Name[];
const percent = { unit: "%" } as const;

type Say = (line: string) => void;

function coverages(name: keyof typeof intervals): Measurement[] {
  return sizes.flatMap((loads) => {
    // Six differences are the fewest that have one.
    if (name === "shift between paired loads" && loads < 6) return [];
    const found = names(noises).map((noise) => coverage(name, noise, loads, studies) * 100);
    return [measurement(`${name}, ${loads} loads: holds the truth`, found, null, percent)];
  });
}

/** Of studies whose intervals are known, by name: how often lanes that do not differ are called different, and intervals miss. */
function toldBars(where: string, told: readonly (Told & { name: string })[], number: number, say: Say): Measurement[] {
  const known = told.filter(({ tooFew }) => tooFew < 1);
  if (known.length === 0) {
    say(`${where}: too few runs`);
    return [];
  }
  const missed = known.map(({ name, covered }) => ({ name, share: 1 - covered }));
  return [
    worstShape(`${where}: called different`, shareOf(known, "wrong"), { bar: 6, studies: number }, say),
    worstShape(`${where}: interval misses the truth`, missed, { bar: 7, studies: number }, say),
  ];
}

/** What is told of equal lanes: a page on a link, four links, twelve, a hundred, twelve pages. */
const places = [
  { pages: 1, links: 1, studies: 2000 },
  { pages: 1, links: 4, studies: 400 },
  { pages: 1, links: 12, studies: 400 },
  { pages: 1, links: 100, studies: 100 },
  { pages: 12, links: 1, studies: 400 },
] as const;

function toldAt({ pages, links, studies: number }: (typeof places)[number], say: Say): Measurement[] {
  const where = `${pages} page${pages > 1 ? "s" : ""}, ${links} link${links > 1 ? "s" : ""}`;
  return [3, 5, 10, 20, 30].flatMap((loads) =>
    toldBars(
      `${where}, ${loads} runs`,
      names(shapes).map((name) => ({ name, ...toldOfEqual(name, { pages, links, loads }, number) })),
      number,
      say,
    ),
  );
}

/** Lanes that rise and fall together, each shape by each kind of minutes: one page, and twelve links. */
function correctedTogether(say: Say): Measurement[] {
  const at = [
    { pages: 1, links: 1, loads: 5 },
    { pages: 1, links: 1, loads: 9 },
    { pages: 1, links: 1, loads: 30 },
    { pages: 1, links: 12, loads: 5 },
  ];
  return at.flatMap((size) =>
    names(minutes).flatMap((minute) =>
      toldBars(
        `${size.links === 1 ? "1 link" : "12 links"}, ${size.loads} runs, ${minute}`,
        names(shapes).map((name) => ({
          name,
          ...toldOf(`${name}, ${minute}`, drawnTogether(name, minute, "medians"), size, costlyStudies),
        })),
        costlyStudies,
        say,
      ),
    ),
  );
}

/** Twelve pages of many, each with an effect of its own: the interval is of pages like these. */
function toldOfPages(say: Say): Measurement[] {
  const pages = 12;
  return [3, 5, 9].flatMap((loads) =>
    names(pageEffects).flatMap((effects) =>
      toldBars(
        `${pages} pages like these, ${loads} runs, ${effects}`,
        names(shapes).map((name) => ({
          name,
          ...toldOf(`${name}, ${effects}`, drawnPages(name, effects, pages), { pages, links: 1, loads }, studies),
        })),
        studies,
        say,
      ),
    ),
  );
}

/** Rules for busy machines, worst over how lanes share what a machine adds; bars are of the verdict's own. */
function toldOfRules(say: Say): Measurement[] {
  const studies = 300;
  const [own] = names(rules);
  return [5, 9, 20].flatMap((loads) =>
    names(machines).flatMap((machine) =>
      names(rules).flatMap((rule) => {
        const told = toldOfBusy(rule, machine, { pages: 1, links: 1, loads }, studies);
        const where = `${machine}, ${loads} runs, ${rule}`;
        const missed = told.map(({ name, covered }) => ({ name, share: 1 - covered }));
        const [wrongBar, missedBar] = rule === own ? [6, 7] : [null, null];
        return [
          worstShape(`${where}: called different`, shareOf(told, "wrong"), { bar: wrongBar, studies }, say),
          worstShape(`${where}: interval misses the truth`, missed, { bar: missedBar, studies }, say),
          measurement(
            `${where}: width, points`,
            told.map(({ width }) => width),
            null,
            percent,
          ),
        ];
      }),
    ),
  );
}

/** Maps of 36 cells, nine runs each, in which nothing differs: share with any filled cell, by shape. */
function filledMaps(): ShapeShare[] {
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
    return { name: shape, share: wrong / maps };
  });
}

/** What `--only` takes. */
const parts: Readonly<Record<string, (say: Say) => Measurement[]>> = {
  intervals: (say) =>
    names(intervals).flatMap((name) => {
      say(`studies of each size and shape: ${name}`);
      return coverages(name);
    }),
  verdicts: (say) => places.flatMap((place) => toldAt(place, say)),
  minutes: correctedTogether,
  pages: toldOfPages,
  busy: toldOfRules,
  disturbed: (say) =>
    names(disturbances).map((name) => {
      const wrong = sizes.map((loads) => ({
        name: `${loads} loads`,
        share: falseVerdicts(name, loads, costlyStudies),
      }));
      return worstShape(`equal lanes called different, with ${name}`, wrong, { bar: 6, studies: costlyStudies }, say);
    }),
  maps: (say) => [
    worstShape("maps of 36 equal cells, 9 runs: any cell filled", filledMaps(), { bar: 5, studies: null }, say),
  ],
  compare: (say) =>
    wrongExits(compareStudies).map(({ name, shares }) => worstShape(name, shares, { bar: 5, studies: null }, say)),
  ...stoppingParts,
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
