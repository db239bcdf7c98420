// Whether lanes differ in a cell of a map at all, and whether they still do when it is counted that the map has many cells.
// A probability by the signed-rank test, corrected over all cells that one looks at together. The estimate and its interval
// are comparison.ts's.

import { randomSource } from "../../base/random.ts";
import { benjaminiHochberg, holm, significanceLevel } from "../stats/multiplicity.ts";
import { permutationTest } from "../stats/permutation.ts";
import { signedRank } from "../stats/signed_rank.ts";
import { manyPages } from "./many_pages.ts";
import { blockRatios, cellMedians, medianRatio, type PairedCell } from "./paired_cells.ts";

/** A report has hundreds of cells. */
const flips = 1999;

export interface CellTest {
  /** Two-sided, without a difference between the lanes. */
  readonly probability: number;
  /** The same of the differences' mean, which a few large ones decide, by flipping signs (permutation.ts). */
  readonly permutation: number;
  /** Which way the first lane differs. It weighs pages or blocks alike, and so may differ from what medians over pages say. */
  readonly direction: "faster" | "slower";
  /** Paired differences that entered: of blocks, or with many pages of pages. */
  readonly n: number;
}

export interface CorrectedTest extends CellTest {
  readonly holm: number;
  readonly benjaminiHochberg: number;
}

/**
 * The pages of one link. From as many pages on as count as a sample of pages, each is one difference, that of its medians;
 * below, each block of each page is one. Null: no block, or page, has both lanes.
 */
export function cellTest(cells: readonly PairedCell[]): CellTest | null {
  const ofPages = cells.flatMap((cell) => cellMedians(cell) ?? []).map(medianRatio);
  const differences = ofPages.length >= manyPages ? ofPages : cells.flatMap(blockRatios);
  if (differences.length === 0) return null;
  const { twoSided, greater, less } = signedRank(differences);
  const permutation = permutationTest(differences, randomSource(1, "sign flips of a cell"), flips);
  return { probability: twoSided, permutation, direction: less < greater ? "faster" : "slower", n: differences.length };
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
