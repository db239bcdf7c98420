// The distribution over pages: each median at its place, the optimum from physics, and no figure where there are too few pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { optimalPltOfLevels_ms } from "../../../../cli/load/metrics/optimal_load.ts";
import { cdfsOf } from "../../../../cli/report/cdfs_of.ts";
import type { ReportData } from "../../../../cli/report/data.ts";
import { cdfFigure } from "../../../../cli/report/figures/cdf.ts";
import { buildReport } from "../../../../cli/report/report.ts";
import { comparedMetric } from "../../../../cli/results/verdict/compared_metric.ts";
import { reportData, withPlainSpaces } from "../written_report.ts";

const pages = ["a", "b", "c", "d", "e", "f"];

test("the optimum is three round trips and the bytes at the link's rate", () => {
  // 1.25 MB at 10 Mbit/s take a second.
  assert.equal(optimalPltOfLevels_ms([1_250_000], { rate_bps: 10e6, rtt_ms: 50, loss: 0 }), 1150);
  assert.equal(optimalPltOfLevels_ms([1_250_000], { rate_bps: null, rtt_ms: 50, loss: 0 }), null);
});

const sixPages = (): ReportData =>
  reportData({ name: "cdf", pages, links: ["3mbit/50ms", "10mbit/50ms"], repetitions: 3 });

test("a curve per lane over the pages' medians, and none on a link with too few pages", () => {
  const data = sixPages();
  const [slow, fast] = cdfsOf(data).shown;
  assert.deepEqual(
    slow?.curves.map(({ lane, medians_ms }) => `${lane} ${medians_ms.length}`),
    ["h1 6", "h2 6", "h3 6"],
  );
  assert.equal(fast?.link, "10mbit/50ms");
  const busy = { disturbance_ms: 300, tolerated_ms: 5, disturbance_estimate_ms: 40 };
  const [slower] = cdfsOf({ ...data, loads: data.loads.map((load) => ({ ...load, ...busy })) }).shown;
  const offs = slow?.curves[0]?.medians_ms.map((of, index) => of - (slower?.curves[0]?.medians_ms[index] ?? 0));
  assert.deepEqual(new Set(offs), new Set([20]), "half of what a busy machine may have added");
  const few = { ...data, loads: data.loads.filter((load) => load.page !== "f") };
  assert.deepEqual(cdfsOf(few), { shown: [], links: 0 });
  assert.equal(
    buildReport({ ...data, otherMetrics: [] }).match(/<svg class="plot" role="img" aria-label="Share/g)?.length,
    2,
  );
  assert.doesNotMatch(buildReport(few), /id="cdfs"/);
});

test("the optimum of a page is the least that one of its loads could have taken, whatever else it transferred", () => {
  const data = sixPages();
  const told = (optimal_ms: number | null) => ({
    ...data,
    loads: data.loads.map((load) => ({ ...load, bytes: 9e6, optimal_ms: optimal_ms && optimal_ms + load.block })),
  });
  assert.deepEqual(
    cdfsOf(told(400)).shown.map(({ optimal_ms }) => optimal_ms),
    [Array(6).fill(400), Array(6).fill(400)],
  );
  assert.deepEqual(cdfsOf(told(null)).shown[0]?.optimal_ms, []);
  const repeat = { ...data, sweep: { ...data.sweep, plan: { ...data.sweep.plan, lanes: ["h3", "h3-0rtt"] } } };
  assert.deepEqual(cdfsOf(repeat as ReportData).shown[0]?.optimal_ms, []);
});

test("the figure's steps stand where the medians are; what lies beyond the axis is counted", () => {
  const medians_ms = [100, 200, 300, 400];
  const text = cdfFigure({
    link: "3mbit/50ms",
    metric: comparedMetric(),
    curves: [{ lane: "h2", medians_ms }],
    optimal_ms: [50, 60, 70, 80],
    missing: [{ lane: "h3", pages: 2 }],
  }).text;
  const path = text.match(/<g class="lane-h2"><path class="cdf" d="([^"]+)"/)?.[1] ?? "";
  const steps = [...path.matchAll(/H([\d.]+)V([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const widths = steps.slice(1).map(([x], index) => (x as number) - (steps[index]?.[0] as number));
  assert.equal(steps.length, 4);
  assert.ok(
    widths.every((step) => Math.abs(step - (widths[0] as number)) < 0.2),
    `${widths}`,
  );
  assert.match(text, /class="cdf optimal"/);
  assert.match(text, />h2 250 ms<.*in the legend the median over them\. Without a valid load: 2 pages of h3\./s);
  const tail = [...Array.from({ length: 59 }, () => 100), 90_000];
  assert.match(
    cdfFigure({
      link: "x",
      metric: comparedMetric(),
      curves: [{ lane: "h2", medians_ms: tail }],
      optimal_ms: [],
      missing: [],
    }).text,
    / 1 median lies beyond/,
  );
});

test("a page whose loads timed out is at the time-out, not where its other loads are, and not missing", () => {
  const data = sixPages();
  const reasons = ["the load event did not come within 60000 ms"];
  const isSlow = ({ page, lane }: ReportData["loads"][number]): boolean => page === "a" && lane === "h1";
  const loads = data.loads.map((load) =>
    isSlow(load) && load.block > 0 ? { ...load, status: "failed" as const, reasons, plt_ms: null } : load,
  );
  const slow = { ...data, loads };
  for (const { curves, missing } of cdfsOf(slow).shown) {
    assert.equal(Math.max(...(curves.find(({ lane }) => lane === "h1")?.medians_ms ?? [])), 60_000);
    assert.deepEqual(missing, []);
  }
  assert.match(
    withPlainSpaces(buildReport(slow)),
    />over 60 s<small>n 1, 2 timed out<|>over 60\S* s<small>n 1, 2 timed out/,
  );
});
