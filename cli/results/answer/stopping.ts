// When the attempts of a sweep are enough (`until` of its plan), and what they decided: one rule over pairs of values for every instrument that says
// what it compares (Ruled). Differences are decided by the test that accounts for looking after each block (stats/sequential.ts). Values are taken in
// the order in which attempts ended, so that what was settled stays settled if a deferred attempt comes late and if the sweep is resumed. Pure.
// Of page loads, which time out and are held up by a busy machine, the rule is verdict/stopping_rule.ts's, by the same statistics.

import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import { count } from "../../base/numbers.ts";
import { mean } from "../../base/quantile.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import {
  areAllPrecise,
  decide,
  fewestPrecise,
  firstLook,
  type LogPair,
  lastLook,
  type Outcome,
  shiftAtLook,
} from "../stats/sequential.ts";
import type { LoadStatus } from "../store/results.ts";
import { type Contrast, type Pair, type Shown, shown } from "./contrast.ts";

/** What a plan says of when its attempts are enough. */
export interface StoppingPlan {
  readonly until?: PlanUntil;
  readonly time_limit_s?: number;
}

/** What the rule needs of an attempt; the rest is its instrument's. */
export interface RuledAttempt {
  readonly cell: number;
  readonly block: number;
  readonly status: LoadStatus;
}

/** What has a value of its own in each block. */
export interface RuledSide<Attempt extends RuledAttempt> {
  /** Within which sides are compared, and known together: a link. */
  readonly place: string;
  /** Cells by what they are of. Those of several objects have one value in a block: the geometric mean. */
  readonly cells: ReadonlyMap<string, number>;
  /** How attempts end that complete their block, with a value or without: any other is tried again. */
  readonly counted: readonly LoadStatus[];
  /** Of a valid attempt; null: it has none. */
  readonly valueOf: (attempt: Attempt) => number | null;
}

export interface RuledComparison<Attempt extends RuledAttempt> {
  readonly one: RuledSide<Attempt>;
  readonly other: RuledSide<Attempt>;
}

export interface Ruled<Attempt extends RuledAttempt> {
  /** Whose medians are asked for. */
  readonly sides: readonly RuledSide<Attempt>[];
  readonly comparisons: readonly RuledComparison<Attempt>[];
}

/** Of one block, once each of the side's cells has an attempt that counts. */
interface BlockValues {
  readonly values: ReadonlyMap<string, number>;
  /** Number of the attempt that completed it. */
  readonly at: number;
}

function blocksOf<Attempt extends RuledAttempt>(
  { cells, counted, valueOf: valueIn }: RuledSide<Attempt>,
  attempts: readonly Attempt[],
): Map<number, BlockValues> {
  const unitOf = new Map([...cells].map(([unit, cell]) => [cell, unit]));
  const open = new Map<number, Map<string, number | null>>();
  const complete = new Map<number, BlockValues>();
  for (const [at, attempt] of attempts.entries()) {
    const unit = unitOf.get(attempt.cell);
    if (unit === undefined || !counted.includes(attempt.status) || complete.has(attempt.block)) continue;
    const values = open.get(attempt.block) ?? new Map<string, number | null>();
    open.set(attempt.block, values.set(unit, attempt.status === "valid" ? valueIn(attempt) : null));
    if (values.size < cells.size) continue;
    const known = [...values].flatMap(([of, value]) => (value !== null && value > 0 ? [[of, value] as const] : []));
    complete.set(attempt.block, { values: new Map(known), at });
  }
  return complete;
}

const geometricMean = (values: readonly number[]): number =>
  values.length === 1 ? (values[0] as number) : Math.exp(mean(values.map(Math.log)));

/** One pair for each block that both sides have, over what has a value on both, in the order in which they were complete. */
export function pairsOf<Attempt extends RuledAttempt>(
  { one, other }: RuledComparison<Attempt>,
  attempts: readonly Attempt[],
): Pair[] {
  const others = blocksOf(other, attempts);
  const pairs = [...blocksOf(one, attempts)].flatMap(([block, { values, at }]) => {
    const beside = others.get(block);
    const shared = [...values.keys()].filter((unit) => beside?.values.has(unit));
    if (!beside || shared.length === 0) return [];
    const of = (side: ReadonlyMap<string, number>): number =>
      geometricMean(shared.map((unit) => side.get(unit) as number));
    return [{ one: of(values), other: of(beside.values), at: Math.max(at, beside.at) }];
  });
  return pairs.toSorted((a, b) => a.at - b.at);
}

