// Two sides, cell by cell and over cells together: what became slower or faster from one to the other. A side is one sweep,
// several sweeps of the same thing (occasions), or one of two versions that were loaded alternately in one sweep. Pure: rows in,
// judgements out.
//
// What is tested is not whether anything changed, but the threshold: `slower` says that the median page load time rose by more than
// it, `faster` that it fell by more, `same` that it did neither (both one-sided tests at 5 %, Schuirmann 1987). The tests are
// evidence.ts's: of each cell with loads enough, of all cells together and of each lane's, because few loads of many cells show
// together what no cell shows by itself. Over all tests of one direction the probabilities are Holm's, so that a comparison calls
// anything slower in at most 5 % if nothing became slower by more than the threshold.
//
// Two sweeps of one thing differ too, by the machine and the day. With several sweeps of a side the change is tested against the
// spread between them; two versions in one sweep meet the same; one sweep of each shows that there is a change, but not whose.
// How far occasions are known to differ may be given (`occasionSpread_percent`): it widens the threshold.
//
// That loads fail more often than they did, or end no more, is tested too (failures.ts), and corrected with the rest.
import { median } from "../../base/quantile.ts";
import { holm, significanceLevel } from "../stats/multiplicity.ts";
import { browsersOf } from "../verdict/browsers.ts";
import type {
  Change,
  ComparedCell,
  ComparedTogether,
  Comparison,
  Design,
  Judgement,
  ShownChange,
} from "./comparison.ts";
import {
  type CellEvidence,
  cellEvidence,
  type Evidence,
  evidenceTogether,
  intervalOf,
  loadsNeeded,
} from "./evidence.ts";
import { failureTests } from "./failures.ts";
import type { Run } from "./interleaved.ts";
import { isSameCell, type Pair, pairsOf, placeOf, timesOf } from "./pairs.ts";

export interface Terms {
  /** Changes of the median page load time of up to so much do not matter. */
  readonly threshold_percent: number;
  /** Both sides were loaded alternately, block by block, in the same sweeps. */
  readonly isInterleaved?: boolean;
  /** How far two occasions of the same thing are known to differ; null or absent: not known. */
  readonly occasionSpread_percent?: number | null;
  /** False: changes are without their intervals, which take most of the time. Default: true. */
  readonly hasIntervals?: boolean;
}

/** Sizes of changes, as logarithms. */
interface Bounds {
  readonly slower: number;
  readonly faster: number;
  /** Within these a change is the same: what occasions differ by may hide a change, as it may look like one. */
  readonly same: { readonly low: number; readonly high: number };
}

/** Of a fall by so many per cent; nothing falls by all. */
const logFall = (percent: number): number => (percent < 100 ? Math.log1p(-percent / 100) : Number.NEGATIVE_INFINITY);

function boundsOf({ threshold_percent, occasionSpread_percent }: Terms): Bounds {
  const [up, down] = [Math.log1p(threshold_percent / 100), logFall(threshold_percent)];
  const spread = Math.log1p((occasionSpread_percent ?? 0) / 100);
  return { slower: up + spread, faster: down - spread, same: { low: down + spread, high: up - spread } };
}

interface Tested {
  readonly evidence: Evidence;
  /** Holm's. */
  readonly slower: number;
  readonly faster: number;
}

const isShown = (probability: number): boolean => probability <= significanceLevel;

function judged({ evidence, slower, faster }: Tested, { same }: Bounds): ShownChange {
  if (isShown(slower)) return "slower";
  if (isShown(faster)) return "faster";
  const isWithin = same.low < same.high && isShown(evidence.less(same.high)) && isShown(evidence.greater(same.low));
  return isWithin ? "same" : "unclear";
}

const percentOf = (logRatio: number): number => Math.expm1(logRatio) * 100;

/** Each end of a 95 % interval is wrong in so much. */
const eachEnd = 0.025;

function changeOf(evidence: Evidence, { hasIntervals = true }: Terms): Change {
  const interval = hasIntervals ? intervalOf(evidence, eachEnd) : null;
  return {
    change_percent: percentOf(evidence.change),
    low_percent: interval && percentOf(interval.low),
    high_percent: interval && percentOf(interval.high),
  };
}

interface Group {
  readonly lane: string | null;
  readonly pairs: readonly Pair[];
}

/** The groups of cells that are tested together. One place is no group, and one lane's cells are all cells. */
function groupsOf(pairs: readonly Pair[]): Group[] {
  const byLane = Map.groupBy(pairs, ({ cell }) => cell.lane);
  const ofLanes = [...byLane].map(([lane, ofLane]) => ({ lane, pairs: ofLane }));
  const groups: Group[] = [{ lane: null, pairs }, ...(byLane.size > 1 ? ofLanes : [])];
  return groups.filter((group) => new Set(group.pairs.map(({ cell }) => placeOf(cell))).size > 1);
}

