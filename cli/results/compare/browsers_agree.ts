// Do two browsers, whose loads took turns, say the same of the lanes? Each pair of lanes is compared within each browser; what is put side by
// side are the two answers, with their intervals. Pure.
import { formatPercents, percentRange } from "../../base/numbers.ts";
import { browserNames, browsersOf } from "../verdict/browsers.ts";
import { compare, direction, type Improvement, toldTogether } from "../verdict/comparison.ts";
import { type LanePair, lanePairs, type Sample } from "../verdict/sample.ts";
import type { Run } from "./interleaved.ts";

interface Side {
  readonly name: string;
  readonly loads: readonly Sample[];
}

const sideOf = (runs: readonly Run[]): Side => {
  const loads = runs.flatMap((run) => run.loads);
  return { name: browserNames(browsersOf(loads)).join(" or ") || "a browser of no known version", loads };
};

function answerOf({ percent, interval, reason }: Improvement): string {
  if (percent === null) return reason ?? "unknown";
  const text = formatPercents(percent, interval);
  const range = interval ? `95 % CI ${percentRange(text)} %` : "too few loads for an interval";
  return `${text.percent} % (${range})`;
}

/** "the same sign in 3 of 4", of a page on a link each that has a sign in both. */
function signsOf(sides: readonly [Side, Side], pair: LanePair, seed: number): string | null {
  const places = sides.map(({ loads }) => Map.groupBy(loads, ({ page, link }) => JSON.stringify([page, link])));
  const signs = [...(places[0]?.keys() ?? [])].flatMap((place) => {
    const both = places.map((of) => Math.sign(compare(of.get(place) ?? [], pair, seed).percent ?? 0));
    return both.includes(0) ? [] : [both[0] === both[1]];
  });
  if (signs.length < 2) return null;
  return `the same sign in ${signs.filter(Boolean).length} of ${signs.length} pages on links`;
}

function verdictOf([a, b]: readonly [Improvement, Improvement]): string {
  const [one, other] = [direction(a), direction(b)];
  const isShown = (way: string): boolean => way === "faster" || way === "slower";
  if (isShown(one) && isShown(other)) return one === other ? "they agree" : "they disagree";
  if (one === "unknown" || other === "unknown") return "not known";
  return isShown(one) || isShown(other) ? "shown in one of them only" : "shown in neither";
}

/** A headline and a line for each pair of lanes; none where there is one lane. */
export function browsersAgreeLines(a: readonly Run[], b: readonly Run[], seed: number): string[] {
  const sides: readonly [Side, Side] = [sideOf(a), sideOf(b)];
  const pairs = lanePairs(new Set(sides.flatMap(({ loads }) => loads.map(({ lane }) => lane))));
  const ofSide = sides.map(({ loads }) => toldTogether(pairs.map((pair) => compare(loads, pair, seed))));
  const lines = pairs.flatMap((pair, index) => {
    const [one, other] = [ofSide[0]?.[index], ofSide[1]?.[index]];
    if (!one || !other) return [];
    const answers = `${sides[0].name} ${answerOf(one)}, ${sides[1].name} ${answerOf(other)}`;
    const signs = signsOf(sides, pair, seed);
    return [
      `${pair.lane} against ${pair.over}: ${answers}: ${verdictOf([one, other])}${signs === null ? "" : `; ${signs}`}.`,
    ];
  });
  return lines.length === 0
    ? []
    : ["Do the browsers agree on the lanes? How much faster the first is than the second:", ...lines];
}
