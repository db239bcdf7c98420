// Curves of a run's figure: lines break where samples are missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenAtGaps, senderCurve } from "../../../../../cli/instruments/flows/report/run_curves.ts";
import { curvePath } from "../../../../../cli/report/figures/curve.ts";
import { twoFlows } from "../records/two_flows.ts";

const pieces = (path: string): number => path.split("M").length - 1;
const drawn = (time_ms: readonly number[]): number =>
  pieces(
    curvePath(
      brokenAtGaps({ time_ms, value: time_ms.map((time) => 100 + (time % 7)) }),
      (x) => x,
      (y) => y,
    ),
  );

test("a line breaks where samples are missing, and only there", () => {
  assert.equal(drawn([0, 5, 10, 15, 20, 25]), 1);
  assert.equal(drawn([0, 5, 10, 15, 500, 505, 510]), 2);
  // A late tick, or two that were missed, are no gap.
  assert.equal(drawn([0, 5, 10, 15, 29, 34, 39, 54, 59]), 1);
  assert.equal(drawn([0, 5, 10, 300, 305, 310, 900, 905, 910]), 3);
  // Too few to say what is usual.
  assert.equal(drawn([0, 700]), 1);
  assert.equal(drawn([]), 0);
});

test("what a sender sampled is whole where all samples are there, and a gap keeps every sample", () => {
  const records = twoFlows();
  const whole = senderCurve(records, 0, "cwnd_bytes");
  assert.ok(whole.time_ms.length > 2);
  assert.ok(Array.from(whole.value).every(Number.isFinite));
  const broken = brokenAtGaps({ time_ms: [0, 5, 10, 100, 105], value: [1, 2, 3, 4, 5] });
  assert.deepEqual(broken, { time_ms: [0, 5, 10, 55, 100, 105], value: [1, 2, 3, Number.NaN, 4, 5] });
});
