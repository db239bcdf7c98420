// Metrics from what a page answers: what counts, the windows of layout shifts, and why something is unavailable.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cumulativeLayoutShift,
  metricsOf,
  noMetrics,
  type PageTimings,
  profileMetricsOf,
  readClsTbt,
  readTimings,
  totalBlockingTime,
} from "../../extension/capture/web_vitals.ts";

const timings: PageTimings = {
  navigations: 1,
  requestStart: 150,
  responseStart: 200,
  domContentLoadedEventEnd: 300,
  loadEventEnd: 412.5,
  activationStart: 0,
  firstHidden: null,
  firstContentfulPaint: 320,
  largestContentfulPaint: 400,
  largestIs: "painted",
};

test("a whole answer gives all metrics", () => {
  assert.deepEqual(metricsOf(timings), {
    plt_ms: 412.5,
    ttfb_ms: 200,
    dcl_ms: 300,
    fcp_ms: 320,
    lcp_ms: 400,
    unavailable: {},
  });
});

test("a time of 0 is no time, and the reason is told", () => {
  const metrics = metricsOf({ ...timings, loadEventEnd: 0, firstContentfulPaint: null, largestContentfulPaint: null });
  assert.equal(metrics.plt_ms, null);
  assert.equal(metrics.fcp_ms, null);
  assert.equal(metrics.dcl_ms, 300);
  assert.deepEqual(Object.keys(metrics.unavailable).sort(), ["fcp_ms", "lcp_ms", "plt_ms"]);
});

test("a page that was hidden first has no paint metrics; hidden later changes nothing", () => {
  const hidden = metricsOf({ ...timings, firstHidden: 0 });
  assert.equal(hidden.fcp_ms, null);
  assert.match(hidden.unavailable.lcp_ms ?? "", /hidden/);
  assert.equal(hidden.plt_ms, 412.5);
  assert.equal(metricsOf({ ...timings, firstHidden: 350 }).fcp_ms, 320);
  assert.equal(metricsOf({ ...timings, firstHidden: 350 }).lcp_ms, null);
});

test("no largest paint is told before the first one, nor one of blanks", () => {
  const told = (largestContentfulPaint: number, largestIs: PageTimings["largestIs"]) => {
    const { lcp_ms, unavailable } = metricsOf({ ...timings, largestContentfulPaint, largestIs });
    return lcp_ms ?? unavailable.lcp_ms;
  };
  assert.equal(told(320, "painted"), 320);
  assert.match(String(told(316, "painted")), /before the first/);
  assert.match(String(told(400, "blank")), /white space/);
  // Of an image whose paint is not told: when it was there, and something was painted.
  assert.deepEqual([told(250, "loaded"), told(400, "loaded")], [320, 400]);
});

test("times count from activation", () => {
  assert.equal(metricsOf({ ...timings, activationStart: 100 }).plt_ms, 312.5);
});

test("no navigation, no metrics", () => {
  assert.deepEqual(metricsOf(null), noMetrics("the page reported no navigation timing"));
  assert.equal(metricsOf({ ...timings, navigations: 0 }).plt_ms, null);
});

test("only numbers are taken from the page", () => {
  assert.equal(readTimings(null), null);
  assert.equal(readTimings("text"), null);
  const read = readTimings({
    navigations: 1,
    loadEventEnd: "412",
    responseStart: Number.NaN,
    largestContentfulPaint: 3,
  });
  assert.equal(read?.loadEventEnd, 0);
  assert.equal(read?.responseStart, 0);
  assert.equal(read?.firstContentfulPaint, null);
  assert.equal(read?.largestContentfulPaint, 3);
});

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

test("what is missing says why, and what is there does not", () => {
  const all = profileMetricsOf(timings, { shifts: [shift(10, 0.1)], longTasks: [{ start: 350, duration: 90 }] });
  assert.deepEqual([all.plt_ms, all.cls, all.tbt_ms, all.unavailable], [412.5, 0.1, 40, {}]);
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
    readClsTbt({ shifts: null, longTasks: null, reportsLongTasks: false }),
  );
  assert.deepEqual([cls, tbt_ms], [null, null]);
  assert.deepEqual(
    [unavailable.cls, unavailable.tbt_ms],
    ["this browser does not report layout shifts", "this browser does not report long tasks"],
  );
});
