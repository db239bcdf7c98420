// Whether lanes differ in a cell of a map at all, and whether they still do when it is counted that the map has many cells. The test is
// the one of the comparison itself (comparison.ts), corrected over all cells that one looks at together.

import { leastDifference } from "../stats/difference_test.ts";
import { benjaminiHochberg, holm, significanceLevel } from "../stats/multiplicity.ts";
import { direction, type Improvement } from "./comparison.ts";

interface CellTest {
  /** Two-sided, without a difference between the lanes. */
  readonly probability: number;
  readonly direction: ReturnType<typeof direction>;
  /** Loads of the lane that has fewer. */
  readonly n: number;
}

export interface CorrectedTest extends CellTest {
  readonly holm: number;
  readonly benjaminiHochberg: number;
}

/** Null: too few loads to test. */
export function cellTest(result: Improvement): CellTest | null {
  const { probability, n } = result;
  return probability === null ? null : { probability, direction: direction(result), n: Math.min(n.lane, n.over) };
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

/** How many loads of each lane a cell of one page among so many needs to pass Holm's correction at all. */
export function loadsNeeded(cells: number): number {
  let loads = 1;
  while (leastDifference(loads, loads) * cells > significanceLevel) loads++;
  return loads;
}
