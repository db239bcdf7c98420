// How sure an answer is: what its interval rests on, and what would narrow it. Pure: loads and a comparison in, one line out.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { minimumUnits, usualRuns } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import { significanceLevel } from "../stats/multiplicity.ts";
import { lastLook } from "../stats/sequential.ts";
import { type Improvement, limitOf } from "../verdict/comparison.ts";
import { effectComponents } from "../verdict/effect_components.ts";
import type { PairDecision } from "../verdict/load_stopping_rule.ts";
import { counted, isValid, type Sample } from "../verdict/sample.ts";
import type { Decided } from "./answer_sentence.ts";

interface Basis {
  readonly loads: readonly Sample[];
  readonly plan: Pick<SweepPlan, "until"> & Partial<Pick<SweepPlan, "repetitions">>;
  readonly result: Improvement;
  /** Neither a difference is shown, nor that there is none that matters. */
  readonly isOpen: boolean;
  /** Null: how many loads there are was not up to what they decide. */
  readonly decided: Decided | null;
}

const unitsWords: Readonly<Record<Improvement["units"], string>> = {
  blocks: "the interval covers these pages and links only",
  pages: "the interval covers pages like these",
};

const ofPair = (loads: readonly Sample[], { pair }: Improvement): readonly Sample[] =>
  loads.filter(({ lane }) => lane === pair.lane || lane === pair.over);

/** `5 to 9 valid runs per lane` */
function runsWords(loads: readonly Sample[], result: Improvement): string {
  const cells = Map.groupBy(ofPair(loads, result), ({ page, link, lane }) => JSON.stringify([page, link, lane]));
  const runs = [...cells.values()].map((of) => of.filter(isValid).length);
  const [fewest, most] = [Math.min(...runs), Math.max(...runs)];
  return fewest === most ? `${count(most, "valid run")} per lane` : `${fewest} to ${most} valid runs per lane`;
}

/** What to do about too few valid runs. */
function tooFewRemedy({ loads, plan, result }: Basis): string {
  const { repetitions = 0 } = plan;
  if (repetitions < minimumUnits) return `Run at least ${minimumUnits} per lane for an interval: --runs ${usualRuns}.`;
  const lost = ofPair(loads, result).filter((load) => counted(load) === null).length;
  return lost > 0
    ? `Of ${repetitions} runs too many were lost; the reasons are below.`
    : `Not all of its ${repetitions} runs were done.`;
}

/**
 * What would narrow the interval. That of pages like these is as wide as pages lie apart, which more runs change only so far as loads
 * do; what all pages share, as what an occasion adds, is not in it.
 */
function narrowingWords({ loads, result }: Basis): string {
  const { pair, pages, links, units } = result;
  if (limitOf(result) === "at most") return "a longer --timeout may show how slow the loads are that timed out";
  if (units === "blocks")
    return `more runs narrow the interval${pages * links === 1 ? " (--decide 3 runs until it is settled)" : ""}`;
  const components = effectComponents(loads, pair)?.components ?? [];
  const share = (names: readonly string[]): number =>
    components.reduce((sum, each) => sum + (names.includes(each.name) ? each.share : 0), 0);
  return share(["residual"]) > share(["page", "page on link"])
    ? "more runs narrow the interval"
    : "more pages narrow the interval, because pages differ more than runs do";
}

const wrong = `wrong in at most ${significanceLevel * 100} %, all looks counted`;

/** Of a pair at one place whose loads stopped once it was decided. */
function decisionParts({ decision, blocks, givenUp }: PairDecision): string[] {
  const after = `after ${count(blocks, "block")}`;
  if (decision === "undecided") {
    if (givenUp) return [`given up ${after}, because more loads would hardly decide it`];
    return [
      `undecided ${after}${blocks < lastLook ? `, of ${lastLook} that may decide it` : ", the most that are looked at"}`,
    ];
  }
  const decided = `decided ${after}; such decisions are ${wrong}`;
  if (decision === "equivalent") return [decided];
  return [decided, "the figure leans away from 0, because loads stopped when it was shown"];
}

/** Of several places that were each decided, and of what is said of all of them together. */
function decisionsParts({ interval, units }: Improvement): string[] {
  const each = `each decision is ${wrong}`;
  return interval === null ? [each] : [each, `${unitsWords[units]}, and counts no looks`];
}

function fixedParts(basis: Basis): string[] {
  const { plan, result, isOpen } = basis;
  return [
    ...(result.pages * result.links === 1 ? [] : [unitsWords[result.units]]),
    ...(plan.until && "interval_percent" in plan.until
      ? [`loads stopped once each median was known within ${plan.until.interval_percent} %`]
      : []),
    ...(isOpen ? [narrowingWords(basis)] : []),
  ];
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** From `Confidence:` to its last full stop: a sentence for each thing it rests on. */
export function sureLine(basis: Basis): string {
  const { loads, result, decided } = basis;
  const runs = runsWords(loads, result);
  if (result.percent === null) return `Confidence: ${runs}.`;
  const [only, second] = decided?.places ?? [];
  if (result.interval === null && !second && only?.decision !== "equivalent")
    return `Confidence: none yet, ${runs}. ${tooFewRemedy(basis)}`;
  const valid = loads.filter(isValid).length;
  const passed = valid === loads.length ? [`all ${count(valid, "load")} are valid`] : [];
  const parts = second ? decisionsParts(result) : only ? decisionParts(only) : fixedParts(basis);
  return `Confidence: ${[runs, ...parts, ...passed].map((part, index) => (index === 0 ? part : capital(part))).join(". ")}.`;
}
