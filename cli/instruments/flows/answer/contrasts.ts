// Who of the flows gets more, shown or not: of each mix its parts against its first one, in the same runs; of mixes that have a single part
// each, the others against the first mix on the same link, in the same blocks. By the goodput of a flow. Sentences from rows of runs.
import { count } from "../../../base/numbers.ts";
import { parseFlow } from "../../../link/flows/flow_words.ts";
import { metrics } from "../../../registry/metrics.ts";
import { figures } from "../../../registry/units.ts";
import { pairsOf, type RuledComparison, type RuledSide } from "../../../results/answer/block_values.ts";
import { contrast, isProbable, surenessNote, unitsText } from "../../../results/answer/contrast.ts";
import { equalEvidence, type Judged, judgeTogether, withinWords } from "../../../results/answer/judged.ts";
import type { StoppingOf } from "../../../results/answer/rule_outcome.ts";
import type { FlowRunRow } from "../store/flow_runs.ts";
import type { FlowSweep, StoredFlowPlan } from "../store/stored_plan.ts";

export interface ContrastedCell {
  readonly id: number;
  readonly mix: string;
  readonly link: string;
  /** The lane of the page that was loaded during the flows; null: none was. */
  readonly lane: string | null;
  /** Of each `--flow` of the mix its words, in their order. */
  readonly parts: readonly string[];
}

/** Of each mix of a stored plan the words of its `--flow`s. */
export const partsByMix = ({ mixes }: Pick<StoredFlowPlan, "mixes">): Map<string, readonly string[]> =>
  new Map(mixes.map(({ name, flows }) => [name ?? flows.join(" + "), flows]));

/** A run as the rule takes it. */
export type RuledFlowRun = Pick<FlowRunRow, "cell" | "block" | "status" | "result">;

/** How a run ends that counts: any other is tried again. */
export const counted = ["valid"] as const;

/** More pairs are the table's to show. */
const mostSentences = 6;

/** Of a run in which nothing came, so that it stays one in which the other got more. */
const least_bps = 1;

interface Compared {
  readonly link: string;
  readonly one: string;
  readonly other: string;
  readonly found: Judged;
}

/** `4*tcp:cubic` stands for four flows. */
export const spokenFlows = (words: string): string => words.replace(/^(\d+)\*/, "$1 × ");

/** Of one flow of the part; null: the run has no number. */
export function flowGoodput({ result }: RuledFlowRun, part: number): number | null {
  const group = result?.groups.find((each) => each.group === part);
  const value = group?.metrics.goodput_bps ?? null;
  return group && value !== null ? Math.max(least_bps, value / Math.max(1, group.flows)) : null;
}

const directionOf = ({ parts }: ContrastedCell, part: number): string => parseFlow(parts[part] ?? "", null).direction;

const placeOf = ({ link, lane }: ContrastedCell): string => JSON.stringify([link, lane]);

/** With the lane of the page, if there is one, and with the mix, if it has other flows. */
function nameOfSide({ mix, lane, parts }: ContrastedCell, part: number): string {
  const its = parts.length === 1 ? mix : `${parts[part]} in ${mix}`;
  return lane === null ? its : `${its}, page over ${lane}`;
}

const goodput = { name: "goodput_bps", title: metrics.flow.goodput_bps.title };

const sideOf = (cell: ContrastedCell, part: number): RuledSide<RuledFlowRun> => ({
  ...{ name: nameOfSide(cell, part), quantity: goodput, link: cell.link },
  place: placeOf(cell),
  cells: new Map([["", cell.id]]),
  counted,
  valueOf: (run) => flowGoodput(run, part),
});

interface NamedComparison extends RuledComparison<RuledFlowRun> {
  readonly link: string;
  readonly words: readonly [string, string];
}

type SideIn = typeof sideOf;

function withinCell(cell: ContrastedCell, sideIn: SideIn): NamedComparison[] {
  return cell.parts.flatMap((words, part) => {
    // Those of the two directions share nothing.
    const first = cell.parts.findIndex((_, other) => directionOf(cell, other) === directionOf(cell, part));
    if (first === part) return [];
    const sides = { one: sideIn(cell, first), other: sideIn(cell, part) };
    return [{ ...sides, link: cell.link, words: [cell.parts[first] ?? "", words] }];
  });
}

/** On one link and over one lane of the page. */
function acrossMixes(cells: readonly ContrastedCell[], sideIn: SideIn): NamedComparison[] {
  const [first, ...others] = cells;
  if (!first || cells.some(({ parts }) => parts.length !== 1)) return [];
  return others
    .filter((other) => directionOf(other, 0) === directionOf(first, 0))
    .map((other) => ({
      ...{ one: sideIn(first, 0), other: sideIn(other, 0) },
      ...{ link: first.link, words: [first.mix, other.mix] },
    }));
}

/** What is compared, and whose medians are known: each flow's goodput. */
export function ruledFlows(cells: readonly ContrastedCell[]) {
  const sides = new Map(cells.map((cell) => [cell, cell.parts.map((_, part) => sideOf(cell, part))]));
  const sideIn: SideIn = (cell, part) => sides.get(cell)?.[part] as RuledSide<RuledFlowRun>;
  const byPlace = [...Map.groupBy(cells, placeOf).values()];
  return {
    sides: [...sides.values()].flat(),
    comparisons: [
      ...cells.flatMap((cell) => withinCell(cell, sideIn)),
      ...byPlace.flatMap((of) => acrossMixes(of, sideIn)),
    ],
  };
}

