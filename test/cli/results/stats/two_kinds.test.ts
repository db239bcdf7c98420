// Two kinds of loads are seen where there are two, and seldom where there is one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import { twoKinds } from "../../../../cli/results/stats/two_kinds.ts";

const random = randomSource(5, "two kinds");
const normals = (n: number, at: number): number[] => Array.from({ length: n }, () => at + 0.01 * normalDraw(random));

test("three of nine a tenth slower", () => {
  assert.deepEqual(twoKinds([...normals(6, 0), ...normals(3, 0.1)]), { higher: 3, all: 9 });
  assert.deepEqual(twoKinds([0, 0, 0, 0, 0, 0, 1, 1]), { higher: 2, all: 8 });
});

test("one kind, one outlier, equal numbers, or too few: nothing", () => {
  assert.equal(twoKinds([...normals(8, 0), 0.1]), null);
  assert.equal(twoKinds([3, 3, 3, 3, 3, 3, 3, 3]), null);
  assert.equal(twoKinds([0, 0, 0, 0, 0, 1, 1]), null);
  assert.equal(twoKinds([]), null);
});

test("normal numbers are called two kinds in less than 4 % of samples, of nine and of thirty", () => {
  for (const n of [9, 30]) {
    const found = Array.from({ length: 2000 }, () => twoKinds(normals(n, 0))).filter((each) => each !== null).length;
    assert.ok(found / 2000 < 0.04, `${n}: ${found} of 2000`);
  }
});
