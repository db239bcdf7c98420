// The answer to a race or a sweep, which terminal and report begin with: one sentence, why, how sure, and what was left out. Puts
// together what answer_sentence.ts, why.ts, sure.ts and left_out.ts say of the pair of lanes that people ask about first; tests nothing.
// Where loads stopped once lanes were decided, it is the decisions that answer, since a test that counts one look would not hold.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { count } from "../../base/numbers.ts";
import { median } from "../../base/quantile.ts";
import { plainLinkWords } from "../../link/label.ts";
import { meanEvidence, type PathEvidence } from "../../load/metrics/path_evidence.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { modelledPages } from "../store/modelled_pages.ts";
import type { Cell, Environment, Load } from "../store/sweep_rows.ts";
import { type Direction, direction, type Improvement, improvement, limitOf } from "../verdict/comparison.ts";
import { countLinks, linkResults } from "../verdict/gains_by_link_and_rtt.ts";
import { decidedWithin, placeDecisions } from "../verdict/load_stopping_outcome.ts";
import { cellMedians, type PairedCell, pairedCells } from "../verdict/paired_cells.ts";
import { counted, isValid, type LanePair } from "../verdict/sample.ts";
import type { PairVerdict } from "../verdict/sweep_verdict.ts";
import { isEquivalent, loneLaneSentence, verdictPairs } from "../verdict/verdict.ts";
import { answerSentence, type Decided, type LinksShown, whyNoVerdict } from "./answer_sentence.ts";
import { type LeftOut, leftOut } from "./left_out.ts";
import { sureLine } from "./sure.ts";
import { type CellEvidence, timedOutLine, whyLine } from "./why.ts";

/** Of both lanes of the pair: means over pages on links of the loads nearest to their medians. */
export interface MeanPaths {
  readonly lane: PathEvidence;
  readonly over: PathEvidence;
  readonly cells: number;
}

interface FurtherAnswer {
  readonly pair: LanePair;
  readonly sentence: string;
}

interface AnswerGain {
  /** Median over pages on links; null: none has both lanes. */
  readonly saved_ms: number | null;
  readonly percent: number;
  /** A difference is shown: faster or slower. */
  readonly isShown: boolean;
}

export interface Answer {
  /** Whose comparison it is; null: there was nothing to compare. */
  readonly pair: LanePair | null;
  readonly sentence: string;
  /** Whether it says how sure it is: a lane faster or slower, or no difference shown. */
  readonly hasInterval: boolean;
  readonly why: string | null;
  /** The critical paths that `why` is read from; null: nothing is to explain, or nothing of it is stored. */
  readonly paths: MeanPaths | null;
  readonly sure: string | null;
  readonly left: LeftOut | null;
  /** Of the pair, in numbers: what `lane` saves over `over`; null: they cannot be compared. */
  readonly gain: AnswerGain | null;
  /** Of the other pairs, on the same pages and links. */
  readonly further: readonly FurtherAnswer[];
}

