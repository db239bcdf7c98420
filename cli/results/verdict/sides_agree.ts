// Do two browsers, or more, say the same of the lanes? Each pair of lanes is compared within each browser; what is put side by side are the
// answers, with their intervals, how far apart they are, and their signs page by page. Pure.

import {
  allFactors,
  type Factor,
  type FactorValues,
  factorFacts,
  factorText,
  factorTitle,
} from "../../base/factors.ts";
import type { Interval } from "../../base/interval.ts";
import { factorsOf, withoutFactors } from "../../base/lanes.ts";
import { formatPercents, percentRange } from "../../base/numbers.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { browserNames, browsersOf } from "./browsers.ts";
import { compare, direction, type Improvement } from "./comparison.ts";
import { type LanePair, lanePairs, type Sample } from "./sample.ts";

/** One browser's loads, on the lanes that all sides have. */
export interface Side {
  readonly name: string;
  readonly loads: readonly Sample[];
}

/** A page on a link: each side's percent, and whether all have one sign; null: a side has none. */
export interface PlaceSigns {
  readonly page: string;
  readonly link: string;
  readonly answers: readonly Improvement[];
  readonly isSame: boolean | null;
}

export interface PairAgreement {
  readonly pair: LanePair;
  /** Side by side. */
  readonly answers: readonly Improvement[];
  readonly places: readonly PlaceSigns[];
  /** In plain words: they agree, they disagree, ... */
  readonly verdict: string;
  /** Of two sides: the second's percent less the first's, with a 95 % interval; null: one is not known. */
  readonly apart: { readonly points: number; readonly interval: Interval } | null;
}

/** Loads by the values that their lanes name, each as if it were the only one: with lanes that name none. */
export function sidesOf<Load extends Pick<Sample, "lane">>(
  loads: readonly Load[],
): (Pick<Side, "name"> & { readonly values: FactorValues; readonly loads: readonly Load[] })[] {
  const groups = [...Map.groupBy(loads, ({ lane }) => factorText(factorsOf(lane))).values()];
  return groups
    .map((group) => {
      const values = factorsOf(group[0]?.lane ?? "");
      const bare =
        factorText(values) === "" ? group : group.map((load) => ({ ...load, lane: withoutFactors(load.lane) }));
      return { name: factorTitle(values), values, loads: bare };
    })
    .sort((a, b) => (factorText(a.values) < factorText(b.values) ? -1 : 1));
}

const isShown = (way: string): boolean => way === "faster" || way === "slower";

function verdictOf(answers: readonly Improvement[]): string {
  const ways = answers.map(direction);
  const shown = ways.filter(isShown);
  if (new Set(shown).size > 1) return "they disagree";
  if (shown.length === ways.length) return "they agree";
  if (ways.includes("unknown")) return "not known";
  return shown.length > 0 ? `shown in ${shown.length === 1 ? "one" : shown.length} of them only` : "shown in none";
}

/** Of two independent estimates with intervals of their own (Zou and Donner 2008): loads in one block that were slow together make it wide. */
function apartOf([a, b, more]: readonly Improvement[]): PairAgreement["apart"] {
  if (more || !a?.interval || !b?.interval || a.percent === null || b.percent === null) return null;
  const points = b.percent - a.percent;
  const low = points - Math.hypot(b.percent - b.interval.low, a.interval.high - a.percent);
  const high = points + Math.hypot(b.interval.high - b.percent, a.percent - a.interval.low);
  return Number.isFinite(low) && Number.isFinite(high) ? { points, interval: { low, high } } : null;
}

function placesOf(sides: readonly Side[], pair: LanePair, seed: number): PlaceSigns[] {
  const byPlace = sides.map(({ loads }) => Map.groupBy(loads, ({ page, link }) => JSON.stringify([page, link])));
  return [...(byPlace[0]?.keys() ?? [])].map((place) => {
    const [page, link] = JSON.parse(place) as [string, string];
    const answers = byPlace.map((of) => compare(of.get(place) ?? [], pair, seed));
    const signs = answers.map(({ percent }) => Math.sign(percent ?? 0));
    return { page, link, answers, isSame: signs.includes(0) ? null : new Set(signs).size === 1 };
  });
}

