// Two sweeps, cell by cell and over cells together: what became slower or faster from one to the other. Pure: rows in,
// judgements out.
//
// Loads of two runs are not paired, so this is the rank-sum test: of each cell with loads enough, and stratified over the cells
// of each lane and over all, because few loads of many cells show together what no cell shows by itself. Over all these tests
// the probabilities are Holm's, so that a whole comparison without any change calls one in at most 5 %. A change counts when it
// is shown, and larger than asked. Cells whose recording or link is another one, or whose loads asked for
// another part of the page, are in no test.
//
// That loads fail more often than they did is tested too (Fisher's exact test), and corrected with the rest.
// Loads that the machine or a link out of tolerance spoiled say nothing of a page, and are not among the failed. One that timed
// out is in the rank-sum test, as slower than all that ended, and only of a page that no longer loads at all a failure.

import { median } from "../../base/quantile.ts";
import { shaperKey } from "../../link/same_link.ts";
import { isDisturbed } from "../../load/disturbance.ts";
import { linkIsOut } from "../../load/selftest/format.ts";
import { leastRisingFailures, risingFailures, type Tries } from "../stats/fisher_exact.ts";
import { holm, significanceLevel } from "../stats/multiplicity.ts";
import { leastRankSum, type Stratum, stratifiedRankSum } from "../stats/two_samples.ts";
import type { Cell, Lane, Load } from "../store/results.ts";
import { type Browser, browsersOf } from "../verdict/browsers.ts";
import { coverageGap } from "../verdict/lane_coverage.ts";
import { counted, countedTogether, isValid, timedOut } from "../verdict/sample.ts";
import { type Change, changeOf, fewestLoads, logsOf } from "../verdict/unpaired_loads.ts";

export interface Run {
  readonly cells: readonly Cell[];
  readonly loads: readonly Load[];
}

/** `unclear`: neither a change nor its absence is shown. */
export type ShownChange = "slower" | "faster" | "same" | "unclear";

/**
 * `failing`: loads of the second sweep fail more often, or several were tried there and none is valid any more. `unknown`: too few
 * valid loads in one of them, or another cell.
 */
export type Judgement = ShownChange | "failing" | "unknown";

type NullableChange = { readonly [Key in keyof Change]: number | null };

export interface ComparedCell extends NullableChange {
  readonly page: string;
  readonly link: string;
  readonly lane: Lane;
  readonly judgement: Judgement;
  readonly loads_a: number;
  readonly loads_b: number;
  /** Neither valid nor timed out, and not by the machine's or the link's doing. */
  readonly failed_a: number;
  readonly failed_b: number;
  /** That loads fail no more often than they did: Holm's, 1 where it is not tested. */
  readonly failing_probability: number;
  readonly median_a_ms: number | null;
  readonly median_b_ms: number | null;
  /** Holm's, over all tests; 1 where there is none. */
  readonly probability: number;
  /** The page or the link was another one under the same name, so that no change can be told from it. */
  readonly other_recording: boolean;
  readonly other_link: boolean;
  /** The loads of one sweep asked for more of the page than those of the other (verdict/lane_coverage.ts). */
  readonly other_coverage: boolean;
}

/** Several cells in one test. */
export interface ComparedTogether extends Change {
  /** Null: of all lanes. */
  readonly lane: Lane | null;
  readonly cells: number;
  readonly judgement: ShownChange;
  readonly probability: number;
}

export interface Comparison {
  readonly cells: readonly ComparedCell[];
  /** All cells, and those of each lane, where there are several that have loads in both sweeps. */
  readonly together: readonly ComparedTogether[];
  /** So many probabilities are corrected together. */
  readonly tests: number;
  /** The greatest change of which could be shown, by these loads: in single cells, only in several together, or nowhere. */
  readonly can_show: "cells" | "together" | "nothing";
  /** Valid loads of each sweep from which on a cell can be shown to have changed by itself; null: no cell is comparable. */
  readonly loads_needed: number | null;
  /** Cells of one sweep only. */
  readonly only_a: number;
  readonly only_b: number;
  /** Of all loads, also those that are not compared. */
  readonly browsers_a: readonly Browser[];
  readonly browsers_b: readonly Browser[];
}

