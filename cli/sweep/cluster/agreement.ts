// Whether the machines of a sweep are alike: the loads of the reference cells, which each of them ran, compared between each
// machine and all others together. Pure: rows in, judgements out.
//
// Machines do not load in the same blocks, so nothing is paired, and the test of "A against B" (results/answer/contrast.ts) does not fit. It is
// the rank-sum test (results/stats/two_samples.ts): two machines that are alike load a page with one distribution, whatever its shape, and
// that is what is tested. Its probabilities are Holm's over machines and reference cells. A difference counts if it is shown and larger than the
// tolerance: two models of CPU always differ by a little. The machine that is farthest off is reported and set aside, and the rest compared
// again, because its loads would make the others look odd. If no majority is left that agrees (as of two machines), all are reported.

import { holm, significanceLevel } from "../../results/stats/multiplicity.ts";
import { rankSum, sampleShift } from "../../results/stats/two_samples.ts";
import type { Load } from "../../results/store/results.ts";
import { isValid } from "../../results/verdict/sample.ts";

/** With fewer loads in one of two equal samples no rank sum is unlikely enough. */
export const fewestLoads = 4;

export interface ReferenceLoads {
  readonly host: string;
  readonly loads: readonly Load[];
}

/** A reference cell that a machine loads in another time than the others. */
export interface Disagreement {
  /** Of PLT from the others to it: positive is slower. */
  readonly change_percent: number;
  /** 95 %; null: too few loads. */
  readonly low_percent: number | null;
  readonly high_percent: number | null;
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  /** Holm's. */
  readonly probability: number;
}

type Cell = Pick<Load, "page" | "link" | "lane">;

const keyOf = ({ page, link, lane }: Cell | Disagreement): string => JSON.stringify([page, link, lane]);

interface Tested extends Disagreement {
  readonly host: string;
}

/** Logarithms, so that a shift is a ratio. */
function logsAt({ loads }: ReferenceLoads, { page, link, lane }: Cell): number[] {
  const ofCell = loads.filter((load) => load.page === page && load.link === link && load.lane === lane);
  return ofCell.flatMap((load) => (isValid(load) ? [Math.log(load.plt_ms)] : []));
}

const percentOf = (logRatio: number): number => Math.expm1(logRatio) * 100;

interface Pair {
  readonly one: ReferenceLoads;
  readonly others: readonly ReferenceLoads[];
}

/** Each machine against its others, on each reference cell; what of that is shown, and larger than tolerated. */
function differing(pairs: readonly Pair[], cells: readonly Cell[], tolerance_percent: number): Tested[] {
  const tests = pairs.flatMap(({ one, others }) =>
    cells.flatMap((cell) => {
      const own = logsAt(one, cell);
      const theirs = others.flatMap((host) => logsAt(host, cell));
      const shift = sampleShift(theirs, own);
      if (!shift || Math.min(own.length, theirs.length) < fewestLoads) return [];
      const { estimate, interval } = shift;
      const change = {
        change_percent: percentOf(estimate),
        low_percent: interval && percentOf(interval.low),
        high_percent: interval && percentOf(interval.high),
      };
      return [{ host: one.host, cell, change, probability: rankSum(theirs, own).twoSided }];
    }),
  );
  const probabilities = holm(tests.map(({ probability }) => probability));
  return tests
    .map(({ host, cell: { page, link, lane }, change }, index) => ({
      ...{ host, page, link, lane },
      ...change,
      probability: probabilities[index] as number,
    }))
    .filter((test) => test.probability <= significanceLevel && Math.abs(test.change_percent) > tolerance_percent);
}

const distance = ({ change_percent }: Tested): number => Math.abs(Math.log1p(change_percent / 100));

/** By host, those only that disagree. `tolerance_percent`: differences of PLT up to so much do not matter. */
export function disagreements(
  hosts: readonly ReferenceLoads[],
  tolerance_percent: number,
): Map<string, Disagreement[]> {
  const cells = new Map<string, Cell>();
  for (const { page, link, lane } of hosts.flatMap(({ loads }) => loads))
    cells.set(keyOf({ page, link, lane }), { page, link, lane });
  const compare = (pairs: readonly Pair[]): Tested[] => differing(pairs, [...cells.values()], tolerance_percent);
  const found = new Map<string, Disagreement[]>();
  const report = (tested: readonly Tested[], name: string): void => {
    const own = tested.flatMap(({ host, ...disagreement }) => (host === name ? [disagreement] : []));
    if (own.length > 0) found.set(name, own);
  };
  let rest = [...hosts];
  for (;;) {
    const pairs = rest.map((one) => ({ one, others: rest.filter((host) => host !== one) }));
    // Of two machines the first against the second is the second against the first.
    const among = compare(rest.length === 2 ? pairs.slice(0, 1) : pairs);
    const [worst] = among.toSorted((a, b) => distance(b) - distance(a));
    if (!worst) return found;
    report(among, worst.host);
    const odd = hosts.filter(({ host }) => found.has(host));
    rest = hosts.filter(({ host }) => !found.has(host));
    if (rest.length > odd.length) continue;
    const against = compare(rest.map((one) => ({ one, others: odd })));
    for (const { host } of rest) report(against, host);
    // One between the odd ones, as 1400 ms between 1000 and 2000, is like them together, and unlike each.
    for (const one of rest.filter(({ host }) => !found.has(host))) {
      const single = compare(odd.map((other) => ({ one, others: [other] }))).toSorted(
        (a, b) => distance(b) - distance(a),
      );
      report(
        [...Map.groupBy(single, (test) => keyOf(test)).values()].map(([farthest]) => farthest as Tested),
        one.host,
      );
    }
    return found;
  }
}
