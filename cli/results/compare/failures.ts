// Whether loads of a cell fail more often on the second side than on the first, as tests for compare.ts to correct with the others. Two
// questions of each cell, both by Fisher's exact test: whether more loads fail, and whether none ends any more. A load that timed out is
// slow, which the tests of times see; it is a failure only in the second question. Pure.
import { leastRisingFailures, risingFailures, type Tries } from "../stats/fisher_exact.ts";
import type { CellSide, Pair } from "./pairs.ts";

interface FailureTest {
  readonly pair: Pair;
  readonly probability: number;
}

/** A load that timed out did not end. */
const endedOf = ({ tries, out }: CellSide): Tries => ({ valid: tries.valid - out, failed: tries.failed + out });

/** That none of the second side's loads ends, by chance; 1 if one does. Empty: so many loads could not show it. */
function noneEnds(a: Tries, b: Tries, level: number): number[] {
  const couldAllFail = a.failed + b.failed >= b.valid + b.failed;
  if (!couldAllFail || leastRisingFailures(a, b) > level) return [];
  return [b.valid === 0 ? risingFailures(a, b) : 1];
}

/**
 * The tests that could show something at `level`. Which these are depends on how many loads each side has and how many failed or timed
 * out in all, never on which side they did: tests chosen by their outcome would be wrong more often than their correction allows.
 */
export function failureTests(pair: Pair, level: number): FailureTest[] {
  const { a, b } = pair;
  const more = leastRisingFailures(a.tries, b.tries) <= level ? [risingFailures(a.tries, b.tries)] : [];
  // If nothing timed out both questions are one.
  const none = a.out + b.out > 0 ? noneEnds(endedOf(a), endedOf(b), level) : [];
  return [...more, ...none].map((probability) => ({ pair, probability }));
}
