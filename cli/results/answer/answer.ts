// The answer to a race or a sweep, which terminal and report begin with: one sentence, why, how sure, and what was left out. Puts
// together what answer_sentence.ts, why.ts and left_out.ts say of the pair of lanes that people ask about first; tests nothing.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { minimumUnits, usualRuns } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import { median } from "../../base/quantile.ts";
import { modelledPages } from "../store/modelled_pages.ts";
import type { Cell, Environment, Load } from "../store/sweep_rows.ts";
import { direction, type Improvement, improvement, toldTogether } from "../verdict/comparison.ts";
import { cellMedians, type PairedCell, pairedCells } from "../verdict/paired_cells.ts";
import { counted, isValid, type LanePair, type Sample } from "../verdict/sample.ts";
import type { PairVerdict } from "../verdict/sweep_verdict.ts";
import { isEquivalent, raceVerdict, verdictPairs } from "../verdict/verdict.ts";
import { answerSentence, type LinksShown } from "./answer_sentence.ts";
import { type LeftOut, leftOut } from "./left_out.ts";
import { type CellEvidence, whyLine } from "./why.ts";

export interface FurtherAnswer {
  readonly pair: LanePair;
  readonly sentence: string;
}

export interface Answer {
  /** Whose comparison it is; null: there was nothing to compare. */
  readonly pair: LanePair | null;
  readonly sentence: string;
  readonly why: string | null;
  readonly sure: string | null;
  readonly left: LeftOut | null;
  /** Of the other pairs, on the same pages and links. */
  readonly further: readonly FurtherAnswer[];
}

export interface Answered {
  readonly cells: readonly Pick<Cell, "page" | "link" | "lane">[];
  readonly loads: readonly Load[];
  readonly seed: number;
  readonly plan: Pick<SweepPlan, "dilate">;
  readonly environment: Environment;
  /** What is stored of these lanes' critical paths; may be little or nothing. */
  readonly evidence: (pair: LanePair) => readonly CellEvidence[];
}

/** Median over pages on links of what `pair.lane` saves, ms. */
function savedOf(cells: readonly PairedCell[]): number | null {
  const saved = cells.flatMap((cell) => {
    const medians = cellMedians(cell);
    return medians ? [medians.over - medians.lane] : [];
  });
  return saved.length === 0 ? null : median(saved);
}

/** `shop (10mbit/50ms)`, `12 pages across 19 of 20 links`: pages and links that are in no comparison are not passed over. */
function whereOf(cells: Answered["cells"], compared: Pick<Improvement, "pages" | "links"> | null = null): string {
  const words = (names: ReadonlySet<string>, entered: number, noun: string): string => {
    const [only] = names;
    if (names.size === 1 && only !== undefined) return only;
    return entered < names.size ? `${entered} of ${count(names.size, noun)}` : count(names.size, noun);
  };
  const [pages, links] = [new Set(cells.map(({ page }) => page)), new Set(cells.map(({ link }) => link))];
  const [ofPages, ofLinks] = compared?.pages ? [compared.pages, compared.links] : [pages.size, links.size];
  const [page, link] = [words(pages, ofPages, "page"), words(links, ofLinks, "link")];
  return links.size === 1 ? `${page} (${link})` : `${page} across ${link}`;
}

interface PairComparison {
  readonly result: Improvement;
  readonly paired: readonly PairedCell[];
}

/** The pairs whose lanes both have loads, first the one that people ask about first; their probabilities are corrected for all of them. */
function comparisonsOf({ cells, loads, seed }: Answered): PairComparison[] {
  const has = new Set<string>(loads.flatMap((load) => (counted(load) === null ? [] : [load.lane])));
  const pairs = verdictPairs(cells.map(({ lane }) => lane)).filter(({ lane, over }) => has.has(lane) && has.has(over));
  const compared = pairs.map((pair) => ({ pair, paired: pairedCells(loads, pair) }));
  const told = toldTogether(compared.map(({ pair, paired }) => improvement(paired, pair, seed)));
  return told.map((result, index) => ({ result, paired: compared[index]?.paired ?? [] }));
}

/** Holm's over all links, because the answer names those that differ and passes over the others. */
function shownByLink(paired: readonly PairedCell[], pair: LanePair, seed: number): LinksShown | null {
  const links = [...Map.groupBy(paired, ({ link }) => link).values()];
  if (links.length < 2) return null;
  const ways = toldTogether(links.map((ofLink) => improvement(ofLink, pair, seed))).map(direction);
  const times = (way: string): number => ways.filter((each) => each === way).length;
  return { faster: times("faster"), slower: times("slower"), all: links.length };
}

