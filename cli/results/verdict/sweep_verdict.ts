// The verdict over many pages and links: for each pair of lanes one sentence, split where links differ most (by RTT, bandwidth
// or loss), and how many links each lane wins. Pure; a single page on a single link gets the race's sentences.

import { laneName } from "../../base/lanes.ts";
import { count, formatPercents, formatProbability } from "../../base/numbers.ts";
import { extremes } from "../../base/quantile.ts";
import type { LinkTraits } from "../../link/link.ts";
import { risingFailures, type Tries } from "../stats/fisher_exact.ts";
import { correctedTogether, holm, significanceLevel } from "../stats/multiplicity.ts";
import { browsersWarning } from "./browsers.ts";
import { busyNote } from "./busy_machine.ts";
import { comparedMetric, type Measured, type MetricChoice, named, samplesOf, usualMetric } from "./compared_metric.ts";
import { direction, type Improvement, improvement } from "./comparison.ts";
import {
  type ComparedPair,
  countLinks,
  type LinkCounts,
  type LinkResults,
  linkResults,
  type TooFewRuns,
  tooFewRuns,
} from "./gains_by_link_and_rtt.ts";
import { type PairedCell, pairedCells } from "./paired_cells.ts";
import { byLane, counted, isValid, type LanePair, lanePairs, type Sample, sortLanes } from "./sample.ts";
import { agreementLines, severalOf, sidesOf } from "./sides_agree.ts";
import { comparisonClause, excludedLine, loneLaneSentence, sentence as sentenceOf, verdictPairs } from "./verdict.ts";

// Whether one lane lost more of its loads than another: invalid or failed ones, which enter no median. If what made them invalid came
// with slow loads, the lane that lost more looks faster than it is. Fisher's exact test of each pair of lanes, Holm's correction over the
// pairs. Loads that timed out are not lost: they count as slower than all others. Pure.

/** One sentence for each pair of lanes that lost different shares of their loads; of a lane that lost all there is no median to doubt. */
export function lostLoadsNotes(loads: readonly Sample[]): string[] {
  const tries = new Map<string, Tries>(
    byLane(loads).map(({ lane, loads: own }) => {
      const failed = own.filter((load) => counted(load) === null).length;
      return [lane, { valid: own.length - failed, failed }];
    }),
  );
  const known = [...tries].flatMap(([lane, { valid }]) => (valid > 0 ? [lane] : []));
  const pairs = lanePairs(known).map(({ lane, over }) => {
    const [a, b] = [tries.get(lane) as Tries, tries.get(over) as Tries];
    const probability = Math.min(1, 2 * Math.min(risingFailures(a, b), risingFailures(b, a)));
    const [more, less] =
      a.failed * (b.valid + b.failed) > b.failed * (a.valid + a.failed) ? [lane, over] : [over, lane];
    return { more, less, probability };
  });
  const corrected = holm(pairs.map(({ probability }) => probability));
  return pairs.flatMap(({ more, less }, index) => {
    const probability = corrected[index] as number;
    if (probability > significanceLevel) return [];
    const [lost, kept] = [more, less].map((lane) => {
      const { valid, failed } = tries.get(lane) as Tries;
      return `${failed} of ${valid + failed}`;
    });
    return `${more} lost ${lost} loads and ${less} ${kept}, which is not chance (p ${formatProbability(probability)}): if the lost ones were slow, ${more} looks faster than it is.`;
  });
}

export interface PairVerdict extends ComparedPair {
  readonly sentence: string;
  /** On each link, corrected over all links of all pairs; `links` counts them. */
  readonly byLink: LinkResults;
  readonly links: LinkCounts;
  /** Why no link can be shown to differ; null: some can. */
  readonly tooFewRuns: TooFewRuns | null;
  readonly overall: Improvement;
  /** By which trait links of two kinds differ, which was looked for; null: by none. */
  readonly exploratory: { readonly trait: SplitTrait; readonly sentence: string } | null;
}

export interface SweepVerdict {
  /** What was compared: pages, links, loads. */
  readonly scope: string;
  readonly pairs: readonly PairVerdict[];
  /** Further sentences: lanes without a valid load, a single lane's median, or that the browser changed. */
  readonly notes: readonly string[];
  readonly excluded: string | null;
}

type SplitTrait = "RTT" | "the rate" | "loss";

interface Trait {
  /** What it is called after "with". */
  readonly name: SplitTrait;
  readonly value: (traits: LinkTraits) => number;
  readonly words: (value: number) => string;
}

const trimmed = (value: number): string => String(Number(value.toPrecision(4)));

const traits: readonly Trait[] = [
  { name: "RTT", value: (link) => link.rtt_ms, words: (value) => `${trimmed(value)} ms` },
  {
    name: "the rate",
    value: (link) => link.rate_bps ?? Number.POSITIVE_INFINITY,
    words: (value) => (Number.isFinite(value) ? `${trimmed(value / 1e6)} Mbit/s` : "no limit"),
  },
  { name: "loss", value: (link) => link.loss, words: (value) => `${trimmed(value * 100)} % loss` },
];