interface Pair {
  readonly before: Cell;
  readonly after: Cell;
  /** Page load times of loads that are valid or timed out; the latter are as long as the slowest. */
  readonly a_ms: readonly number[];
  readonly b_ms: readonly number[];
  readonly tries: { readonly a: Tries; readonly b: Tries };
  /** Loads of both sweeps that timed out. */
  readonly out: { readonly a: number; readonly b: number };
  readonly logs: Stratum;
  readonly other_recording: boolean;
  readonly other_link: boolean;
  readonly other_coverage: boolean;
}

/** After so many tries without a valid load a page is broken, and no test needed: few loads of many cells could not show it. */
const severalTries = 3;

/** Whether it is the machine's or the link's doing that a load does not count. */
const isSpoiled = ({ reasons }: Load): boolean =>
  reasons.some((reason) => isDisturbed(reason) || reason.startsWith(linkIsOut));

/** A load that timed out is slow, and none that failed. */
function triesOf(loads: readonly Load[]): Tries {
  const counting = loads.filter((load) => counted(load) !== null).length;
  return { valid: counting, failed: loads.filter((load) => counted(load) === null && !isSpoiled(load)).length };
}

const keyOf = ({ page, link, lane }: Cell): string => JSON.stringify([page, link, lane]);

function pairsOf(a: Run, b: Run): Pair[] {
  const cellsOfB = new Map(b.cells.map((cell) => [keyOf(cell), cell]));
  const [loadsOfA, loadsOfB] = [a, b].map(({ loads }) => Map.groupBy(loads, (load) => load.cell)) as [
    Map<number, Load[]>,
    Map<number, Load[]>,
  ];
  return a.cells.flatMap((before) => {
    const after = cellsOfB.get(keyOf(before));
    if (!after) return [];
    const [one, other] = [loadsOfA.get(before.id) ?? [], loadsOfB.get(after.id) ?? []];
    // Of both sweeps at once, in this order.
    const together = countedTogether([...one, ...other].filter((load) => counted(load) !== null));
    const first = together.slice(0, triesOf(one).valid);
    const second = together.slice(first.length);
    return [
      {
        ...{ before, after, a_ms: first.map(({ plt_ms }) => plt_ms), b_ms: second.map(({ plt_ms }) => plt_ms) },
        tries: { a: triesOf(one), b: triesOf(other) },
        out: { a: one.filter(timedOut).length, b: other.filter(timedOut).length },
        logs: { a: logsOf(first), b: logsOf(second) },
        other_recording: before.recording_digest !== after.recording_digest,
        other_link: shaperKey(before.link_profile) !== shaperKey(after.link_profile),
        other_coverage: coverageGap(one.filter(isValid), other.filter(isValid)) !== null,
      },
    ];
  });
}

function judgeChange(
  { change_percent, low_percent, high_percent }: Change,
  isShown: boolean,
  threshold_percent: number,
) {
  if (isShown && Math.abs(change_percent) > threshold_percent) return change_percent > 0 ? "slower" : "faster";
  const isWithin =
    low_percent !== null &&
    high_percent !== null &&
    low_percent > -threshold_percent &&
    high_percent < threshold_percent;
  return isWithin ? "same" : "unclear";
}

const isSameCell = ({ other_recording, other_link, other_coverage }: Pair): boolean =>
  !other_recording && !other_link && !other_coverage;
const fewer = ({ logs: { a, b } }: Pair): number => Math.min(a.length, b.length);

/** The groups of cells that are tested together. One cell is no group, and one lane's cells are all cells. */
function groupsOf(pairs: readonly Pair[]): { lane: Lane | null; pairs: readonly Pair[] }[] {
  const byLane = Map.groupBy(pairs, ({ before }) => before.lane);
  const ofLanes = [...byLane].map(([lane, ofLane]) => ({ lane, pairs: ofLane }));
  return [{ lane: null, pairs }, ...(byLane.size > 1 ? ofLanes : [])].filter((group) => group.pairs.length > 1);
}

