// How many places of a sweep were decided which way, of one pair of lanes, in words. Pure: decisions in, text out.
import { count } from "../../base/numbers.ts";
import type { Decision } from "../stats/sequential.ts";
import type { LanePair } from "./sample.ts";
import type { PairDecision } from "./stopping_decision.ts";

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
