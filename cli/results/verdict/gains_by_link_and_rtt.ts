// What each link alone shows of each pair of lanes, and links of one round-trip time. Whoever counts the links on which a lane is faster picks
// them out of all links of all pairs, so all of these are shown together: one family of Holm's correction. Which trait of links to look at was
// not fixed before, so what round-trip times show is exploratory. Pure.

import type { LinkTraits } from "../../link/link.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { loadsNeeded } from "./cell_significance.ts";
import { type Direction, direction, type Improvement, improvement } from "./comparison.ts";
import type { PairedCell } from "./paired_cells.ts";
import type { LanePair } from "./sample.ts";

export interface ComparedPair {
  readonly pair: LanePair;
  readonly cells: readonly PairedCell[];
}

/** A pair's improvement on each link that has loads of it. */
export type LinkResults = ReadonlyMap<string, Improvement>;

/** In the order of the pairs. */
export function linkResults(compared: readonly ComparedPair[], seed: number): LinkResults[] {
  const found = compared.map(({ pair, cells }) =>
    [...Map.groupBy(cells, ({ link }) => link)].map(([link, ofLink]) => ({
      link,
      result: improvement(ofLink, pair, seed),
    })),
  );
  const corrected = correctedTogether(found.flat().map(({ result }) => result));
  let place = 0;
  return found.map((ofPair) => new Map(ofPair.map(({ link }) => [link, corrected[place++] as Improvement])));
}

/** On how many links the pair's first lane is faster, slower, not shown to differ, or not known; of links that can be compared. */
export type LinkCounts = Readonly<Record<Direction, number>>;

export function countLinks(results: LinkResults): LinkCounts {
  const counts = { faster: 0, slower: 0, unclear: 0, unknown: 0 };
  for (const result of results.values()) if (result.percent !== null) counts[direction(result)]++;
  return counts;
}

/** Where too few loads of a page on each link are there for any link to be shown among so many. */
export interface TooFewRuns {
  readonly comparisons: number;
  /** Loads of each lane that it takes. */
  readonly needed: number;
}

/** Null where there are enough; loads of several pages on a link show more together, and may be few. */
export function tooFewRuns(all: readonly LinkResults[]): TooFewRuns | null {
  const tested = all.flatMap((ofPair) => [...ofPair.values()]).filter(({ probability }) => probability !== null);
  const [{ comparisons } = { comparisons: 0 }] = tested;
  const needed = loadsNeeded(comparisons);
  const isShort = tested.every(({ pages, n }) => pages === 1 && Math.min(n.lane, n.over) < needed);
  return comparisons > 0 && isShort ? { comparisons, needed } : null;
}

export interface RttGain {
  readonly rtt_ms: number;
  readonly result: Improvement;
}

export interface RttGains {
  readonly pair: LanePair;
  /** The shortest round trip first; those that can be compared. */
  readonly gains: readonly RttGain[];
}

/** Of pairs that have at least two round-trip times. */
export function gainsByRtt(
  compared: readonly ComparedPair[],
  links: ReadonlyMap<string, LinkTraits>,
  seed: number,
): RttGains[] {
  return compared.flatMap(({ pair, cells }) => {
    const byRtt = Map.groupBy(cells, ({ link }) => links.get(link)?.rtt_ms ?? null);
    const found = [...byRtt]
      .flatMap(([rtt_ms, at]) => (rtt_ms === null ? [] : [{ rtt_ms, result: improvement(at, pair, seed) }]))
      .filter(({ result }) => result.percent !== null)
      .toSorted((a, b) => a.rtt_ms - b.rtt_ms);
    const corrected = correctedTogether(found.map(({ result }) => result));
    const gains = found.map(({ rtt_ms }, index) => ({ rtt_ms, result: corrected[index] as Improvement }));
    return gains.length < 2 ? [] : [{ pair, gains }];
  });
}
