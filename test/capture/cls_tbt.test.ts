// Layout shift and blocking time: the windows, what counts, and what is missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cumulativeLayoutShift,
  profileMetricsOf,
  readClsTbt,
  totalBlockingTime,
} from "../../extension/capture/cls_tbt.ts";
import type { PageTimings } from "../../extension/capture/metrics.ts";

const shift = (start: number, value: number) => ({ start, value });

test("the largest window counts: closed by 1 s of rest, or after 5 s", () => {
  assert.equal(cumulativeLayoutShift([]), 0);
  assert.equal(cumulativeLayoutShift([shift(0, 0.1), shift(900, 0.2), shift(2000, 0.25)]), 0.1 + 0.2);
  const steady = Array.from({ length: 8 }, (_, i) => shift(i * 900, 1));
  // 0 to 4500 are within 5 s of the first, 5400 begins anew.
  assert.equal(cumulativeLayoutShift(steady), 6);
  assert.equal(cumulativeLayoutShift(steady.toReversed()), 6);
});

test("of long tasks what is beyond 50 ms, from the first paint on, as Lighthouse cuts them", () => {
  assert.equal(totalBlockingTime([{ start: 100, duration: 130 }], 0), 80);
  assert.equal(totalBlockingTime([{ start: 100, duration: 130 }], 160), 20);
  // The rest of it is not long.
  assert.equal(totalBlockingTime([{ start: 100, duration: 130 }], 200), 0);
  assert.equal(totalBlockingTime([{ start: 100, duration: 130 }], 400), 0);
  assert.equal(
    totalBlockingTime(
      [
        { start: 0, duration: 60 },
        { start: 100, duration: 70 },
      ],
      0,
    ),
    30,
  );
});

const timings: PageTimings = {
  navigations: 1,
  requestStart: 1,
  responseStart: 20,
  domContentLoadedEventEnd: 50,
  loadEventEnd: 90,
  activationStart: 0,
  firstHidden: null,
  firstContentfulPaint: 60,
  largestContentfulPaint: 70,
  largestIs: "painted",
};

test("what is missing says why, and what is there does not", () => {
  const all = profileMetricsOf(timings, { shifts: [shift(10, 0.1)], longTasks: [{ start: 50, duration: 100 }] });
  assert.deepEqual([all.plt_ms, all.cls, all.tbt_ms, all.unavailable], [90, 0.1, 40, {}]);
  const none = profileMetricsOf(null, null);
  assert.deepEqual(Object.keys(none.unavailable).length, 7);
  assert.equal(none.tbt_ms, null);
  const unwatched = profileMetricsOf(timings, { shifts: [], longTasks: null });
  assert.equal(unwatched.cls, 0);
  assert.match(unwatched.unavailable.tbt_ms ?? "", /not watched/);
  const unpainted = profileMetricsOf({ ...timings, firstContentfulPaint: null }, { shifts: [], longTasks: [] });
  assert.match(unpainted.unavailable.tbt_ms ?? "", /nothing was painted/);
});

test("a page may answer anything", () => {
  for (const answer of [null, 3, "x", [], {}, { shifts: 3, longTasks: {} }, { shifts: [null, { start: "x" }] }])
    assert.doesNotThrow(() => profileMetricsOf(timings, readClsTbt(answer)));
  const read = readClsTbt({ shifts: [{ start: 1, value: 2 }, 3], longTasks: [{ start: 1, duration: 60 }] });
  assert.deepEqual(read, { shifts: [{ start: 1, value: 2 }], longTasks: [{ start: 1, duration: 60 }] });
});

test("what a browser does not tell is missing with its reason, and not 0", () => {
  const { cls, tbt_ms, unavailable } = profileMetricsOf(
    timings,
    readClsTbt({ shifts: null, longTasks: null, tellsLongTasks: false }),
  );
  assert.deepEqual([cls, tbt_ms], [null, null]);
  assert.deepEqual(
    [unavailable.cls, unavailable.tbt_ms],
    ["this browser does not report layout shifts", "this browser does not report long tasks"],
  );
});
