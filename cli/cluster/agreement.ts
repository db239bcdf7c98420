// Whether the machines of a sweep are alike: the loads of the reference cells, which each of them ran, compared between each
// machine and all others together. Pure: rows in, judgements out.
//
// The loads are not paired, so this is the rank-sum test; its probabilities are Holm's over machines and reference cells. A
// difference counts when it is shown and larger than asked: two models of CPU differ by a little, always. The machine that is
// farthest off is told, left out, and the rest compared again, because its loads would make the others look odd. Where no
// majority is left that agrees (as of two machines), nobody can say which is right: all are told.
import type { Load } from "../results/results.ts";
import { holm } from "../stats/multiplicity.ts";
import { isValid } from "../stats/sample.ts";
import { rankSum, sampleShift } from "../stats/two_samples.ts";

export interface ReferenceLoads {
  readonly host: string;
  readonly loads: readonly Load[];
}

/** A reference cell that a machine loads in another time than the others. */
export interface Disagreement {
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  /** Of PLT from the others to this one: positive is slower. */
  readonly change_percent: number;
  readonly low_percent: number | null;
  readonly high_percent: number | null;
  /** Holm's. */
  readonly probability: number;
}

/** With fewer loads no rank sum is unlikely enough. */
export const fewestReferenceLoads = 4;
const level = 0.05;

type Cell = Pick<Load, "page" | "link" | "lane">;

interface Tested extends Disagreement {
  readonly host: string;
}

const percentOf = (logRatio: number): number => Math.expm1(logRatio) * 100;

/** Logarithms of PLTs, so that a difference is a ratio. */
function logs({ loads }: ReferenceLoads, { page, link, lane }: Cell): number[] {
  return loads.flatMap((load) =>
    isValid(load) && load.page === page && load.link === link && load.lane === lane ? [Math.log(load.plt_ms)] : [],
  );
}

interface Pair {
  readonly one: ReferenceLoads;
  readonly others: readonly ReferenceLoads[];
}

/** Each machine against its others, on each reference cell; what of that is shown, and larger than tolerated. */
function differing(pairs: readonly Pair[], cells: readonly Cell[], tolerance_percent: number): Tested[] {
  const tests = pairs.flatMap(({ one, others }) =>
    cells.flatMap((cell) => {
      const own = logs(one, cell);
      const theirs = others.flatMap((host) => logs(host, cell));
      const shift = sampleShift(theirs, own);
      if (!shift || Math.min(own.length, theirs.length) < fewestReferenceLoads) return [];
      return [{ host: one.host, cell, shift, probability: rankSum(theirs, own) }];
    }),
  );
  const probabilities = holm(tests.map(({ probability }) => probability));
  return tests
    .map(({ host, cell: { page, link, lane }, shift }, index) => ({
      host,
      page,
      link,
      lane,
      change_percent: percentOf(shift.estimate),
      low_percent: shift.interval ? percentOf(shift.interval.low) : null,
      high_percent: shift.interval ? percentOf(shift.interval.high) : null,
      probability: probabilities[index] as number,
    }))
    .filter((test) => test.probability <= level && Math.abs(test.change_percent) > tolerance_percent);
}

const distance = ({ change_percent }: Tested): number => Math.abs(Math.log1p(change_percent / 100));

/** By host, those only that disagree. `tolerance_percent`: differences of PLT up to so much do not matter. */
export function disagreements(
  hosts: readonly ReferenceLoads[],
  tolerance_percent: number,
): Map<string, Disagreement[]> {
  const cells = new Map<string, Cell>();
  for (const { page, link, lane } of hosts.flatMap(({ loads }) => loads))
    cells.set(JSON.stringify([page, link, lane]), { page, link, lane });
  const compare = (pairs: readonly Pair[]): Tested[] => differing(pairs, [...cells.values()], tolerance_percent);
  const found = new Map<string, Disagreement[]>();
  const tell = (tested: readonly Tested[], name: string): void => {
    const own = tested.flatMap(({ host, ...disagreement }) => (host === name ? [disagreement] : []));
    if (own.length > 0) found.set(name, own);
  };
  let rest = [...hosts];
  for (;;) {
    const among = compare(rest.map((one) => ({ one, others: rest.filter((host) => host !== one) })));
    const [worst] = among.toSorted((a, b) => distance(b) - distance(a));
    if (!worst) return found;
    tell(among, worst.host);
    const odd = hosts.filter(({ host }) => found.has(host));
    rest = hosts.filter(({ host }) => !found.has(host));
    if (rest.length > odd.length) continue;
    const against = compare(rest.map((one) => ({ one, others: odd })));
    for (const { host } of rest) tell(against, host);
    return found;
  }
}
