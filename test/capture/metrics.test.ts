// Metrics from what a page answers: what counts, and why something is unavailable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsOf, noMetrics, type PageTimings, readTimings } from "../../extension/capture/metrics.ts";

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