interface Split {
  readonly trait: SplitTrait;
  /** The links above the threshold, and those below it, in words. */
  readonly above: string;
  readonly below: string;
  readonly high: readonly PairedCell[];
  readonly low: readonly PairedCell[];
}

/** The split of the links whose two sides differ most in their mean log ratio, as a tree's first split would have it. */
function widestSplit(
  cells: readonly PairedCell[],
  logRatios: ReadonlyMap<string, number>,
  links: ReadonlyMap<string, LinkTraits>,
): Split | null {
  let best: Split | null = null;
  let bestGain = 0;
  const known = [...logRatios].flatMap(([link, logRatio]) => {
    const found = links.get(link);
    return found ? [{ link, logRatio, traits: found }] : [];
  });
  const mean = (group: typeof known): number => group.reduce((sum, item) => sum + item.logRatio, 0) / group.length;
  for (const trait of traits) {
    const values = [...new Set(known.map((item) => trait.value(item.traits)))].sort((a, b) => a - b);
    for (const threshold of values.slice(1)) {
      const high = known.filter((item) => trait.value(item.traits) >= threshold);
      const low = known.filter((item) => trait.value(item.traits) < threshold);
      const gain = ((high.length * low.length) / known.length) * (mean(high) - mean(low)) ** 2;
      if (gain <= bestGain) continue;
      bestGain = gain;
      const [least, ...further] = values.filter((value) => value >= threshold);
      const [greatest, ...others] = values.filter((value) => value < threshold).reverse();
      const inHigh = new Set(high.map((item) => item.link));
      const inLow = new Set(low.map((item) => item.link));
      best = {
        trait: trait.name,
        above: `${further.length > 0 ? "from" : "at"} ${trait.words(least ?? threshold)}${further.length > 0 ? " up" : ""}`,
        below: others.length > 0 ? `below ${trait.words(threshold)}` : `at ${trait.words(greatest ?? threshold)}`,
        high: cells.filter((cell) => inHigh.has(cell.link)),
        low: cells.filter((cell) => inLow.has(cell.link)),
      };
    }
  }
  return best;
}

/** Intervals that do not meet, and not by a hair: the two sides deserve their own words. */
function differ(a: Improvement, b: Improvement): boolean {
  if (!a.interval || !b.interval || a.percent === null || b.percent === null) return false;
  const apart = a.interval.low > b.interval.high || b.interval.low > a.interval.high;
  return apart && (direction(a) !== direction(b) || Math.abs(a.percent - b.percent) >= 3);
}

/** One more sentence where links of two kinds differ; null: they do not, or it is unknown. Chosen for its difference, so exploratory. */
function splitSentence(split: Split, pair: LanePair, seed: number): string | null {
  const [high, low] = correctedTogether([improvement(split.high, pair, seed), improvement(split.low, pair, seed)]);
  if (!high || !low || !differ(high, low)) return null;
  const isMixed = [high, low].some((result) => direction(result) === "slower");
  const gain = (result: Improvement): string => {
    const { percent, interval } = result;
    if (direction(result) === "unclear" || percent === null) return "none shown";
    const text = formatPercents(
      Math.abs(percent),
      interval && { low: Math.abs(interval.low), high: Math.abs(interval.high) },
    );
    if (percent < 0) return `${text.percent} % slower`;
    return isMixed ? `${text.percent} % faster` : `${text.percent} %`;
  };
  const grows = (high.percent ?? 0) > (low.percent ?? 0) ? "grows" : "shrinks";
  return `${laneName(pair.lane)}’s gain over ${laneName(pair.over)} ${grows} with ${split.trait}: ${gain(high)} ${split.above}, ${gain(low)} ${split.below} (exploratory).`;
}

/** Where links of two kinds differ; null: nowhere. */
function exploratorySplit(
  { pair, cells }: ComparedPair,
  results: LinkResults,
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): PairVerdict["exploratory"] {
  const logRatios = new Map(
    [...results].flatMap(([link, { percent }]): [string, number][] =>
      percent === null || percent >= 100 ? [] : [[link, Math.log(1 - percent / 100)]],
    ),
  );
  const split = widestSplit(cells, logRatios, links);
  const sentence = split && splitSentence(split, pair, seed);
  return split && sentence !== null ? { trait: split.trait, sentence } : null;
}

