// What the product's intervals and verdicts promise, tried on simulated studies: 95 % intervals hold the truth in 94 to 96 %,
// verdicts and the rule that stops a cell are wrong in at most 5 %. `npm run bench -- coverage --json`; no machine is measured.
import { randomSource } from "../../cli/base/random.ts";
import { decide, lastLook } from "../../cli/results/stats/sequential.ts";
import {
  coverage,
  disturbances,
  falseVerdicts,
  intervals,
  noises,
  sizes,
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
    const covers = measurement(`${name}, ${loads} loads: holds the truth`, found, null, percent);
    return [covers, measurement(`${name}, ${loads} loads: off 95 %`, [Math.abs(covers.median - 95)], 1, percent)];
  });
}

/** Share of cells with this true difference (log ratio) that are decided otherwise than `right` allows. */
function falseDecisions(truth: number, margin_percent: number, right: readonly string[]): number[] {
  return names(noises).map((noise) => {
    const random = randomSource(6, `${noise} ${truth}`);
    let wrong = 0;
    for (let study = 0; study < studies; study++) {
      const pairs = Array.from({ length: lastLook }, () => ({
        lane: noises[noise](random),
        over: truth + noises[noise](random),
      }));
      if (!right.includes(decide(pairs, margin_percent).decision)) wrong++;
    }
    return (wrong / studies) * 100;
  });
}

export const bench: Bench = async (say) => {
  const measurements = names(intervals).flatMap((name) => {
    say(`studies of each size and shape: ${name}`);
    return coverages(name);
  });
  say(`verdicts on equal lanes, decisions of the sequential rule`);
  const verdicts = names(disturbances).flatMap((name) => {
    const wrong = sizes.map((loads) => falseVerdicts(name, loads, costlyStudies) * 100);
    return [measurement(`equal lanes called different, with ${name}`, wrong, 6, percent)];
  });
  const margin_percent = 3;
  const atMargin = Math.log1p(margin_percent / 100);
  return [
    ...measurements,
    ...verdicts,
    measurement(
      "equal lanes decided to be different",
      falseDecisions(0, margin_percent, ["equivalent", "undecided"]),
      5,
      percent,
    ),
    measurement(
      "lanes that differ by the margin decided to be equivalent",
      falseDecisions(atMargin, margin_percent, ["faster", "undecided"]),
      5,
      percent,
    ),
  ];
};
