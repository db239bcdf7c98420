// Whether one lane lost more of its loads than another: invalid or failed ones, which enter no median. If what made them invalid came
// with slow loads, the lane that lost more looks faster than it is. Fisher's exact test of each pair of lanes, Holm's correction over
// the pairs. Loads that timed out are not lost: they count as slower than all others. Pure.
import { formatProbability } from "../../base/numbers.ts";
import { risingFailures, type Tries } from "../stats/fisher_exact.ts";
import { holm, significanceLevel } from "../stats/multiplicity.ts";
import { byLane, counted, lanePairs, type Sample } from "./sample.ts";

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