/** The fewest loads of each sweep of which all beyond all others are improbable enough in one of so many tests. */
function loadsNeeded(tests: number): number {
  let loads = fewestLoads;
  const leastOf = (n: number): number => leastRankSum([{ a: Array(n).fill(0), b: Array(n).fill(1) }]);
  while (leastOf(loads) * tests > significanceLevel) loads++;
  return loads;
}

/** `threshold_percent`: changes of PLT up to so much do not matter. */
export function compareRuns(a: Run, b: Run, threshold_percent: number): Comparison {
  const pairs = pairsOf(a, b);
  const comparable = pairs.filter(isSameCell);
  const groups = groupsOf(comparable.filter((pair) => fewer(pair) > 0));
  const tested = comparable.filter(({ logs }) => leastRankSum([logs]) <= significanceLevel);
  // Where even all failures in the second sweep would show nothing there is nothing to test.
  const failures = comparable.filter(({ tries }) => leastRisingFailures(tries.a, tries.b) <= significanceLevel);
  const tests: readonly Stratum[][] = [
    ...tested.map(({ logs }) => [logs]),
    ...groups.map((group) => group.pairs.map(({ logs }) => logs)),
  ];
  const probabilities = holm([
    ...tests.map(stratifiedRankSum),
    ...failures.map(({ tries }) => risingFailures(tries.a, tries.b)),
  ]);
  const ofCell = new Map(tested.map((pair, index) => [pair, probabilities[index] as number]));
  const ofFailures = new Map(failures.map((pair, index) => [pair, probabilities[tests.length + index] as number]));
  const canShow = (some: readonly Stratum[][]): boolean =>
    some.some((strata) => leastRankSum(strata) * probabilities.length <= significanceLevel);
  const cells = pairs.map((pair): ComparedCell => {
    const { before, a_ms, b_ms, logs, tries, out, other_recording, other_link, other_coverage } = pair;
    const change = changeOf([logs]);
    const probability = ofCell.get(pair);
    const failingProbability = ofFailures.get(pair) ?? 1;
    const isBroken =
      tries.a.valid - out.a > tries.a.failed + out.a &&
      tries.b.valid === out.b &&
      tries.b.failed + out.b >= severalTries;
    const judged = (): Judgement => {
      if (!isSameCell(pair)) return "unknown";
      if (isBroken || failingProbability <= significanceLevel) return "failing";
      if (probability === undefined || change === null) return "unknown";
      return judgeChange(change, probability <= significanceLevel, threshold_percent);
    };
    return {
      ...{ page: before.page, link: before.link, lane: before.lane, judgement: judged() },
      ...{ loads_a: a_ms.length, loads_b: b_ms.length, failed_a: tries.a.failed, failed_b: tries.b.failed },
      failing_probability: failingProbability,
      median_a_ms: a_ms.length > 0 ? median(a_ms) : null,
      median_b_ms: b_ms.length > 0 ? median(b_ms) : null,
      ...(change ?? { change_percent: null, low_percent: null, high_percent: null }),
      probability: probability ?? 1,
      ...{ other_recording, other_link, other_coverage },
    };
  });
  const together = groups.flatMap((group, index): ComparedTogether[] => {
    const change = changeOf(group.pairs.map(({ logs }) => logs));
    const probability = probabilities[tested.length + index] as number;
    if (!change) return [];
    const judgement = judgeChange(change, probability <= significanceLevel, threshold_percent);
    return [{ lane: group.lane, cells: group.pairs.length, ...change, judgement, probability }];
  });
  return {
    ...{ cells, together, tests: probabilities.length },
    can_show: canShow(tests.slice(0, tested.length)) ? "cells" : canShow(tests) ? "together" : "nothing",
    loads_needed:
      comparable.length === 0 ? null : loadsNeeded(comparable.length + groupsOf(comparable).length + failures.length),
    only_a: a.cells.length - pairs.length,
    only_b: b.cells.length - pairs.length,
    browsers_a: browsersOf(a.loads),
    browsers_b: browsersOf(b.loads),
  };
}

/** Whether anything became worse: a cell, or cells together. */
export function isRegression({ cells, together }: Comparison): boolean {
  return (
    cells.some(({ judgement }) => judgement === "slower" || judgement === "failing") ||
    together.some(({ judgement }) => judgement === "slower")
  );
}
