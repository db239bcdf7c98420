// What a plan's rule for when attempts are enough, and its limit of time, came to: as sentences, and as the document that exports have
// (schemas/stopping.schema.json). Pure; the rule is paired_rule.ts's.
import type { Stopping, StoppingDecision } from "../../../schemas/generated/stopping.ts";
import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import { count } from "../../base/numbers.ts";
import { fewestPrecise, firstLook } from "../stats/sequential.ts";
import { type Ruled, type RuledAttempt, type RuledComparison, type RuledSide, RuledValues } from "./block_values.ts";
import { decidedRatio, withinWords } from "./judged.ts";
import { cellsOf, RuleLook, type StoppingPlan } from "./paired_rule.ts";

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

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

export interface StoppingOf<Attempt extends RuledAttempt> {
  readonly plan: StoppingPlan & { readonly repetitions: number };
  readonly ruled: Ruled<Attempt>;
  /** Of the timed repetitions, in the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** False: the sweep may be resumed. */
  readonly isFinished: boolean;
  /** `run`, and its plural. */
  readonly noun: readonly [string, string];
}

/** The same for exports. null: their number was fixed before, and there was time for all. */
export function stoppingDocument<Attempt extends RuledAttempt>(of: StoppingOf<Attempt>): Stopping | null {
  const { until, time_limit_s } = of.plan;
  if (!until && time_limit_s === undefined) return null;
  const values = new RuledValues(of.ruled, of.attempts);
  const comparisons = until && "decided_percent" in until ? of.ruled.comparisons : [];
  const decisions = comparisons.map((each) => decisionOf(each, values, until as { decided_percent: number }));
  return { sentences: sentencesOf(of, values), decisions };
}

const decisionWords = { faster: "less", slower: "more", equivalent: "equal", undecided: "undecided" } as const;

function decisionOf<Attempt extends RuledAttempt>(
  comparison: RuledComparison<Attempt>,
  values: RuledValues<Attempt>,
  { decided_percent }: { readonly decided_percent: number },
): StoppingDecision {
  const { one, other } = comparison;
  const { outcome, ratio, interval } = decidedRatio(values.pairsOf(comparison), decided_percent);
  const givenUp = outcome.givenUp || new RuleLook(values).hasNoPairs(comparison);
  return {
    ...{ link: one.link, one: one.name, other: other.name, metric: one.quantity.name },
    ...{ decision: decisionWords[outcome.decision], blocks: outcome.blocks, given_up: givenUp },
    ...{ ratio, low: interval?.low ?? null, high: interval?.high ?? null },
  };
}

/** `First byte: 3 of 3 comparisons decided within 3 %, by 42 valid fetches; all repetitions would have been 180.` And if the time was over before. */
export const stoppingSentences = <Attempt extends RuledAttempt>(of: StoppingOf<Attempt>): string[] =>
  of.plan.until || of.plan.time_limit_s !== undefined ? sentencesOf(of, new RuledValues(of.ruled, of.attempts)) : [];

function sentencesOf<Attempt extends RuledAttempt>(
  { plan: { until, time_limit_s, repetitions }, ruled, attempts, isFinished, noun: [one, many] }: StoppingOf<Attempt>,
  values: RuledValues<Attempt>,
): string[] {
  const look = new RuleLook(values);
  const cells = new Set(cellsOf(ruled.sides));
  const places = [...new Set(ruled.sides.map(({ place }) => place))];
  const settled = new Set(until ? places.flatMap((place) => [...look.settledCells(until, place)]) : []);
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
      ? [`${settledWords(until, ruled, look, places)}, ${by}`, ...givenUpSentences(until, ruled, look, many)]
      : []),
    ...(isFinished && time_limit_s !== undefined && left > 0
      ? [`The time limit of ${time_limit_s} s was over before ${left} of ${most} planned ${many}.`]
      : []),
  ];
}

/** `First byte and download`. */
const quantitiesOf = <Attempt extends RuledAttempt>(sides: readonly RuledSide<Attempt>[]): string =>
  capital([...new Set(sides.map(({ quantity }) => quantity.title))].join(" and "));

function settledWords<Attempt extends RuledAttempt>(
  until: PlanUntil,
  { sides, comparisons }: Ruled<Attempt>,
  look: RuleLook<Attempt>,
  places: readonly string[],
): string {
  if ("decided_percent" in until) {
    const { decided_percent } = until;
    const decided = comparisons.filter((each) => look.outcomeOf(each, decided_percent).decision !== "undecided");
    const compared = quantitiesOf(comparisons.map(({ one }) => one));
    return `${compared}: ${decided.length} of ${count(comparisons.length, "comparison")} decided within ${decided_percent} %`;
  }
  const { interval_percent } = until;
  const sidesOf = (place: string): RuledSide<Attempt>[] => sides.filter((side) => side.place === place);
  const precise = places.filter((place) => look.arePrecise(sidesOf(place), interval_percent));
  const other = sides.some((side) => look.hasNoValues(side)) ? "other " : "";
  const all = `all ${other}medians known within ${interval_percent} %`;
  const known = quantitiesOf(sides);
  if (places.length > 1) return `${known}: ${all} on ${precise.length} of ${count(places.length, "link")}`;
  return precise.length === 1 ? `${known}: ${all}` : `${known}: not ${all}`;
}

/** What was given up, as nothing came or nothing would come of it. */
function givenUpSentences<Attempt extends RuledAttempt>(
  until: PlanUntil,
  { sides, comparisons }: Ruled<Attempt>,
  look: RuleLook<Attempt>,
  many: string,
): string[] {
  if ("decided_percent" in until) {
    const pairless = comparisons.filter((each) => look.hasNoPairs(each)).length;
    const hopeless = comparisons.filter((each) => look.outcomeOf(each, until.decided_percent).givenUp).length;
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
  const empty = sides.filter((side) => look.hasNoValues(side)).length;
  const without = `given up: no block of the first ${fewestPrecise} has a value.`;
  return empty === 0 ? [] : [`${count(empty, "median was", "medians were")} ${without}`];
}