/** `quic got 2.02 times as much as tcp (95 %: 2 to 2.04; n = 10 runs)`. */
function clauseOf({ one, other, found }: Compared, within: string): string {
  const units = unitsText(found, "run");
  const { ratio, interval } = found;
  const range = interval ? `${figures(interval.low)} to ${figures(interval.high)}` : "";
  const of = /^\d+ × /.test(one) || /^\d+ × /.test(other) ? "a flow of " : "";
  switch (found.shown) {
    case "unknown":
      return `${of}${one} got ${figures(ratio)} times as much as ${of}${other} (${units})`;
    case "equal":
      return `${of}${one} and ${of}${other} got equally much, ${within} ${equalEvidence(found, `${range} times as much`, "run")}`;
    case "none":
      return isProbable(found)
        ? `${of}${one} probably got ${figures(ratio)} times as much as ${of}${other} (95 %: ${range}; ${units})`
        : `${of}${one} against ${of}${other}: no difference shown (95 %: ${range} times as much; ${units})`;
    default:
      return `${of}${one} got ${figures(ratio)} times as much as ${of}${other} (95 %: ${range}; ${units})`;
  }
}

/** Over several links, lanes or mixes: on how many links, or in how many comparisons, which got more. */
function overAll(alike: readonly Compared[], within: string): string {
  const [first] = alike as [Compared, ...Compared[]];
  const on = (what: Judged["shown"]): number => alike.filter(({ found }) => found.shown === what).length;
  const isByLink = new Set(alike.map(({ link }) => link)).size === alike.length;
  const [at, all] = isByLink ? ["on", count(alike.length, "link")] : ["in", count(alike.length, "comparison")];
  const { comparisons, isRuled } = first.found;
  const [more, less, none, unknown, equal] = [on("more"), on("less"), on("none"), on("unknown"), on("equal")];
  const clauses = [
    more > 0 && `${first.one} got more than ${first.other} ${at} ${more} of ${all}`,
    less > 0 && `${first.one} got less than ${first.other} ${at} ${less} of ${all}`,
    equal > 0 && `${first.one} and ${first.other} got equally much, ${within}, ${at} ${equal} of ${all}`,
    none > 0 && `between ${first.one} and ${first.other} no difference is shown ${at} ${none} of ${all}`,
    unknown > 0 && `${at} ${unknown} of ${all} there are too few runs to compare ${first.one} with ${first.other}`,
  ].filter((clause) => clause !== false);
  const corrected =
    comparisons > 0 && !isRuled ? ` (paired runs, corrected for ${count(comparisons, "comparison")})` : "";
  return `${clauses.join("; ")}${corrected}`;
}

/** Names of flows stay as they are. */
const capital = (text: string): string =>
  text.replace(/^(?:a flow|between|on|in) /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** Comparisons by what is compared, on all links: those that have a sentence. */
const mentioned = <Named extends { readonly words: readonly [string, string] }>(all: readonly Named[]): Named[][] =>
  [...Map.groupBy(all, ({ words }) => JSON.stringify(words)).values()].slice(0, mostSentences);

/** How many comparisons are read together. */
export const comparedTogether = (cells: readonly ContrastedCell[]): number =>
  mentioned(ruledFlows(cells).comparisons).flat().length;

/** Empty if there is nothing to compare. All that is returned is judged together. `runs`: every attempt, in the order in which they ended. */
export function flowContrasts(
  cells: readonly ContrastedCell[],
  runs: readonly RuledFlowRun[],
  { until }: Pick<StoredFlowPlan, "until"> = {},
): string[] {
  const all = ruledFlows(cells).comparisons.flatMap(({ link, words, ...sides }) => {
    const ruled = pairsOf(sides, runs);
    const found = contrast(ruled.map((pair) => [pair]));
    return found ? [{ link, words, one: spokenFlows(words[0]), other: spokenFlows(words[1]), found, ruled }] : [];
  });
  const pairs = mentioned(all);
  const judged = judgeTogether(pairs.flat(), until);
  const note = surenessNote(judged, "runs");
  const left = judged.values();
  const sentences = pairs.map((of) => {
    const own = of.map(({ link, one, other }) => ({ link, one, other, found: left.next().value as Judged }));
    const [only] = own;
    const within = withinWords(until);
    return `${capital(own.length === 1 && only ? clauseOf(only, within) : overAll(own, within))}.`;
  });
  return note === null ? sentences : [...sentences, note];
}

/** Of all runs of a sweep. */
export const flowStopping = (
  { plan, finished_at }: Pick<FlowSweep, "plan" | "finished_at">,
  cells: readonly ContrastedCell[],
  runs: readonly RuledFlowRun[],
  isFinished = finished_at !== null,
): StoppingOf<RuledFlowRun> => ({
  ...{ plan, isFinished, ruled: ruledFlows(cells), attempts: runs },
  noun: ["run", "runs"],
});
