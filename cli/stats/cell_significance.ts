// Whether lanes differ in a cell of a map at all, and whether they still do when it is counted that the map has many cells.
// A probability by the signed-rank test, corrected over all cells that one looks at together. The estimate and its interval
// are comparison.ts's.
import { manyPages, type PairedCell } from "./comparison.ts";
import { benjaminiHochberg, holm } from "./multiplicity.ts";
import { median } from "./quantile.ts";
import { signedRank } from "./signed_rank.ts";

/** Chance of one wrong cell among all (Holm), or share of wrong ones among those named (Benjamini and Hochberg). */
export const significanceLevel = 0.05;

export interface CellTest {
  /** Two-sided, without a difference between the lanes. */
  readonly probability: number;
  /** Paired differences that entered: of blocks, or with many pages of pages. */
  readonly n: number;
}

export interface CorrectedTest extends CellTest {
  readonly holm: number;
  readonly benjaminiHochberg: number;
}

const present = (values: Float64Array): number[] => [...values].filter((value) => !Number.isNaN(value));

/** log(lane / over) of each block that has both. */
function blockRatios({ lane, over }: PairedCell): number[] {
  return [...lane.entries()].flatMap(([block, value]) => {
    const ratio = Math.log(value / (over[block] as number));
    return Number.isFinite(ratio) ? [ratio] : [];
  });
}

function pageRatio({ lane, over }: PairedCell): number[] {
  const [lanes, overs] = [present(lane), present(over)];
  return lanes.length > 0 && overs.length > 0 ? [Math.log(median(lanes) / median(overs))] : [];
}

/**
 * The pages of one link. From as many pages on as count as a sample of pages, each is one difference, that of its medians;
 * below, each block of each page is one. Null: no block, or page, has both lanes.
 */
export function cellTest(cells: readonly PairedCell[]): CellTest | null {
  const ofPages = cells.flatMap(pageRatio);
  const differences = ofPages.length >= manyPages ? ofPages : cells.flatMap(blockRatios);
  if (differences.length === 0) return null;
  return { probability: signedRank(differences).twoSided, n: differences.length };
}

/** The same in the same order, corrected for their number. */
export function correctedTests(tests: readonly (CellTest | null)[]): (CorrectedTest | null)[] {
  const known = tests.filter((test) => test !== null);
  const probabilities = known.map(({ probability }) => probability);
  const [byHolm, byShare] = [holm(probabilities), benjaminiHochberg(probabilities)];
  let place = 0;
  return tests.map((test) => {
    if (test === null) return null;
    const corrected = { ...test, holm: byHolm[place] ?? 1, benjaminiHochberg: byShare[place] ?? 1 };
    place++;
    return corrected;
  });
}

/** How many differences all of one sign a cell among so many needs to pass Holm's correction at all. */
export function differencesNeeded(cells: number): number {
  return Math.ceil(1 + Math.log2(cells / significanceLevel) - 1e-9);
}
