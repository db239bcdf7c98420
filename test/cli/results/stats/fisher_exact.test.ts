import assert from "node:assert/strict";
import { test } from "node:test";
import { leastRisingFailures, risingFailures } from "../../../../cli/results/stats/fisher_exact.ts";

const near = (actual: number, expected: number) => assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}`);

test("the lady tasting tea: all eight cups told, and six of them", () => {
  near(risingFailures({ valid: 4, failed: 0 }, { valid: 0, failed: 4 }), 1 / 70);
  near(risingFailures({ valid: 3, failed: 1 }, { valid: 1, failed: 3 }), 17 / 70);
});

test("no failure, or fewer than before, is none that rises", () => {
  near(risingFailures({ valid: 10, failed: 0 }, { valid: 12, failed: 0 }), 1);
  assert.ok(risingFailures({ valid: 2, failed: 27 }, { valid: 10, failed: 0 }) > 0.99);
  near(risingFailures({ valid: 0, failed: 0 }, { valid: 0, failed: 5 }), 1);
});

test("the least chance is that of all failures in the second group", () => {
  near(leastRisingFailures({ valid: 3, failed: 1 }, { valid: 1, failed: 3 }), 1 / 70);
  near(leastRisingFailures({ valid: 1, failed: 3 }, { valid: 0, failed: 2 }), 4 / 6);
});
