// Which loads are looked at to say why: those nearest to their lane's median, in which loads that timed out count.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestToMedian } from "../../../../cli/results/answer/stored_answer.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

/** Of one lane; null: it timed out. */
function loadsOf(times_ms: readonly (number | null)[]): Sample[] {
  return times_ms.map((plt_ms, block) => ({
    ...{ page: "page", link: "1mbit/50ms", lane: "h2", block, plt_ms },
    ...(plt_ms === null
      ? { status: "failed", reasons: ["the load event did not come within 60000 ms"] }
      : { status: "valid", reasons: [] }),
  }));
}

const nearest = (times_ms: readonly (number | null)[], most: number) =>
  nearestToMedian(loadsOf(times_ms), most).map(({ plt_ms }) => plt_ms);

test("the loads nearest to the median of all, those that timed out as the slowest", () => {
  assert.deepEqual(nearest([100, 200, 300, 400, 500], 1), [300]);
  assert.deepEqual(nearest([100, 200, 300, null, null], 2), [300, 200]);
});

test("none, where most timed out: those that ended are not near the median", () => {
  assert.deepEqual(nearest([100, 200, null, null, null], 2), []);
  assert.deepEqual(nearest([100, 200, null, null], 2), [], "half of them");
  assert.deepEqual(nearest([], 2), []);
});
