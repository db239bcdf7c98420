// The test of two medians for many shifts and for pairs, and what several such tests come to together.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { carefulMedianShift, medianShift } from "../../../../cli/results/stats/median_shift.ts";
import { medianShiftTails } from "../../../../cli/results/stats/median_test.ts";
import { stouffer } from "../../../../cli/results/stats/stouffer.ts";
import { studentQuantile, studentUpperTail } from "../../../../cli/results/stats/student_tail.ts";
import { normal } from "./simulated_study.ts";

const near = (a: number, b: number, within = 1e-9) => assert.ok(Math.abs(a - b) <= within, `${a}, not ${b}`);

describe("medians of pairs", () => {
  const random = randomSource(3, "pairs");
  const a = Array.from({ length: 9 }, () => normal(random));
  const b = Array.from({ length: 12 }, () => 1 + normal(random));

  test("unpaired it is medianShiftTails, at every shift", () => {
    const found = medianShift({ a, b }, false);
    for (const shift of [-2, 0, 0.7, 1, 3]) {
      near(found.greater(shift), medianShiftTails(a, b, shift).greater);
      near(found.less(shift), medianShiftTails(a, b, shift).less);
    }
  });

  test("what pairs share makes them surer, and what they do not share nothing", () => {
    const shared = Array.from({ length: 15 }, () => 10 * normal(random));
    const pairs = {
      a: shared.map((each) => each + normal(random)),
      b: shared.map((each) => each + 6 + normal(random)),
    };
    assert.ok(medianShift(pairs, true).greater(0) < medianShift(pairs, false).greater(0) / 1.2);
    // Pairs that turn each other round are taken for none.
    const turned = { a: shared, b: shared.map((each) => 6 - each) };
    near(medianShift(turned, true).greater(0), medianShift(turned, false).greater(0));
  });

  test("a value without its partner counts for its own side", () => {
    const lone = { a: [...a, null, null], b: [...Array<null>(9).fill(null), 1, 2] };
    near(medianShift(lone, true).greater(0), medianShiftTails(a, [1, 2]).greater);
    assert.equal(medianShift({ a: [null], b: [1] }, true).less(0), 1);
  });

  test("without a guess between values it shows less, and nothing that the guess does not", () => {
    for (const shift of [-1, 0, 0.5, 1, 2])
      assert.ok(carefulMedianShift({ a, b }, false).greater(shift) >= medianShift({ a, b }, false).greater(shift));
    // Of two kinds of loads the median may be one of the upper, though nothing lies between them.
    const kinds = { a: [0, 0, 0, 0, 0, 0, 0], b: [0, 0, 0, 1, 1, 1, 1] };
    assert.ok(carefulMedianShift(kinds, false).greater(0.9) > 0.5);
  });
});

test("several tests in one: independent ones add up, those of one group do not, none outvotes many", () => {
  const some = { probability: 0.1, least: 0.01 };
  near(stouffer([[some]]), 0.1, 1e-6);
  near(stouffer([[some, some, some]]), 0.1, 1e-6);
  assert.ok(stouffer([[some], [some], [some]]) < 0.02);
  const against = { probability: 1, least: 1e-9 };
  assert.ok(stouffer([...Array.from({ length: 9 }, () => [some]), [against]]) < 0.05);
  // Of one load in each sample nothing is known.
  near(stouffer([[{ probability: 0.75, least: 0.75 }]]), 0.5);
  assert.equal(stouffer([]), 1);
});

test("Student's tail: tables' values, the normal's far out, and nothing of no number", () => {
  // t of 5 % and 2.5 %, one-sided, in every table.
  near(studentUpperTail(6.314, 1), 0.05, 1e-4);
  near(studentUpperTail(2.776, 4), 0.025, 1e-4);
  near(studentUpperTail(1.725, 20), 0.05, 1e-4);
  // Of one degree of freedom it is Cauchy's.
  near(studentUpperTail(3, 1), 0.5 - Math.atan(3) / Math.PI);
  near(studentUpperTail(-3, 1), 0.5 + Math.atan(3) / Math.PI);
  near(studentUpperTail(1.96, Number.POSITIVE_INFINITY), 0.025, 1e-4);
  assert.deepEqual([studentUpperTail(Number.NaN, 3), studentUpperTail(Number.POSITIVE_INFINITY, 3)], [1, 0]);
});

test("Student's quantiles: tables' values, also of few degrees of freedom, and never inside of what the tail refuses", () => {
  for (const [freedom, t] of [
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [5, 2.571],
    [30, 2.042],
    [Number.POSITIVE_INFINITY, 1.96],
  ] as const)
    near(studentQuantile(0.025, freedom), t, 6e-4);
  for (const freedom of [2, 2.7, 4.1, 9, 57.3]) {
    const t = studentQuantile(0.025, freedom);
    assert.ok(studentUpperTail(t, freedom) <= 0.025 && studentUpperTail(t * (1 - 1e-6), freedom) > 0.025);
  }
});