const unitsWords: Readonly<Record<Improvement["units"], string>> = {
  blocks: "the interval is of these pages and links",
  pages: "the interval is of pages like these",
};

/** `12 pages over 20 links, 5 to 9 valid runs of each lane` */
function runsWords(loads: readonly Sample[], { pair }: Improvement): string {
  const ofPair = loads.filter(({ lane }) => lane === pair.lane || lane === pair.over);
  const cells = Map.groupBy(ofPair, ({ page, link, lane }) => JSON.stringify([page, link, lane]));
  const runs = [...cells.values()].map((of) => of.filter(isValid).length);
  const [fewest, most] = [Math.min(...runs), Math.max(...runs)];
  return fewest === most ? `${count(most, "valid run")} of each lane` : `${fewest} to ${most} valid runs of each lane`;
}

function sureLine(answered: Answered, result: Improvement): string {
  const { loads } = answered;
  const valid = loads.filter(isValid).length;
  const runs = runsWords(loads, result);
  if (result.percent === null) return `How sure: ${runs}.`;
  const isSingle = result.pages * result.links === 1;
  if (result.interval === null)
    return `How sure: not at all yet: ${runs}${isSingle ? `, and an interval takes ${minimumUnits}` : ""}. Run it again with --runs ${usualRuns}.`;
  const passed = valid === loads.length ? `all ${count(valid, "load")} passed their checks` : null;
  const basis = isSingle ? null : unitsWords[result.units];
  const isOpen = direction(result) === "unclear" && !isEquivalent(result.interval);
  const more = isOpen ? "more runs narrow the interval (--decide 3 runs until it is settled)" : null;
  return `How sure: ${[runs, basis, passed, more].filter((part) => part !== null).join("; ")}.`;
}

function withoutPair({ cells, loads, seed }: Answered): string {
  if (!loads.some(isValid)) return `No answer on ${whereOf(cells)}: no load is valid.`;
  const [only, ...others] = cells.length === 1 ? raceVerdict(loads, seed).sentences : [];
  if (only !== undefined && others.length === 0) return only;
  return `No comparison on ${whereOf(cells)}: only one lane has valid loads.`;
}

/** `where`: null where it was said just before. */
function sentenceFor(
  { result, paired }: PairComparison,
  { cells, plan, environment, seed }: Answered,
  where: string | null,
) {
  const modelled = modelledPages({ environment });
  return answerSentence({
    improvement: result,
    saved_ms: savedOf(paired),
    where,
    modelled: new Set(cells.filter(({ page }) => modelled.has(page)).map(({ page }) => page)).size,
    dilation: plan.dilate ?? 1,
    byLink: direction(result) === "unclear" ? shownByLink(paired, result.pair, seed) : null,
  });
}

export function answerOf(answered: Answered): Answer {
  const { cells, loads } = answered;
  const left = leftOut(loads);
  const [asked, ...others] = comparisonsOf(answered);
  if (!asked) return { pair: null, sentence: withoutPair(answered), why: null, sure: null, left, further: [] };
  const { result } = asked;
  const { pair } = result;
  const sentence = sentenceFor(asked, answered, whereOf(cells, result));
  const way = direction(result);
  // Of a difference that may be there or not there is nothing to explain; of one that is none, what cancels out.
  const isShown = way !== "unclear" || (result.interval !== null && isEquivalent(result.interval));
  const why = isShown ? whyLine(pair, way, answered.evidence(pair)) : null;
  // The place is the answer's, unless a lane has loads elsewhere only.
  const isThere = (other: Improvement): boolean => other.pages === result.pages && other.links === result.links;
  const further = others.map((other) => ({
    pair: other.result.pair,
    sentence: sentenceFor(other, answered, isThere(other.result) ? null : whereOf(cells, other.result)),
  }));
  return { pair, sentence, why, sure: sureLine(answered, result), left, further };
}

/** What is said of the verdict's pair beside the answer; null: it is the answer's. */
export function furtherSentence(
  { pair, sentence }: PairVerdict,
  { pair: asked, further }: Pick<Answer, "pair" | "further">,
): string | null {
  const isSame = (other: LanePair): boolean => other.lane === pair.lane && other.over === pair.over;
  if (asked !== null && isSame(asked)) return null;
  return further.find((other) => isSame(other.pair))?.sentence ?? sentence;
}

/** Sentence, why and how sure; what is not there is left out. */
export function answerLines(answer: Pick<Answer, "sentence" | "why" | "sure">): string[] {
  return [answer.sentence, answer.why, answer.sure].filter((line) => line !== null);
}
