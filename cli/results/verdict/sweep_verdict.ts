// The verdict over many pages and links: for each pair of lanes one sentence, split where links differ most (by RTT, bandwidth
// or loss), and how many links each lane wins. Pure; a single page on a single link gets the race's sentences.

import { count } from "../../base/numbers.ts";
import { extremes } from "../../base/quantile.ts";
import type { LinkTraits } from "../../link/traits.ts";
import { browsersWarning } from "./browsers.ts";
import {
  type ComparedPair,
  countLinks,
  type LinkCounts,
  type LinkResults,
  linkResults,
  type TooFewRuns,
  tooFewRuns,
} from "./by_link.ts";
import { direction, type Improvement, improvement, toldTogether } from "./comparison.ts";
import { lostLoadsNotes } from "./lost_loads.ts";
import { type PairedCell, pairedCells } from "./paired_cells.ts";
import { counted, isValid, type LanePair, type Sample, sortLanes } from "./sample.ts";
import { comparisonClause, excludedLine, raceVerdict, sentence as sentenceOf, verdictPairs } from "./verdict.ts";

export interface PairVerdict {
  readonly pair: LanePair;
  readonly sentence: string;
  /** Corrected over all links of all pairs. */
  readonly links: LinkCounts;
  /** Why no link can be shown to differ; null: some can. */
  readonly tooFewRuns: TooFewRuns | null;
  readonly overall: Improvement;
  /** Where links of two kinds differ, which was looked for; null: nowhere. */
  readonly exploratory: string | null;
}

export interface SweepVerdict {
  /** What was compared: pages, links, loads. */
  readonly scope: string;
  readonly pairs: readonly PairVerdict[];
  /** Further sentences: lanes without a valid load, a single lane's median, or that the browser changed. */
  readonly notes: readonly string[];
  readonly excluded: string | null;
}

interface Trait {
  readonly value: (traits: LinkTraits) => number;
  /** The links above the threshold `value`, and those below `value`, in words. */
  readonly above: (value: number) => string;
  readonly below: (value: number) => string;
}

const trimmed = (value: number): string => String(Number(value.toPrecision(4)));

const traits: readonly Trait[] = [
  {
    value: (link) => link.rtt_ms,
    above: (value) => `${trimmed(value)} ms RTT or more`,
    below: (value) => `less than ${trimmed(value)} ms RTT`,
  },
  {
    value: (link) => link.rate_bps ?? Number.POSITIVE_INFINITY,
    above: (value) => (Number.isFinite(value) ? `${trimmed(value / 1e6)} Mbit/s or more` : "no limit to the rate"),
    below: (value) => (Number.isFinite(value) ? `less than ${trimmed(value / 1e6)} Mbit/s` : "a limited rate"),
  },
  {
    value: (link) => link.loss,
    above: (value) => `${trimmed(value * 100)} % loss or more`,
    below: (value) => `less than ${trimmed(value * 100)} % loss`,
  },
];

interface Split {
  /** So many ways to split the links were tried. */
  readonly tried: number;
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
  let best: Omit<Split, "tried"> | null = null;
  let bestGain = 0;
  let tried = 0;
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
      tried++;
      const gain = ((high.length * low.length) / known.length) * (mean(high) - mean(low)) ** 2;
      if (gain <= bestGain) continue;
      bestGain = gain;
      const inHigh = new Set(high.map((item) => item.link));
      const inLow = new Set(low.map((item) => item.link));
      best = {
        above: trait.above(threshold),
        below: trait.below(threshold),
        high: cells.filter((cell) => inHigh.has(cell.link)),
        low: cells.filter((cell) => inLow.has(cell.link)),
      };
    }
  }
  return best && { ...best, tried };
}

/** Intervals that do not meet, and not by a hair: the two sides deserve their own words. */
function differ(a: Improvement, b: Improvement): boolean {
  if (!a.interval || !b.interval || a.percent === null || b.percent === null) return false;
  const apart = a.interval.low > b.interval.high || b.interval.low > a.interval.high;
  return apart && (direction(a) !== direction(b) || Math.abs(a.percent - b.percent) >= 3);
}

/** One more sentence where links of two kinds differ; null: they do not, or it cannot be told. Chosen for its difference, so exploratory. */
function splitSentence(split: Split, pair: LanePair, seed: number): string | null {
  const [high, low] = toldTogether([improvement(split.high, pair, seed), improvement(split.low, pair, seed)]);
  if (!high || !low || !differ(high, low)) return null;
  const chosen = `Exploratory, the widest of ${count(split.tried, "split")}`;
  return `${chosen}: on links with ${split.above}, ${comparisonClause(high)}; with ${split.below}, ${comparisonClause(low)}.`;
}

/** Where links of two kinds differ; null: nowhere. */
function exploratorySentence(
  { pair, cells }: ComparedPair,
  results: LinkResults,
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): string | null {
  const logRatios = new Map(
    [...results].flatMap(([link, { percent }]): [string, number][] =>
      percent === null || percent >= 100 ? [] : [[link, Math.log(1 - percent / 100)]],
    ),
  );
  const split = widestSplit(cells, logRatios, links);
  return split && splitSentence(split, pair, seed);
}

/** Null where no link alone has loads enough. `faster on 61 of 100 links, slower on 12, no difference shown on 27`. */
export function winsLine(verdict: Pick<PairVerdict, "pair" | "links" | "tooFewRuns">): string | null {
  const { pair, links, tooFewRuns: short } = verdict;
  const { faster, slower, unclear, unknown } = links;
  if (faster + slower + unclear === 0) return null;
  const parts = [
    faster > 0 && `faster on ${faster}`,
    slower > 0 && `slower on ${slower}`,
    unclear > 0 && `no difference shown on ${unclear}`,
    unknown > 0 && `too few loads to say on ${unknown}`,
  ].filter((part) => part !== false);
  const total = faster + slower + unclear + unknown;
  const needs =
    short === null
      ? ""
      : `; to show one among ${count(short.comparisons, "comparison")} takes ${count(short.needed, "load")} of each lane`;
  return `Link by link (${count(total, "link")}), ${pair.lane} over ${pair.over}: ${parts.join(", ")}${needs}.`;
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
  if (lanes.length === 1 && single && valid.length > 0) notes.push(...raceVerdict(loads, seed).sentences);
  notes.push(...lostLoadsNotes(loads));
  const changed = browsersWarning(valid);
  if (changed !== null) notes.push(changed);
  const compared = verdictPairs(lanes)
    .filter((pair) => !empty.includes(pair.lane) && !empty.includes(pair.over))
    .map((pair) => ({ pair, cells: pairedCells(loads, pair) }));
  const overall = toldTogether(compared.map(({ pair, cells }) => improvement(cells, pair, seed)));
  const byLink = linkResults(compared, seed);
  const short = tooFewRuns(byLink);
  const pairs = overall.map((result, index): PairVerdict => {
    const [pair, results] = [compared[index] as ComparedPair, byLink[index] as LinkResults];
    return {
      pair: result.pair,
      sentence: sentenceOf(comparisonClause(result)),
      links: countLinks(results),
      tooFewRuns: short,
      overall: result,
      exploratory: exploratorySentence(pair, results, links, seed),
    };
  });
  notes.push(...pairs.flatMap(({ exploratory }) => exploratory ?? []));
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
