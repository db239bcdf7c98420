// That `compare` exits with 1 in at most 5 % at any true change up to the threshold, on simulated studies: a few of each, here at
// the threshold itself; `npm run bench -- coverage` has many. And that it does exit where there is more.
// Wide: cli/results/compare.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exits, type Shape, type SimulatedDesign } from "./simulated_compare.ts";

const studies = 120;
/** Of a true 5 % more than this come in one of 500 such runs; the seeds are fixed. */
const most = 14 / studies;

const share = (shape: Shape, design: SimulatedDesign, change_percent: number, runs: number, pages: number): number =>
  exits({ shape, design, change_percent, threshold_percent: 5, runs, pages, studies });

const worst: readonly Shape[] = ["alike, normal", "1:8 spread", "after: 45 % of loads 10 % slower"];

for (const shape of worst) {
  test(`${shape}: at the threshold, interleaved, a page by itself and twelve together`, () => {
    for (const [runs, pages] of [
      [5, 12],
      [10, 1],
      [10, 12],
    ] as const) {
      const found = share(shape, "interleaved", 5, runs, pages);
      assert.ok(found <= most, `${found} of ${runs} runs on ${pages} pages`);
    }
  });

  test(`${shape}: at the threshold, three sweeps of each side`, () => {
    const found = share(shape, "occasions", 5, 5, 6);
    assert.ok(found <= most, `${found}`);
  });
}

for (const timedOut of [0.2, 0.4])
  test(`${timedOut * 100} % of both sides' loads time out: no page of 36 is called broken, with few runs either`, () => {
    const terms = { shape: "alike, normal", design: "interleaved", change_percent: 0, threshold_percent: 5 } as const;
    for (const [runs, failed] of [
      [3, 0],
      [5, 0],
      [5, 0.1],
    ] as const) {
      const found = exits({ ...terms, runs, pages: 36, studies, lost: { timedOut, failed } });
      assert.ok(found <= most, `${found} of ${runs} runs, ${failed * 100} % of which fail`);
    }
  });

test("one sweep each never exits with 1, however large the change", () => {
  assert.equal(share("alike, normal", "one each", 30, 10, 2), 0);
});

test("a change well beyond the threshold is shown", () => {
  assert.ok(share("alike, normal", "interleaved", 12, 5, 12) > 0.9);
  assert.ok(share("after: 30 % of loads 10 % slower", "interleaved", 12, 10, 12) > 0.9);
  assert.ok(share("alike, normal", "occasions", 25, 5, 6) > 0.8);
});
