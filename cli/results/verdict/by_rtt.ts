// How much each pair of lanes differs on links of each round-trip time, whatever else these links have. Which trait of links to look
// at was not fixed before, so what this shows is exploratory. Pure.
import type { LinkTraits } from "../../link/link.ts";
import { correctedTogether, type Improvement, improvement } from "./comparison.ts";
import { pairedCells } from "./paired_cells.ts";
import type { LanePair, Sample } from "./sample.ts";

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
  samples: readonly Sample[],
  links: ReadonlyMap<string, LinkTraits>,
  pairs: readonly LanePair[],
  seed: number,
): RttGains[] {
  return pairs.flatMap((pair) => {
    const byRtt = Map.groupBy(pairedCells(samples, pair), ({ link }) => links.get(link)?.rtt_ms ?? null);
    const found = [...byRtt]
      .flatMap(([rtt_ms, cells]) => (rtt_ms === null ? [] : [{ rtt_ms, result: improvement(cells, pair, seed) }]))
      .filter(({ result }) => result.percent !== null)
      .toSorted((a, b) => a.rtt_ms - b.rtt_ms);
    const corrected = correctedTogether(found.map(({ result }) => result));
    const gains = found.map(({ rtt_ms }, index) => ({ rtt_ms, result: corrected[index] as Improvement }));
    return gains.length < 2 ? [] : [{ pair, gains }];
  });
}