const logPairsOf = (pairs: readonly Pair[]): LogPair[] =>
  pairs.map(({ one, other }) => ({ lane: Math.log(one), over: Math.log(other) }));

function valuesOf<Attempt extends RuledAttempt>(side: RuledSide<Attempt>, attempts: readonly Attempt[]): number[] {
  return [...blocksOf(side, attempts).values()].flatMap(({ values }) =>
    values.size === 0 ? [] : [geometricMean([...values.values()])],
  );
}

/** Number of blocks in which each cell was tried. */
function triedBlocks<Attempt extends RuledAttempt>(
  sides: readonly RuledSide<Attempt>[],
  attempts: readonly Attempt[],
): number {
  const cells = new Set(cellsOf(sides));
  const tried = new Map<number, Set<number>>();
  for (const { cell, block, status } of attempts)
    if (cells.has(cell) && status !== "invalid") tried.set(block, (tried.get(block) ?? new Set()).add(cell));
  return [...tried.values()].filter(({ size }) => size === cells.size).length;
}

/** No look will come, as of a lane that a host does not have. A late value, of a deferred attempt, opens it again. */
const hasNoPairs = <Attempt extends RuledAttempt>(
  comparison: RuledComparison<Attempt>,
  attempts: readonly Attempt[],
): boolean =>
  pairsOf(comparison, attempts).length === 0 && triedBlocks([comparison.one, comparison.other], attempts) >= firstLook;

const hasNoValues = <Attempt extends RuledAttempt>(side: RuledSide<Attempt>, attempts: readonly Attempt[]): boolean =>
  valuesOf(side, attempts).length === 0 && triedBlocks([side], attempts) >= fewestPrecise;

const isUndecided = ({ decision, givenUp, blocks }: Outcome): boolean =>
  decision === "undecided" && !givenUp && blocks < lastLook;

function isOpen<Attempt extends RuledAttempt>(
  comparison: RuledComparison<Attempt>,
  attempts: readonly Attempt[],
  percent: number,
): boolean {
  const outcome = decide(logPairsOf(pairsOf(comparison, attempts)), percent);
  return isUndecided(outcome) && !hasNoPairs(comparison, attempts);
}

const cellsOf = <Attempt extends RuledAttempt>(sides: readonly RuledSide<Attempt>[]): number[] =>
  sides.flatMap(({ cells }) => [...cells.values()]);

/** Of the sides of one place, without those that have no value. */
function arePrecise<Attempt extends RuledAttempt>(
  sides: readonly RuledSide<Attempt>[],
  attempts: readonly Attempt[],
  percent: number,
): boolean {
  const series = sides.filter((side) => !hasNoValues(side, attempts)).map((side) => valuesOf(side, attempts));
  return areAllPrecise(series, percent);
}

/** The cells of one place that need no further attempts: all that they are compared with is decided or given up, or all medians are precise. */
export function settledCells<Attempt extends RuledAttempt>(
  { sides, comparisons }: Ruled<Attempt>,
  attempts: readonly Attempt[],
  until: PlanUntil,
  place: string,
): ReadonlySet<number> {
  const here = sides.filter((side) => side.place === place);
  const all = new Set(cellsOf(here));
  if ("interval_percent" in until) {
    if (arePrecise(here, attempts, until.interval_percent)) return all;
    const needed = new Set(cellsOf(here.filter((side) => !hasNoValues(side, attempts))));
    return new Set([...all].filter((cell) => !needed.has(cell)));
  }
  const own = comparisons.filter(({ one }) => one.place === place);
  const open = own.filter((each) => isOpen(each, attempts, until.decided_percent));
  if (open.length === 0) return all;
  // What is compared with nothing runs as long as anything else does.
  const compared = cellsOf(own.flatMap(({ one, other }) => [one, other]));
  const needed = new Set(cellsOf(open.flatMap(({ one, other }) => [one, other])));
  return new Set(compared.filter((cell) => !needed.has(cell)));
}

