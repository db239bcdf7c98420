// What is added to the metrics of a dilated load: its computation, which its clocks counted for a K-th.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../../../cli/base/lanes.ts";
import { criticalPath } from "../../../../cli/load/metrics/critical_path.ts";
import { computedBefore, dilationSentence, withUndilatedMetrics } from "../../../../cli/load/metrics/dilation.ts";
import type { ServingChoice } from "../../../../schemas/generated/serving.ts";
import { graph, page } from "./page_graph.ts";

/** Computes in 0-5, 105-110 and 210-230: 30 of 230 ms. */
const load = graph(230, [
  { url: page, type: "document", start_ms: 5, end_ms: 105 },
  { url: `${page}app.js`, type: "script", start_ms: 110, end_ms: 210 },
]);

test("computation on the path up to a moment", () => {
  const segments = criticalPath(load)?.segments ?? [];
  const moments = [0, 3, 5, 60, 108, 210, 225, 230, 999];
  assert.deepEqual(
    moments.map((at_ms) => computedBefore(segments, at_ms)),
    [0, 3, 5, 5, 8, 10, 25, 30, 30],
  );
});

test("a load that was not dilated stays as it is", () => {
  assert.equal(withUndilatedMetrics(load, 1, 20), load);
});

test("PLT grows by the computation that is missing, and its parts are then network and all computation", () => {
  const { metrics, added_computation_ms } = withUndilatedMetrics(load, 5, null).log._trilane;
  assert.equal(added_computation_ms, 4 * 30);
  assert.equal(metrics.plt_ms, 230 + 4 * 30);
  const path = criticalPath(withUndilatedMetrics(load, 5, null));
  assert.equal(path?.network_ms, 200);
  assert.equal(path?.computation_ms, 5 * 30);
});

test("no more is taken for computation than the main thread's tasks ran: the rest of the path were timers", () => {
  const { metrics, added_computation_ms } = withUndilatedMetrics(load, 5, 3).log._trilane;
  assert.equal(added_computation_ms, 12, "four times as much as they ran");
  assert.equal(metrics.plt_ms, 242);
  assert.equal(withUndilatedMetrics(load, 5, 0).log._trilane.metrics.plt_ms, 230);
});

test("other metrics grow by what was computed before them, and none that is missing appears", () => {
  const facts = load.log._trilane;
  const metrics = { ...facts.metrics, ttfb_ms: 80, dcl_ms: 108, fcp_ms: 225, lcp_ms: null, tbt_ms: 12 };
  const dilated = { log: { ...load.log, _trilane: { ...facts, metrics } } };
  const undilated = withUndilatedMetrics(dilated, 3, 30).log;
  const { ttfb_ms, dcl_ms, fcp_ms, lcp_ms, tbt_ms, unavailable } = undilated._trilane.metrics;
  assert.deepEqual({ ttfb_ms, dcl_ms, fcp_ms, lcp_ms }, { ttfb_ms: 90, dcl_ms: 124, fcp_ms: 275, lcp_ms: null });
  assert.equal(tbt_ms, null);
  assert.match(unavailable.tbt_ms ?? "", /150 ms/);
  assert.deepEqual(undilated.pages[0]?.pageTimings, { onContentLoad: 124, onLoad: 290 });
});

test("a load without a page load time has nothing added", () => {
  const facts = load.log._trilane;
  const failed = { log: { ...load.log, _trilane: { ...facts, metrics: { ...facts.metrics, plt_ms: null } } } };
  const { metrics, added_computation_ms } = withUndilatedMetrics(failed, 5, 100).log._trilane;
  assert.equal(metrics.plt_ms, null);
  assert.equal(added_computation_ms, 0);
});

test("a sentence beside verdicts, of dilated sweeps only", () => {
  const lanes: Lane[] = ["h2", "h3"];
  assert.equal(dilationSentence({ lanes }), null);
  assert.equal(dilationSentence({ dilate: 1, lanes }), null);
  assert.match(dilationSentence({ dilate: 5, lanes }) ?? "", /dilated 5 times.* TCP ran Reno, /);
  assert.doesNotMatch(dilationSentence({ dilate: 5, lanes: ["h3"] }) ?? "", /Reno/, "no lane has TCP");
  const bbr: ServingChoice = { transport: { tcp: { congestion_control: "bbr" } } };
  assert.doesNotMatch(dilationSentence({ dilate: 5, lanes, serving: bbr }) ?? "", /Reno/, "BBR was asked for");
});