function designOf(occasions: Comparison["occasions"], { isInterleaved = false }: Terms): Design {
  if (isInterleaved) return "interleaved";
  return Math.max(occasions.a, occasions.b) > 1 ? "occasions" : "one each";
}

/** Each side's sweeps; of interleaved ones sweep i of one side is sweep i of the other. */
export function compareRuns(a: readonly Run[], b: readonly Run[], terms: Terms): Comparison {
  const occasions = { a: a.length, b: b.length };
  const { isInterleaved = false } = terms;
  const bounds = boundsOf(terms);
  const { pairs, onlyA, onlyB } = pairsOf(a, b);
  const comparable = pairs.filter(isSameCell);
  const ofPair = new Map(
    comparable.flatMap((pair): [Pair, CellEvidence][] => {
      const evidence = cellEvidence({ a: pair.a.occasions, b: pair.b.occasions, isPaired: isInterleaved });
      return evidence ? [[pair, evidence]] : [];
    }),
  );
  const tested = comparable.filter((pair) => isShown(ofPair.get(pair)?.least ?? 1));
  const groups = groupsOf([...ofPair.keys()]).flatMap(({ lane, pairs: cells }) => {
    const places = [...Map.groupBy(cells, ({ cell }) => placeOf(cell)).values()];
    const evidences = places.map((place) => place.map((pair) => ofPair.get(pair) as CellEvidence));
    const evidence = evidenceTogether(evidences, occasions, isInterleaved);
    return evidence ? [{ lane, cells: cells.length, evidence }] : [];
  });
  const failures = comparable.flatMap((pair) => failureTests(pair, significanceLevel));
  const evidences = [...tested.map((pair) => ofPair.get(pair) as Evidence), ...groups.map(({ evidence }) => evidence)];
  const worse = holm([
    ...evidences.map(({ greater }) => greater(bounds.slower)),
    ...failures.map(({ probability }) => probability),
  ]);
  const better = holm(evidences.map(({ less }) => less(bounds.faster)));
  const tests = evidences.map(
    (evidence, index): Tested => ({ evidence, slower: worse[index] as number, faster: better[index] as number }),
  );
  const ofCell = new Map(tested.map((pair, index) => [pair, tests[index] as Tested]));
  const ofFailures = new Map<Pair, number>();
  for (const [index, { pair }] of failures.entries())
    ofFailures.set(pair, Math.min(ofFailures.get(pair) ?? 1, worse[tests.length + index] as number));
  const canShow = (some: readonly Evidence[]): boolean => some.some(({ least }) => isShown(least * worse.length));
  const needs = comparable.length + groupsOf(comparable).length + failures.length;

  const comparedCell = (pair: Pair): ComparedCell => {
    const { cell, other_recording, other_link, other_coverage } = pair;
    const [evidence, test, failing] = [ofPair.get(pair), ofCell.get(pair), ofFailures.get(pair) ?? 1];
    const [a_ms, b_ms] = [timesOf(pair.a), timesOf(pair.b)];
    const judgement = (): Judgement => {
      if (!isSameCell(pair)) return "unknown";
      if (isShown(failing)) return "failing";
      return test ? judged(test, bounds) : "unknown";
    };
    return {
      ...{ page: cell.page, link: cell.link, lane: cell.lane, judgement: judgement() },
      ...{ loads_a: a_ms.length, loads_b: b_ms.length },
      ...{ timed_out_a: pair.a.out, timed_out_b: pair.b.out },
      ...{ failed_a: pair.a.tries.failed, failed_b: pair.b.tries.failed, failing_probability: failing },
      median_a_ms: a_ms.length > 0 ? median(a_ms) : null,
      median_b_ms: b_ms.length > 0 ? median(b_ms) : null,
      ...(evidence ? changeOf(evidence, terms) : { change_percent: null, low_percent: null, high_percent: null }),
      probability: test ? Math.min(test.slower, test.faster) : 1,
      ...{ other_recording, other_link, other_coverage },
    };
  };
  return {
    ...{ design: designOf(occasions, terms), occasions },
    occasion_spread_percent: terms.occasionSpread_percent ?? null,
    cells: pairs.map(comparedCell),
    together: groups.map(({ lane, cells, evidence }, index): ComparedTogether => {
      const test = tests[tested.length + index] as Tested;
      const probability = Math.min(test.slower, test.faster);
      return { lane, cells, ...changeOf(evidence, terms), judgement: judged(test, bounds), probability };
    }),
    tests: worse.length,
    can_show: canShow(evidences.slice(0, tested.length)) ? "cells" : canShow(evidences) ? "together" : "nothing",
    loads_needed: comparable.length === 0 ? null : loadsNeeded(needs, significanceLevel),
    ...{ only_a: onlyA, only_b: onlyB },
    browsers_a: browsersOf(a.flatMap(({ loads }) => loads)),
    browsers_b: browsersOf(b.flatMap(({ loads }) => loads)),
  };
}