/** What may be said of a contrast that is read with others; `equal`: within what the plan asks for. */
export interface Judged extends Contrast {
  readonly shown: Shown | "equal";
  /** By the plan's rule: its interval accounts for each look. */
  readonly isRuled: boolean;
}

const shownBy: Readonly<Record<Outcome["decision"], Judged["shown"]>> = {
  faster: "less",
  slower: "more",
  equivalent: "equal",
  undecided: "none",
};

/** As the rule decided it, with the interval of the look that did. */
function ruledContrast(found: Contrast, pairs: readonly Pair[], percent: number): Judged {
  const outcome = decide(logPairsOf(pairs), percent);
  const seen = logPairsOf(pairs).slice(0, outcome.blocks);
  const at = shiftAtLook(seen);
  if (at === null) return { ...found, interval: null, n: 0, shown: "unknown", isRuled: true };
  // It is log(other / one).
  const isEqual = outcome.decision === "equivalent";
  const most = isEqual ? Math.log1p(percent / 100) : Number.POSITIVE_INFINITY;
  // Of equal ones all beyond the margin was refused, though the interval, at half the level on each side, may reach further.
  const interval = at.interval && {
    low: Math.exp(Math.max(-most, -at.interval.high)),
    high: Math.exp(Math.min(most, -at.interval.low)),
  };
  const ruled = { ...found, ratio: Math.exp(-at.estimate), interval, n: seen.length };
  const isShown = interval !== null || isEqual;
  return { ...ruled, shown: isShown ? shownBy[outcome.decision] : "unknown", isRuled: true };
}

export interface ToJudge {
  readonly found: Contrast;
  /** Of what the plan's rule is about; null: of anything else. */
  readonly ruled: readonly Pair[] | null;
}

/** All that is read together: what the rule is about as it decided, all others corrected together. */
export function judgeTogether(all: readonly ToJudge[], until: PlanUntil | undefined): Judged[] {
  const percent = until && "decided_percent" in until ? until.decided_percent : null;
  const isRuled = ({ ruled }: ToJudge): boolean => percent !== null && ruled !== null;
  const corrected = correctedTogether(all.filter((each) => !isRuled(each)).map(({ found }) => found)).values();
  return all.map((each) => {
    if (percent !== null && each.ruled !== null) return ruledContrast(each.found, each.ruled, percent);
    const found = corrected.next().value ?? each.found;
    return { ...found, shown: shown(found), isRuled: false };
  });
}

/** `(95 %: -1 to 2 % more; n = 9 runs)`; the first look, which has no interval, may show two to be equal. */
export const equalEvidence = ({ interval, n }: Contrast, range: string, unit: string): string =>
  `(${interval === null ? "" : `95 %: ${range}; `}n = ${count(n, unit)})`;

/** `within 3 %`. */
export const withinWords = (until: PlanUntil | undefined): string =>
  `within ${until && "decided_percent" in until ? until.decided_percent : 0} %`;