/** How a pair's first lane did link by link. Null where no link alone has loads enough. `Faster on 61 of 100 links, slower on 12.` */
export function winsLine({ links, tooFewRuns: short }: Pick<PairVerdict, "links" | "tooFewRuns">): string | null {
  const { faster, slower, unclear, unknown } = links;
  if (faster + slower + unclear === 0) return null;
  const total = faster + slower + unclear + unknown;
  const needs =
    short === null
      ? ""
      : `: to show one among ${count(short.comparisons, "comparison")} takes ${count(short.needed, "run")} per lane`;
  if (unclear === total)
    return `No difference shown on ${total === 2 ? "either link" : `any of ${count(total, "link")}`} alone${needs}.`;
  const [[first = "", firsts = 0] = [], ...others] = (
    [
      ["faster", faster],
      ["slower", slower],
      ["no difference shown", unclear],
      ["too few loads to say", unknown],
    ] as const
  ).filter(([, links]) => links > 0);
  const where =
    firsts === total
      ? total === 2
        ? "both links"
        : `all ${count(total, "link")}`
      : `${firsts} of ${count(total, "link")}`;
  const rest = others.map(([what, links]) => `, ${what} on ${links}`).join("");
  return `${first.charAt(0).toUpperCase()}${first.slice(1)} on ${where}${rest}${needs}.`;
}

/** The verdict over any loads. */
export function sweepVerdict(
  loads: readonly Sample[],
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): SweepVerdict {
  const valid = loads.filter(isValid);
  const pages = [...new Set(loads.map((load) => load.page))];
  const linkNames = [...new Set(loads.map((load) => load.link))];
  const lanes = sortLanes(loads.map((load) => load.lane));
  const perCell = [...Map.groupBy(loads, (load) => JSON.stringify([load.page, load.link, load.lane])).values()].map(
    (group) => group.filter(isValid).length,
  );
  const { least: fewest, greatest: most } = extremes(perCell) ?? { least: 0, greatest: 0 };
  const each = fewest === most ? count(most, "valid load") : `${fewest} to ${most} valid loads`;
  const single = pages.length === 1 && linkNames.length === 1;
  const where = single
    ? `${pages[0]} over ${linkNames[0]}`
    : `${count(pages.length, "page")} over ${count(linkNames.length, "link")}`;
  const scope = `${where}, ${single ? "" : "each with "}${each} of each lane`;
  const excluded = excludedLine(loads);
  const empty = lanes.filter((lane) => !loads.some((load) => load.lane === lane && counted(load) !== null));
  const notes = empty.map((lane) => `${lane} has no valid load.`);
  if (single && valid.length > 0) notes.push(...[loneLaneSentence(loads) ?? []].flat());
  notes.push(...lostLoadsNotes(loads));
  const busy = busyNote(loads);
  if (busy !== null) notes.push(busy);
  const sides = sidesOf(valid);
  notes.push(...sides.flatMap((side) => browsersWarning(side.loads) ?? []));
  notes.push(...agreementLines(sidesOf(loads), severalOf(loads), seed));
  const compared = verdictPairs(lanes)
    .filter((pair) => !empty.includes(pair.lane) && !empty.includes(pair.over))
    .map((pair) => ({ pair, cells: pairedCells(loads, pair) }));
  const overall = correctedTogether(compared.map(({ pair, cells }) => improvement(cells, pair, seed)));
  const byLink = linkResults(compared, seed);
  const short = tooFewRuns(byLink);
  const pairs = overall.map((result, index): PairVerdict => {
    const [pair, results] = [compared[index] as ComparedPair, byLink[index] as LinkResults];
    return {
      ...pair,
      sentence: sentenceOf(comparisonClause(result)),
      byLink: results,
      links: countLinks(results),
      tooFewRuns: short,
      overall: result,
      exploratory: exploratorySplit(pair, results, links, seed),
    };
  });
  notes.push(...pairs.flatMap(({ exploratory }) => exploratory?.sentence ?? []));
  notes.push(...pairs.flatMap(({ overall }) => notComparedNotes(overall)));
  return { scope, pairs, notes, excluded };
}

/** Which pages on links a comparison leaves out and why, kind by kind; none where it leaves out all, which it says itself. */
function notComparedNotes({ pair, percent, unlike, bothOut, single }: Improvement): string[] {
  if (percent === null) return [];
  const kinds = [
    [unlike, "the lanes asked for different parts of the recording there"],
    [bothOut, "at least half of the loads of both timed out there, and nothing says which lane is slower"],
    [single, "one of the lanes has a single load there, which does not tell how sure it is"],
  ] as const;
  return kinds.flatMap(([places, why]) => {
    if (places === 0) return [];
    const which = `${count(places, "page on a link", "pages on links")} ${places === 1 ? "is" : "are"}`;
    return `${which} not in the comparison of ${pair.lane} with ${pair.over}: ${why}.`;
  });
}

/** The verdict of samplesOf these loads, its sentences naming the metric. */
export function verdictBy(
  choice: MetricChoice | undefined,
  loads: readonly Measured[],
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): SweepVerdict {
  const verdict = sweepVerdict(samplesOf(loads, choice), links, seed);
  if (choice === undefined || choice === usualMetric) return verdict;
  return {
    ...verdict,
    scope: `${verdict.scope}, compared by ${comparedMetric(choice).noun}`,
    pairs: verdict.pairs.map((pair) => ({ ...pair, sentence: named(pair.sentence, choice) })),
  };
}
