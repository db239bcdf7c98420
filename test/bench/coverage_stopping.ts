// What is promised of sweeps that stop by what they show, tried on simulated ones: a decision of `--decide` is wrong in at most 5 %, the
// answer that is printed after it calls equal lanes different in no more, and its interval, which counts the looks, holds; what
// `--precise` does to intervals. Parts of `npm run bench -- coverage`.
import { lastLook } from "../../cli/results/stats/sequential.ts";
import { drawnTogether, type Equal, minutes } from "../cli/results/stats/simulated_minutes.ts";
import { answersTold, type DecidedTold, decidedTold, preciseTold } from "../cli/results/stats/simulated_stops.ts";
import { type DrawStudy, drawnApart, shapes } from "../cli/results/stats/simulated_study.ts";
import { type Measurement, measurement } from "./bench.ts";
import { shareOf, worstShape } from "./worst_shape.ts";

type Say = (line: string) => void;

const studies = 1000;
/** Of lanes that rise and fall together: three kinds of minutes to each shape. */
const studiesTogether = 300;
const margin_percent = 3;
const precise_percent = 3;

const percent = { unit: "%" } as const;
const shapeNames = Object.keys(shapes);

interface Kind {
  readonly name: string;
  readonly study: DrawStudy;
}

const apart: readonly Kind[] = shapeNames.map((name) => ({ name, study: drawnApart(name) }));

const together = (minute: string, equal: Equal): Kind[] =>
  shapeNames.map((name) => ({ name: `${name}, ${minute}`, study: drawnTogether(name, minute, equal) }));

function decided(kinds: readonly Kind[], truth_percent: number, number: number): (DecidedTold & { name: string })[] {
  const truth = Math.log1p(truth_percent / 100);
  return kinds.map(({ name, study }) => ({ name, ...decidedTold(name, study, truth, margin_percent, number) }));
}

/** Decisions on each kind, and the intervals that are printed with them. */
function decisions(say: Say): Measurement[] {
  const equal = decided(apart, 0, studies);
  const atMargin = decided(apart, margin_percent, studies);
  const clear = decided(apart, 10, studies);
  const spent = (of: readonly DecidedTold[]): number[] => of.map((each) => each.spent * 100);
  return [
    worstShape("equal lanes decided to be different", shareOf(equal, "wrong"), { bar: 5, studies: null }, say),
    worstShape("apart by the margin, decided to be equal", shareOf(atMargin, "wrong"), { bar: 5, studies: null }, say),
    ...Object.entries({ "equal lanes": equal, "apart by the margin": atMargin, "10 % apart": clear }).map(
      ([name, of]) =>
        worstShape(
          `${name}: the interval of the look that decided misses the truth`,
          shareOf(of, "missed"),
          { bar: 5, studies: null },
          say,
        ),
    ),
    measurement(`loads spent on equal lanes, of ${lastLook} blocks'`, spent(equal), null, percent),
    measurement(`loads spent on lanes 10 % apart, of ${lastLook} blocks'`, spent(clear), null, percent),
  ];
}

/**
 * The same of lanes that rise and fall together, of which the differences within blocks are tested: that these hold is promised. Where
 * such lanes have equal medians, their blocks' differences may have another (simulated_minutes.ts), and what that does is shown.
 */
function decisionsTogether(say: Say): Measurement[] {
  return Object.keys(minutes).flatMap((minute) => {
    const blocks = decided(together(minute, "loads of a block"), 0, studiesTogether);
    const medians = decided(together(minute, "medians"), 0, studiesTogether);
    return [
      worstShape(
        `${minute}, loads of a block equal: decided to be different`,
        shareOf(blocks, "wrong"),
        { bar: 5, studies: null },
        say,
      ),
      worstShape(
        `${minute}, loads of a block equal: the interval misses`,
        shareOf(blocks, "missed"),
        { bar: 5, studies: null },
        say,
      ),
      worstShape(
        `${minute}, medians equal: decided to be different`,
        shareOf(medians, "wrong"),
        { bar: null, studies: null },
        say,
      ),
    ];
  });
}

/** What the answer says, in its words. */
function answers(say: Say): Measurement[] {
  const what = `equal lanes, --decide ${margin_percent}`;
  const told = apart.map(({ name, study }) => ({ name, ...answersTold(name, study, margin_percent, studies) }));
  return [
    worstShape(`${what}: the answer says that one saves time`, shareOf(told, "wrong"), { bar: 5, studies: null }, say),
    worstShape(
      `${what}: the answer says otherwise than was decided`,
      shareOf(told, "otherwise"),
      { bar: 0, studies: null },
      say,
    ),
  ];
}

/** Stopping where intervals are narrow picks those that are too narrow. */
function precise(say: Say): Measurement[] {
  const told = apart.map(({ name, study }) => ({ name, ...preciseTold(name, study, precise_percent, studies) }));
  for (const { name, stopped } of told)
    say(`--precise ${precise_percent}, ${name}: ${(stopped * 100).toFixed(0)} % stop early`);
  const what = `--precise ${precise_percent}`;
  return [
    worstShape(
      `${what}: medians' intervals miss, of sweeps that stopped early`,
      shareOf(told, "missedEarly"),
      { bar: null, studies: null },
      say,
    ),
    worstShape(
      `${what}: medians' intervals miss, of all sweeps`,
      shareOf(told, "missed"),
      { bar: 8, studies: null },
      say,
    ),
    worstShape(
      `${what}: the difference's interval misses`,
      shareOf(told, "differenceMissed"),
      { bar: 8, studies: null },
      say,
    ),
    worstShape(`${what}: equal lanes called different`, shareOf(told, "wrong"), { bar: 6, studies: null }, say),
  ];
}

/** By name, for `--only`. */
export const stoppingParts: Readonly<Record<string, (say: Say) => Measurement[]>> = {
  decisions,
  "decisions-together": decisionsTogether,
  answers,
  precise,
};
