import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { benjaminiHochberg, holm } from "../../../../cli/results/stats/multiplicity.ts";

const rounded = (values: readonly number[]) => values.map((value) => Number(value.toFixed(6)));

test("as R's p.adjust gives them", () => {
  const probabilities = [0.01, 0.04, 0.03, 0.005, 0.9];
  assert.deepEqual(rounded(holm(probabilities)), [0.04, 0.09, 0.09, 0.025, 0.9]);
  assert.deepEqual(rounded(benjaminiHochberg(probabilities)), [0.025, 0.05, 0.05, 0.025, 0.9]);
  assert.deepEqual([holm([]), benjaminiHochberg([])], [[], []]);
});

test("Holm: over many studies of 20 cells without any difference, one is called different in at most 5 %", () => {
  const random = randomSource(6, "holm");
  const studies = 4000;
  let wrong = 0;
  for (let study = 0; study < studies; study++)
    if (holm(Array.from({ length: 20 }, random)).some((probability) => probability <= 0.05)) wrong++;
  assert.ok(wrong / studies > 0.035 && wrong / studies < 0.06, `${wrong} of ${studies}`);
});

test("Benjamini and Hochberg: of what is called different, at most 5 % is not", () => {
  const random = randomSource(7, "bh");
  let share = 0;
  const studies = 3000;
  for (let study = 0; study < studies; study++) {
    // Half of the 20 cells differ clearly.
    const probabilities = Array.from({ length: 20 }, (_, cell) => random() * (cell < 10 ? 1 : 0.002));
    const called = benjaminiHochberg(probabilities).flatMap((probability, cell) => (probability <= 0.05 ? [cell] : []));
    share += called.length > 0 ? called.filter((cell) => cell < 10).length / called.length : 0;
  }
  assert.ok(share / studies < 0.04 && share / studies > 0.01, `${share / studies}`);
});