/** For reports: how the rule looked at its attempts. Empty: there is none. `compared`: what was decided; `runs`: a noun in the plural. */
export function ruleSentence({ until, time_limit_s }: StoppingPlan, compared: string, runs: string): string {
  const limit = time_limit_s === undefined ? "" : ` All ${runs} together had ${time_limit_s} s.`;
  if (!until) return limit;
  const rule =
    "decided_percent" in until
      ? ` ${capital(runs)} ended once ${compared} was decided, or equal ${withinWords(until)}: looking after each block is accounted for, in the intervals, too.`
      : ` ${capital(runs)} ended once each median’s interval reached ${until.interval_percent} % of it to each side at most: of those that ended early, intervals may be too narrow.`;
  return `${rule}${limit}`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export interface StoppingOf<Attempt extends RuledAttempt> {
  readonly plan: StoppingPlan & { readonly repetitions: number };
  readonly ruled: Ruled<Attempt>;
  /** Of the timed repetitions. */
  readonly attempts: readonly Attempt[];
  /** False: the sweep may be resumed. */
  readonly isFinished: boolean;
  /** `run`, and its plural. */
  readonly noun: readonly [string, string];
}

/** `3 of 3 comparisons decided within 3 %, by 42 valid runs; all repetitions would have been 180.` And if the time was over before. */
export function stoppingSentences<Attempt extends RuledAttempt>({
  plan: { until, time_limit_s, repetitions },
  ruled,
  attempts,
  isFinished,
  noun: [one, many],
}: StoppingOf<Attempt>): string[] {
  const cells = new Set(cellsOf(ruled.sides));
  const places = [...new Set(ruled.sides.map(({ place }) => place))];
  const settled = new Set(until ? places.flatMap((place) => [...settledCells(ruled, attempts, until, place)]) : []);
  const valid = attempts.filter(({ status }) => status === "valid").length;
  const most = cells.size * repetitions;
  const by = `by ${count(valid, `valid ${one}`, `valid ${many}`)}; all repetitions would have been ${most}.`;
  const begun = new Set(attempts.map(({ cell, block }) => `${cell} ${block}`));
  const left = [...cells]
    .filter((cell) => !settled.has(cell))
    .flatMap((cell) => Array.from({ length: repetitions }, (_, block) => `${cell} ${block}`))
    .filter((task) => !begun.has(task)).length;
  return [
    ...(until
      ? [`${settledWords(until, ruled, attempts, places)}, ${by}`, ...givenUpSentences(until, ruled, attempts, many)]
      : []),
    ...(isFinished && time_limit_s !== undefined && left > 0
      ? [`The time limit of ${time_limit_s} s was over before ${left} of ${most} planned ${many}.`]
      : []),
  ];
}

function settledWords<Attempt extends RuledAttempt>(
  until: PlanUntil,
  { sides, comparisons }: Ruled<Attempt>,
  attempts: readonly Attempt[],
  places: readonly string[],
): string {
  if ("decided_percent" in until) {
    const { decided_percent } = until;
    const decided = comparisons.filter(
      (each) => decide(logPairsOf(pairsOf(each, attempts)), decided_percent).decision !== "undecided",
    );
    return `${decided.length} of ${count(comparisons.length, "comparison")} decided within ${decided_percent} %`;
  }
  const { interval_percent } = until;
  const sidesOf = (place: string): RuledSide<Attempt>[] => sides.filter((side) => side.place === place);
  const precise = places.filter((place) => arePrecise(sidesOf(place), attempts, interval_percent));
  const other = sides.some((side) => hasNoValues(side, attempts)) ? "other " : "";
  const all = `${other}medians known within ${interval_percent} %`;
  if (places.length > 1) return `All ${all} on ${precise.length} of ${count(places.length, "link")}`;
  return precise.length === 1 ? `All ${all}` : `Not all ${all}`;
}

/** What was given up, as nothing came or nothing would come of it. */
function givenUpSentences<Attempt extends RuledAttempt>(
  until: PlanUntil,
  { sides, comparisons }: Ruled<Attempt>,
  attempts: readonly Attempt[],
  many: string,
): string[] {
  if ("decided_percent" in until) {
    const pairless = comparisons.filter((each) => hasNoPairs(each, attempts)).length;
    const hopeless = comparisons.filter(
      (each) => decide(logPairsOf(pairsOf(each, attempts)), until.decided_percent).givenUp,
    ).length;
    const were = (number: number): string => count(number, "comparison was", "comparisons were");
    return [
      ...(pairless === 0
        ? []
        : [`${were(pairless)} given up: no block of the first ${firstLook} has a value on both sides.`]),
      ...(hopeless === 0
        ? []
        : [`${were(hopeless)} given up: more ${many} would hardly decide ${hopeless === 1 ? "it" : "them"}.`]),
    ];
  }
  const empty = sides.filter((side) => hasNoValues(side, attempts)).length;
  const without = `given up: no block of the first ${fewestPrecise} has a value.`;
  return empty === 0 ? [] : [`${count(empty, "median was", "medians were")} ${without}`];
}
