// Two sweeps, cell by cell: which cells became slower or faster from one to the other. Pure: rows in, judgements out.
//
// Loads of two runs are not paired, so this is the rank-sum test; over many cells its probabilities are Holm's, so that a
// whole comparison without any change calls one in at most 5 %. A change counts when it is shown, and larger than asked.
import type { Cell, Load } from "../results/results.ts";
import { type Browser, browsersOf } from "../stats/browsers.ts";
import { holm } from "../stats/multiplicity.ts";
import { median } from "../stats/quantile.ts";
import { isValid } from "../stats/sample.ts";
import { rankSum, sampleShift } from "../stats/two_samples.ts";

export interface Run {
  readonly cells: readonly Cell[];
  readonly loads: readonly Load[];
}

/** `unclear`: neither a change nor its absence is shown. `unknown`: too few valid loads in one of them. */
export type Judgement = "slower" | "faster" | "same" | "unclear" | "unknown";

export interface ComparedCell {
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  readonly judgement: Judgement;
  readonly loads_a: number;
  readonly loads_b: number;
  readonly median_a_ms: number | null;
  readonly median_b_ms: number | null;
  /** Of PLT from a to b: positive is slower. Null: not known. */
  readonly change_percent: number | null;
  readonly low_percent: number | null;
  readonly high_percent: number | null;
  /** Holm's, over all cells. */
  readonly probability: number;
  /** The page was another one, so that no change can be told from it. */
  readonly other_recording: boolean;
}

export interface Comparison {
  readonly cells: readonly ComparedCell[];
  /** Cells of one sweep only. */
  readonly only_a: number;
  readonly only_b: number;
  /** Of all loads, also those that are not compared. */
  readonly browsers_a: readonly Browser[];
  readonly browsers_b: readonly Browser[];
}

/** With fewer loads in one of two equal samples no rank sum is unlikely enough. */
const fewestLoads = 4;
const level = 0.05;

const percentOf = (logRatio: number): number => Math.expm1(logRatio) * 100;
const keyOf = ({ page, link, lane }: Cell): string => JSON.stringify([page, link, lane]);

function logs({ loads }: Run, cell: Cell): number[] {
  return loads.flatMap((load) => (load.cell === cell.id && isValid(load) ? [Math.log(load.plt_ms)] : []));
}

function judge(cell: Omit<ComparedCell, "judgement">, threshold_percent: number): Judgement {
  const { change_percent, low_percent, high_percent, probability, loads_a, loads_b } = cell;
  if (cell.other_recording || Math.min(loads_a, loads_b) < fewestLoads || change_percent === null) return "unknown";
  if (probability <= level && Math.abs(change_percent) > threshold_percent)
    return change_percent > 0 ? "slower" : "faster";
  const isWithin =
    low_percent !== null &&
    high_percent !== null &&
    low_percent > -threshold_percent &&
    high_percent < threshold_percent;
  return isWithin ? "same" : "unclear";
}

/** `threshold_percent`: changes of PLT up to so much do not matter. */
export function compareRuns(a: Run, b: Run, threshold_percent: number): Comparison {
  const cellsOfB = new Map(b.cells.map((cell) => [keyOf(cell), cell]));
  const pairs = a.cells.flatMap((cell) => {
    const other = cellsOfB.get(keyOf(cell));
    return other ? [{ cell, other, before: logs(a, cell), after: logs(b, other) }] : [];
  });
  const probabilities = holm(pairs.map(({ before, after }) => rankSum(before, after)));
  const cells = pairs.map(({ cell, other, before, after }, index): ComparedCell => {
    const found = sampleShift(before, after);
    const compared = {
      page: cell.page,
      link: cell.link,
      lane: cell.lane,
      loads_a: before.length,
      loads_b: after.length,
      median_a_ms: before.length > 0 ? Math.exp(median(before)) : null,
      median_b_ms: after.length > 0 ? Math.exp(median(after)) : null,
      change_percent: found ? percentOf(found.estimate) : null,
      low_percent: found?.interval ? percentOf(found.interval.low) : null,
      high_percent: found?.interval ? percentOf(found.interval.high) : null,
      probability: probabilities[index] as number,
      other_recording: cell.recording_digest !== other.recording_digest,
    };
    return { ...compared, judgement: judge(compared, threshold_percent) };
  });
  return {
    cells,
    only_a: a.cells.length - pairs.length,
    only_b: b.cells.length - pairs.length,
    browsers_a: browsersOf(a.loads),
    browsers_b: browsersOf(b.loads),
  };
}
