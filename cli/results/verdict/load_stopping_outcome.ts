// What a sweep that ran until its loads were enough has settled, place by place, and what that cost against repetitions
// fixed before. Pure; the rule is load_stopping_rule.ts's.

import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import { count, formatPercents } from "../../base/numbers.ts";
import type { Decision } from "../stats/sequential.ts";
import { comparedMetric, type MetricChoice } from "./compared_metric.ts";
import { gapClause } from "./lane_coverage.ts";
import { isSettled, type PairDecision, pairDecisions } from "./load_stopping_rule.ts";
import { isValid, type LanePair, type Sample, sortLanes } from "./sample.ts";

interface PlaceDecision extends PairDecision {
  readonly page: string;
  readonly link: string;
}

export interface StoppingSummary {
  /** Whose values decide; undefined: the usual one's. */
  readonly metric: MetricChoice | undefined;
  readonly until: PlanUntil;
  /** One for each pair of lanes on each page and link; none where medians are what was planned. */
  readonly decisions: readonly PlaceDecision[];
  readonly settled: number;
  /** Comparisons, or pages on links. */
  readonly of: number;
  readonly validLoads: number;
  /** What as many repetitions as were allowed would have taken. */
  readonly mostLoads: number;
}

/** Within how many per cent lanes are decided; null: loads stop by another rule, or their number was fixed before. */
export function decidedWithin(until: PlanUntil | undefined): number | null {
  return until && "decided_percent" in until ? until.decided_percent : null;
}

interface CellPlace {
  readonly page: string;
  readonly link: string;
  readonly lane: string;
}

interface Place {
  readonly page: string;
  readonly link: string;
  readonly lanes: readonly string[];
  readonly loads: readonly Sample[];
}

/** In the order of `cells`, those without loads too. */
function placesOf(cells: readonly CellPlace[], loads: readonly Sample[]): Place[] {
  const keyOf = (of: { page: string; link: string }): string => JSON.stringify([of.page, of.link]);
  const loadsAt = Map.groupBy(loads, keyOf);
  return [...Map.groupBy(cells, keyOf)].map(([key, group]) => ({
    page: group[0]?.page ?? "",
    link: group[0]?.link ?? "",
    lanes: sortLanes(group.map((cell) => cell.lane)),
    loads: loadsAt.get(key) ?? [],
  }));
}

/** Each pair of lanes on each page and link. `cells`: all that the plan has. */
export function placeDecisions(
  cells: readonly CellPlace[],
  loads: readonly Sample[],
  margin_percent: number,
): PlaceDecision[] {
  return placesOf(cells, loads).flatMap(({ page, link, lanes, loads: here }) =>
    pairDecisions(here, lanes, margin_percent).map((decision) => ({ page, link, ...decision })),
  );
}

/** `cells`: all that the plan has. `loads`: with the metric's values. */
export function stoppingSummary(
  cells: readonly CellPlace[],
  loads: readonly Sample[],
  metric: MetricChoice | undefined,
  until: PlanUntil,
  repetitions: number,
): StoppingSummary {
  const spent = { metric, validLoads: loads.filter(isValid).length, mostLoads: cells.length * repetitions };
  if ("decided_percent" in until) {
    const decisions = placeDecisions(cells, loads, until.decided_percent);
    const settled = decisions.filter(({ decision }) => decision !== "undecided").length;
    return { until, decisions, settled, of: decisions.length, ...spent };
  }
  const places = placesOf(cells, loads);
  const settled = places.filter(({ lanes, loads: here }) => isSettled(here, lanes, until)).length;
  return { until, decisions: [], settled, of: places.length, ...spent };
}

/** `Page load time: 34 of 36 comparisons decided within 3 %, by 412 valid loads; all repetitions would have been 1080.` */
export function stoppingSentence({ metric, until, settled, of, validLoads, mostLoads }: StoppingSummary): string {
  const what =
    "decided_percent" in until
      ? `${settled} of ${count(of, "comparison")} decided within ${until.decided_percent} %`
      : `all medians known within ${until.interval_percent} % on ${settled} of ${of} pages and links`;
  const { noun } = comparedMetric(metric);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${what}, by ${count(validLoads, "valid load")}; all repetitions would have been ${mostLoads}.`;
}

/** `h3 is faster`, with its figure and interval where there are loads enough. */
export function decisionWords(
  { pair, decision, givenUp, percent, interval, gap }: PairDecision,
  margin_percent: number,
): string {
  const { lane, over } = pair;
  if (gap) return gapClause(pair, gap);
  const numbers = formatPercents(percent ?? 0, interval);
  const range = interval ? ` (${numbers.percent} %: ${numbers.low} to ${numbers.high})` : "";
  switch (decision) {
    case "faster":
      return `${lane} is faster than ${over}${range}`;
    case "slower":
      return `${lane} is slower than ${over}${range}`;
    case "equivalent":
      return `${lane} and ${over} are equal within ${margin_percent} %${range}`;
    case "undecided":
      return `${lane} against ${over} is undecided${givenUp ? ", and more loads would hardly decide it" : ""}${range}`;
  }
}

/** What a rule is about: `each pair of lanes` is decided, or `each lane's median` known. */
export interface RuleWords {
  readonly compared: string;
  readonly known: string;
}

const lanePairWords: RuleWords = { compared: "each pair of lanes", known: "each lane's median" };

/** `until each pair of lanes is decided within 3 %`. */
export function untilWords(until: PlanUntil, { compared, known }: RuleWords = lanePairWords): string {
  return "decided_percent" in until
    ? `until ${compared} is decided within ${until.decided_percent} %`
    : `until ${known} is known within ${until.interval_percent} %`;
}

const ways: readonly Decision[] = ["faster", "slower", "equivalent", "undecided"];

/**
 * `h3 is faster than h2 in 5 of 12 comparisons, slower in 1, equal within 3 % in 4, undecided in 2`; `names`: what the lanes are called.
 * `place`: what follows the first number. Null without decisions.
 */
export function decisionCounts(
  { lane, over }: LanePair,
  decisions: readonly Pick<PairDecision, "decision">[],
  margin_percent: number,
  place = "",
): string | null {
  const equal = `equal within ${margin_percent} %`;
  const words: Readonly<Record<Decision, { readonly first: string; readonly next: string }>> = {
    faster: { first: `${lane} is faster than ${over}`, next: "faster" },
    slower: { first: `${lane} is slower than ${over}`, next: "slower" },
    equivalent: { first: `${lane} and ${over} are ${equal}`, next: equal },
    undecided: { first: `${lane} against ${over} is undecided`, next: "undecided" },
  };
  const [first, ...others] = ways.flatMap((way) => {
    const times = decisions.filter(({ decision }) => decision === way).length;
    return times === 0 ? [] : [{ ...words[way], times }];
  });
  if (!first) return null;
  const all = count(decisions.length, "comparison");
  const share =
    others.length > 0 ? `${first.times} of ${all}` : decisions.length === 1 ? "the one comparison" : `all ${all}`;
  return [`${first.first} in ${share}${place}`, ...others.map(({ next, times }) => `${next} in ${times}`)].join(", ");
}
