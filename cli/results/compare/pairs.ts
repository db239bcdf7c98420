// What of two sides belongs together: each cell of both, with the loads that count, occasion by occasion. A side is one sweep, or
// several of the same thing, which are as many occasions. Pure; what the loads say is evidence.ts's and compare.ts's.
//
// A cell whose recording or link is another one on some occasion, or whose loads requested another part of the page, is reported so and
// in no test. Loads that the machine or a link out of tolerance spoiled say nothing of a page, and are not among the failed. One that
// timed out is as slow as the slowest, and only of a page that no longer loads at all a failure.
import { shaperKey } from "../../link/link.ts";
import { isDisturbed } from "../../load/disturbance.ts";
import { linkIsOut } from "../../load/selftest/format.ts";
import type { Tries } from "../stats/fisher_exact.ts";
import { coverageGap } from "../verdict/lane_coverage.ts";
import { counted, countedTogether, isValid, timedOut } from "../verdict/sample.ts";
import type { Run, RunCell, RunLoad } from "./interleaved.ts";

/** A load that counts. */
export interface TimedLoad {
  readonly block: number;
  /** Valid, or timed out and as long as the slowest of the cell's loads. */
  readonly plt_ms: number;
}

/** One side's loads of a cell. */
export interface CellSide {
  /** Those of each occasion on which the cell was loaded. */
  readonly occasions: readonly (readonly TimedLoad[])[];
  readonly tries: Tries;
  /** So many timed out. */
  readonly out: number;
}

export interface Pair {
  readonly cell: RunCell;
  readonly a: CellSide;
  readonly b: CellSide;
  readonly other_recording: boolean;
  readonly other_link: boolean;
  readonly other_coverage: boolean;
}

const keyOf = ({ page, link, lane }: RunCell): string => JSON.stringify([page, link, lane]);

const linkKey = ({ link_profile, far }: RunCell): string =>
  JSON.stringify([link_profile && shaperKey(link_profile), far]);

/** Page on a link. */
export const placeOf = ({ page, link }: RunCell): string => JSON.stringify([page, link]);

interface OccasionLoads {
  readonly cell: RunCell;
  readonly loads: readonly RunLoad[];
}

/** By cell, occasion by occasion. */
function byCell(side: readonly Run[]): Map<string, OccasionLoads[]> {
  const found = side.flatMap(({ cells, loads }) => {
    const ofCell = Map.groupBy(loads, (load) => load.cell);
    return cells.map((cell) => ({ cell, loads: ofCell.get(cell.id) ?? [] }));
  });
  return Map.groupBy(found, ({ cell }) => keyOf(cell));
}

/** Whether it is the machine's or the link's doing that a load does not count. */
const isSpoiled = ({ reasons }: RunLoad): boolean =>
  reasons.some((reason) => isDisturbed(reason) || reason.startsWith(linkIsOut));

const counts = (load: RunLoad): boolean => counted(load) !== null;

/** A load that timed out is slow, and none that failed. */
function triesOf(loads: readonly RunLoad[]): Tries {
  return {
    valid: loads.filter(counts).length,
    failed: loads.filter((load) => !counts(load) && !isSpoiled(load)).length,
  };
}

function pairOf(a: readonly OccasionLoads[], b: readonly OccasionLoads[], cell: RunCell): Pair {
  const [ofA, ofB] = [a, b].map((side) => side.flatMap(({ loads }) => loads)) as [RunLoad[], RunLoad[]];
  // Of both sides at once: what timed out is as long as the slowest of all.
  const counting = [...ofA, ...ofB].filter(counts);
  // By the rows themselves: loads of two files may have one number.
  const times = new Map(countedTogether(counting).map((timed, index) => [counting[index] as RunLoad, timed]));
  return {
    cell,
    a: sideOf(a),
    b: sideOf(b),
    other_recording: new Set([...a, ...b].flatMap((each) => each.cell.recording_digest ?? [])).size > 1,
    other_link: [...a, ...b].some((each) => linkKey(each.cell) !== linkKey(cell)),
    other_coverage: coverageGap(ofA.filter(isValid), ofB.filter(isValid)) !== null,
  };

  function sideOf(side: readonly OccasionLoads[]): CellSide {
    const all = side.flatMap(({ loads }) => loads);
    return {
      occasions: side.map(({ loads }) => loads.flatMap((load) => times.get(load) ?? [])),
      tries: triesOf(all),
      out: all.filter(timedOut).length,
    };
  }
}

/** In the first side's order; `onlyA`, `onlyB`: cells of one side only. */
export function pairsOf(
  a: readonly Run[],
  b: readonly Run[],
): { readonly pairs: readonly Pair[]; readonly onlyA: number; readonly onlyB: number } {
  const [ofA, ofB] = [byCell(a), byCell(b)];
  const pairs = [...ofA].flatMap(([key, before]) => {
    const after = ofB.get(key);
    return after ? [pairOf(before, after, (before[0] as OccasionLoads).cell)] : [];
  });
  return { pairs, onlyA: ofA.size - pairs.length, onlyB: ofB.size - pairs.length };
}

export const isSameCell = ({ other_recording, other_link, other_coverage }: Pair): boolean =>
  !other_recording && !other_link && !other_coverage;

export const timesOf = ({ occasions }: CellSide): number[] =>
  occasions.flatMap((loads) => loads.map((load) => load.plt_ms));