export interface Answered {
  readonly cells: readonly (Pick<Cell, "page" | "link" | "lane"> & Partial<Pick<Cell, "link_profile">>)[];
  /** In the order in which they came. */
  readonly loads: readonly Load[];
  readonly seed: number;
  readonly plan: Pick<SweepPlan, "dilate" | "until"> & Partial<Pick<SweepPlan, "repetitions">>;
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

/** The same of one page on a link, by the figure of the look that decided it. */
function savedAtLook([cell]: readonly PairedCell[], { percent }: Improvement): number | null {
  const medians = cell ? cellMedians(cell) : null;
  return medians && percent !== null ? (medians.over * percent) / 100 : null;
}

/** `shop (10 Mbit/s, 50 ms RTT)`, `12 pages across 19 of 20 links`: pages and links that are in no comparison are not passed over. */
function whereOf(cells: Answered["cells"], compared: Pick<Improvement, "pages" | "links"> | null = null): string {
  const words = (names: ReadonlySet<string>, entered: number, noun: string): string => {
    const [only] = names;
    if (names.size === 1 && only !== undefined) return only;
    return entered < names.size ? `${entered} of ${count(names.size, noun)}` : count(names.size, noun);
  };
  const [pages, links] = [new Set(cells.map(({ page }) => page)), new Set(cells.map(({ link }) => link))];
  const [ofPages, ofLinks] = compared?.pages ? [compared.pages, compared.links] : [pages.size, links.size];
  const [page, link] = [words(pages, ofPages, "page"), words(links, ofLinks, "link")];
  if (links.size !== 1) return `${page} across ${link}`;
  const profile = cells.find(({ link_profile }) => link_profile)?.link_profile;
  return `${page} (${(profile && plainLinkWords(profile)) ?? link})`;
}

/** What the sentence and the first figure say. */
function savedBy({ result, paired, decided }: Pick<PairComparison, "result" | "paired" | "decided">): number | null {
  return onlyDecision(decided) ? savedAtLook(paired, result) : savedOf(paired);
}

interface PairComparison {
  /** Of one page on a link that was decided, what it was decided by. */
  readonly result: Improvement;
  readonly paired: readonly PairedCell[];
  /** Of a pair of which nothing is shown over all links; null: something is, or there is one link. */
  readonly byLink: LinksShown | null;
  /** Null: how many loads there are was not up to what they decide. */
  readonly decided: Decided | null;
}

const isSamePair = (a: LanePair, b: LanePair): boolean => a.lane === b.lane && a.over === b.over;

/** The one decision there is; null: there are several, or none. */
function onlyDecision(decided: Decided | null) {
  const [only = null, second] = decided?.places ?? [];
  return second ? null : only;
}

/** Its figures at the look that decided. */
function atItsLook(result: Improvement, decided: Decided | null): Improvement {
  const only = onlyDecision(decided);
  if (!only || result.percent === null) return result;
  return { ...result, percent: only.percent ?? result.percent, interval: only.interval };
}

/** The pairs whose lanes both have loads, first the one that people ask about first; their probabilities are corrected for all of them. */
function comparisonsOf({ cells, loads, seed, plan: { until } }: Answered): PairComparison[] {
  const has = new Set<string>(loads.flatMap((load) => (counted(load) === null ? [] : [load.lane])));
  const pairs = verdictPairs(cells.map(({ lane }) => lane)).filter(({ lane, over }) => has.has(lane) && has.has(over));
  const compared = pairs.map((pair) => ({ pair, cells: pairedCells(loads, pair) }));
  const settled = correctedTogether(compared.map(({ pair, cells: paired }) => improvement(paired, pair, seed)));
  const margin_percent = decidedWithin(until);
  const decisions = margin_percent === null ? [] : placeDecisions(cells, loads, margin_percent);
  const isOpen = settled.map((result) => margin_percent === null && direction(result) === "unclear");
  const byLink = isOpen.includes(true) ? linkResults(compared, seed) : [];
  return settled.map((result, index) => {
    const places = decisions.filter(({ pair }) => isSamePair(pair, result.pair));
    const decided = margin_percent === null ? null : { margin_percent, places };
    const links = isOpen[index] ? byLink[index] : undefined;
    return {
      result: atItsLook(result, decided),
      paired: compared[index]?.cells ?? [],
      byLink: links && links.size > 1 ? { ...countLinks(links), all: links.size } : null,
      decided,
    };
  });
}

/** What is shown. */
function wayOf({ result, decided }: PairComparison): Direction {
  const only = onlyDecision(decided);
  if (!only || result.percent === null) return direction(result);
  return only.decision === "faster" || only.decision === "slower" ? only.decision : "unclear";
}

/** Whether it is shown that there is no difference that matters. */
function isNone({ result: { interval }, decided }: PairComparison): boolean {
  const only = onlyDecision(decided);
  return only ? only.decision === "equivalent" : interval !== null && isEquivalent(interval);
}

function withoutPair({ cells, loads }: Answered): string {
  if (loads.length === 0) return `No load yet of ${whereOf(cells)}: the command that began this resumes it.`;
  if (!loads.some(isValid)) return `No answer on ${whereOf(cells)}: no load is valid.`;
  const alone = cells.length === 1 ? loneLaneSentence(loads) : null;
  return alone ?? `No comparison on ${whereOf(cells)}: only one lane has valid loads.`;
}

/** `where`: null where it was said just before. */
function sentenceFor(
  { result, paired, byLink, decided }: PairComparison,
  { cells, plan, environment }: Answered,
  where: string | null,
  open: string | null = null,
) {
  const modelled = modelledPages({ environment });
  return answerSentence({
    improvement: result,
    saved_ms: savedBy({ result, paired, decided }),
    ...{ where, open },
    modelled: new Set(cells.filter(({ page }) => modelled.has(page)).map(({ page }) => page)).size,
    dilation: plan.dilate ?? 1,
    byLink,
    decided,
  });
}

function meanPaths(cells: readonly CellEvidence[]): MeanPaths | null {
  const [lane, over] = [meanEvidence(cells.map((cell) => cell.lane)), meanEvidence(cells.map((cell) => cell.over))];
  return lane && over && { lane, over, cells: cells.length };
}

/** In one line, and what it is read from; null where there is nothing to explain. */
function whyOf(chosen: PairComparison, { loads, evidence }: Answered): Pick<Answer, "why" | "paths"> {
  const { pair } = chosen.result;
  const way = wayOf(chosen);
  const isShown = way === "faster" || way === "slower";
  // Loads that did not end are those that make the difference, and of them there is no path to look at.
  if (isShown && limitOf(chosen.result) === "at least")
    return { why: timedOutLine(way === "faster" ? pair.over : pair.lane, loads), paths: null };
  // Of a difference that may be there or not there is nothing to explain; of one that is none, what cancels out.
  if (!isShown && !isNone(chosen)) return { why: null, paths: null };
  const cells = evidence(pair);
  const why = whyLine(pair, way, cells);
  return { why, paths: why === null ? null : meanPaths(cells) };
}

export function answerOf(answered: Answered): Answer {
  const { cells, loads, plan } = answered;
  const left = leftOut(loads);
  const [chosen, ...others] = comparisonsOf(answered);
  if (!chosen)
    return {
      ...{ pair: null, sentence: withoutPair(answered), hasInterval: false },
      ...{ why: null, paths: null, sure: null, left, gain: null, further: [] },
    };
  const { result, decided } = chosen;
  const { pair } = result;
  const sentence = sentenceFor(chosen, answered, whereOf(cells, result));
  const isOpen = wayOf(chosen) === "unclear" && !isNone(chosen);
  // The place is the answer's, unless a lane has loads elsewhere only.
  const isThere = (other: Improvement): boolean => other.pages === result.pages && other.links === result.links;
  const open = whyNoVerdict({ improvement: result, decided });
  const further = others.map((other) => ({
    pair: other.result.pair,
    sentence: sentenceFor(other, answered, isThere(other.result) ? null : whereOf(cells, other.result), open),
  }));
  const sure = sureLine({ loads, plan, result, isOpen, decided });
  const hasInterval = result.interval !== null;
  const way = wayOf(chosen);
  const gain =
    result.percent === null
      ? null
      : { saved_ms: savedBy(chosen), percent: result.percent, isShown: way === "faster" || way === "slower" };
  return { pair, sentence, hasInterval, ...whyOf(chosen, answered), sure, left, gain, further };
}

/** Runs of each lane that a page on a link needs to be one of several. */
const fewestRuns = 3;

/** Loads of pages on links that have so many of each lane. */
function wellLoaded({ cells, loads }: Answered): readonly Load[] {
  const placeOf = ({ page, link }: Pick<Load, "page" | "link">): string => JSON.stringify([page, link]);
  const runs = new Map<string, Map<string, number>>();
  for (const load of loads) {
    if (counted(load) === null) continue;
    const lanes = runs.get(placeOf(load)) ?? new Map<string, number>();
    runs.set(placeOf(load), lanes.set(load.lane, (lanes.get(load.lane) ?? 0) + 1));
  }
  const lanesAt = Map.groupBy(cells, placeOf);
  const isWell = (place: string): boolean =>
    (lanesAt.get(place) ?? []).every(({ lane }) => (runs.get(place)?.get(lane) ?? 0) >= fewestRuns);
  return loads.filter((load) => isWell(placeOf(load)));
}

/** The answer; of a sweep that ended before most pages on links had loads enough, that of those which have. */
export function soundAnswer(answered: Answered): Answer {
  const answer = answerOf(answered);
  if (answer.hasInterval || answer.pair === null) return answer;
  const loads = wellLoaded(answered);
  if (loads.length === 0 || loads.length === answered.loads.length) return answer;
  const places = new Set(loads.map(({ page, link }) => JSON.stringify([page, link])));
  // A single one is named.
  const cells = answered.cells.filter(({ page, link }) => places.size > 1 || places.has(JSON.stringify([page, link])));
  const partial = answerOf({ ...answered, loads, cells });
  return partial.hasInterval ? { ...partial, left: answer.left } : answer;
}

/** What is said of the verdict's pair beside the answer; null: it is the answer's. */
export function furtherSentence(
  { pair, sentence }: PairVerdict,
  { pair: chosen, further }: Pick<Answer, "pair" | "further">,
): string | null {
  if (chosen !== null && isSamePair(chosen, pair)) return null;
  return further.find((other) => isSamePair(other.pair, pair))?.sentence ?? sentence;
}

/** Sentence, link by link, why and how sure; what is not there is left out. */
export function answerLines(answer: Pick<Answer, "sentence" | "why" | "sure">, wins: string | null = null): string[] {
  return [answer.sentence, wins, answer.why, answer.sure].filter((line) => line !== null);
}
