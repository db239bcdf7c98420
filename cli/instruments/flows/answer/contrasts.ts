// Who of the flows gets more, shown or not: of each mix its parts against its first one, in the same runs; of mixes that have a single part
// each, the others against the first mix on the same link, in the same blocks. By the goodput of a flow. Sentences from rows of runs.
import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import { count } from "../../../base/numbers.ts";
import { figures } from "../../../registry/units.ts";
import {
  type Contrast,
  contrast,
  isProbable,
  type Pair,
  shown,
  shownTogether,
  surenessNote,
  unitsText,
} from "../../../results/answer/contrast.ts";

export interface ContrastedCell {
  readonly mix: string;
  readonly link: string;
  /** The lane of the page that was loaded amid the flows; null: none was. */
  readonly lane: string | null;
  /** Of each `--flow` of the mix its words, in their order. */
  readonly parts: readonly string[];
  /** The valid ones. */
  readonly runs: readonly { readonly block: number; readonly result: FlowResult }[];
}

/** More pairs are the table's to show. */
const mostSentences = 6;

/** Of a run in which nothing came, so that it stays one in which the other got more. */
const least_bps = 1;

interface Compared {
  readonly link: string;
  readonly one: string;
  readonly other: string;
  readonly found: Contrast;
}

/** `4*tcp:cubic` stands for four flows. */
export const spokenFlows = (words: string): string => words.replace(/^(\d+)\*/, "$1 × ");

/** Of one flow of the part; null: the run has no number. */
function goodput({ groups }: FlowResult, part: number): number | null {
  const group = groups.find((each) => each.group === part);
  const value = group?.metrics.goodput_bps ?? null;
  return group && value !== null ? Math.max(least_bps, value / Math.max(1, group.flows)) : null;
}

const directionOf = ({ runs }: ContrastedCell, part: number): string | undefined =>
  runs[0]?.result.groups.find(({ group }) => group === part)?.direction;

function compared(link: string, one: string, other: string, pairs: readonly (Pair | null)[]): Compared[] {
  const found = contrast(pairs.flatMap((pair) => (pair ? [[pair]] : [])));
  return found ? [{ link, one: spokenFlows(one), other: spokenFlows(other), found }] : [];
}

function pairOf(one: number | null, other: number | null): Pair | null {
  return one === null || other === null ? null : { one, other };
}

function withinCell(cell: ContrastedCell): Compared[] {
  return cell.parts.flatMap((words, part) => {
    // Those of the two directions share nothing.
    const first = cell.parts.findIndex((_, other) => directionOf(cell, other) === directionOf(cell, part));
    if (first === part) return [];
    const pairs = cell.runs.map(({ result }) => pairOf(goodput(result, first), goodput(result, part)));
    return compared(cell.link, cell.parts[first] ?? "", words, pairs);
  });
}

/** On one link and over one lane of the page. */
function acrossMixes(cells: readonly ContrastedCell[]): Compared[] {
  const [first, ...others] = cells;
  if (!first || cells.some(({ parts }) => parts.length !== 1)) return [];
  const byBlock = new Map(first.runs.map(({ block, result }) => [block, goodput(result, 0)]));
  return others
    .filter((other) => directionOf(other, 0) === directionOf(first, 0))
    .flatMap((other) => {
      const pairs = other.runs.map(({ block, result }) => pairOf(byBlock.get(block) ?? null, goodput(result, 0)));
      return compared(first.link, first.mix, other.mix, pairs);
    });
}

/** `quic got 2.02 times as much as tcp (95 %: 2 to 2.04; n = 10 runs)`. */
function clauseOf({ one, other, found }: Compared): string {
  const units = unitsText(found, "run");
  const { ratio, interval } = found;
  const range = interval ? `${figures(interval.low)} to ${figures(interval.high)}` : "";
  const of = /^\d+ × /.test(one) || /^\d+ × /.test(other) ? "a flow of " : "";
  switch (shown(found)) {
    case "unknown":
      return `${of}${one} got ${figures(ratio)} times as much as ${of}${other} (${units})`;
    case "none":
      return isProbable(found)
        ? `${of}${one} probably got ${figures(ratio)} times as much as ${of}${other} (95 %: ${range}; ${units})`
        : `${of}${one} against ${of}${other}: no difference shown (95 %: ${range} times as much; ${units})`;
    default:
      return `${of}${one} got ${figures(ratio)} times as much as ${of}${other} (95 %: ${range}; ${units})`;
  }
}

/** Over several links, lanes or mixes: on how many links, or in how many comparisons, which got more. */
function overAll(alike: readonly Compared[]): string {
  const [first] = alike as [Compared, ...Compared[]];
  const on = (what: string): number => alike.filter(({ found }) => shown(found) === what).length;
  const isByLink = new Set(alike.map(({ link }) => link)).size === alike.length;
  const [at, all] = isByLink ? ["on", count(alike.length, "link")] : ["in", count(alike.length, "comparison")];
  const { comparisons } = first.found;
  const [more, less, none, unknown] = ["more", "less", "none", "unknown"].map(on) as [number, number, number, number];
  const clauses = [
    more > 0 && `${first.one} got more than ${first.other} ${at} ${more} of ${all}`,
    less > 0 && `${first.one} got less than ${first.other} ${at} ${less} of ${all}`,
    none > 0 && `between ${first.one} and ${first.other} no difference is shown ${at} ${none} of ${all}`,
    unknown > 0 && `${at} ${unknown} of ${all} there are too few runs to compare ${first.one} with ${first.other}`,
  ].filter((clause) => clause !== false);
  const corrected = comparisons > 0 ? ` (paired runs, corrected for ${count(comparisons, "comparison")})` : "";
  return `${clauses.join("; ")}${corrected}`;
}

/** Names of flows stay as they are. */
const capital = (text: string): string =>
  text.replace(/^(?:a flow|between|on|in) /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** Empty where there is nothing to compare. All that is returned is corrected together. */
export function flowContrasts(cells: readonly ContrastedCell[]): string[] {
  const byPlace = [...Map.groupBy(cells, ({ link, lane }) => JSON.stringify([link, lane])).values()];
  const all = [...cells.flatMap(withinCell), ...byPlace.flatMap(acrossMixes)];
  const pairs = [...Map.groupBy(all, ({ one, other }) => JSON.stringify([one, other])).values()].slice(
    0,
    mostSentences,
  );
  const corrected = shownTogether(pairs.flatMap((of) => of.map(({ found }) => found)));
  let place = 0;
  const note = surenessNote(corrected, "runs");
  const sentences = pairs.map((of) => {
    const own = of.map((each) => ({ ...each, found: corrected[place++] as Contrast }));
    const [only] = own;
    return `${capital(own.length === 1 && only ? clauseOf(only) : overAll(own))}.`;
  });
  return note === null ? sentences : [...sentences, note];
}