/** Of each pair of lanes that two sides have, or more; none where there is one side or one lane. */
export function agreementsOf(sides: readonly Side[], seed: number): PairAgreement[] {
  if (sides.length < 2) return [];
  const lanesOf = sides.map(({ loads }) => new Set(loads.map(({ lane }) => lane)));
  const hasBoth = ({ lane, over }: LanePair) =>
    lanesOf.filter((lanes) => lanes.has(lane) && lanes.has(over)).length > 1;
  const pairs = lanePairs(new Set(lanesOf.flatMap((lanes) => [...lanes]))).filter(hasBoth);
  const ofSide = sides.map(({ loads }) => correctedTogether(pairs.map((pair) => compare(loads, pair, seed))));
  return pairs.map((pair, index) => {
    const answers = ofSide.flatMap((of) => of[index] ?? []);
    return {
      ...{ pair, answers, places: placesOf(sides, pair, seed) },
      ...{ verdict: verdictOf(answers), apart: apartOf(answers) },
    };
  });
}

function answerText({ percent, interval, reason }: Improvement): string {
  if (percent === null) return reason ?? "unknown";
  const text = formatPercents(percent, interval);
  const range = interval ? `95 % CI ${percentRange(text)} %` : "too few loads for an interval";
  return `${text.percent} % (${range})`;
}

/** "; the same sign in 3 of 4 pages on links", of those that have a sign on each side. */
function signsText({ places }: PairAgreement): string {
  const signs = places.flatMap(({ isSame }) => isSame ?? []);
  if (signs.length < 2) return "";
  return `; the same sign in ${signs.filter(Boolean).length} of ${signs.length} pages on links`;
}

/** "; 3.0 points less in Firefox (95 % CI 1.0 to 5.0)"; empty: not known. `second`: the second side's name. */
export function apartText({ apart }: PairAgreement, second: string): string {
  if (apart === null) return "";
  const { points, interval } = apart;
  const isLess = points < 0;
  const text = formatPercents(Math.abs(points), isLess ? { low: -interval.high, high: -interval.low } : interval);
  return `; ${text.percent} points ${isLess ? "less" : "more"} in ${second} (95 % CI ${percentRange(text)})`;
}

/** A headline and a line for each pair of lanes. `several`: what the sides are. */
export function agreementLines(sides: readonly Side[], several: string, seed: number): string[] {
  const lines = agreementsOf(sides, seed).map((agreement) => {
    const { pair, answers, verdict } = agreement;
    const texts = answers.map((answer, index) => `${sides[index]?.name} ${answerText(answer)}`).join(", ");
    return `${pair.lane} against ${pair.over}: ${texts}: ${verdict}${apartText(agreement, sides[1]?.name ?? "")}${signsText(agreement)}.`;
  });
  return lines.length === 0
    ? []
    : [`Do the ${several} agree on the lanes? How much faster the first is than the second:`, ...lines];
}

/** What the sides of loads are: browsers. */
export const severalOf = (loads: readonly Sample[]): string =>
  allFactors
    .filter((factor: Factor) => new Set(loads.map(({ lane }) => factorsOf(lane)[factor])).size > 1)
    .map((factor) => factorFacts[factor].several)
    .join(" and ");

/** Of two browsers whose loads took turns: a headline and a line for each pair of lanes; none if there is one lane. */
export function browsersAgreeLines(
  a: readonly Pick<Side, "loads">[],
  b: readonly Pick<Side, "loads">[],
  seed: number,
): string[] {
  const sides = [a, b].map((runs) => {
    const loads = runs.flatMap((run) => run.loads);
    return { name: browserNames(browsersOf(loads)).join(" or ") || "a browser of no known version", loads };
  });
  return agreementLines(sides, "browsers", seed);
}
