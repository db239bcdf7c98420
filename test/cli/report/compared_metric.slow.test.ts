// A report by another metric than the page load time: verdict, maps, medians and figures are of that one, and say so; the table
// of all metrics and the CSV stay what was measured.
// Wide: cli/report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { figureFiles } from "../../../cli/report/figure_files.ts";
import { methodsParagraph } from "../../../cli/report/methods_paragraph.ts";
import { buildReport } from "../../../cli/report/report.ts";
import { reportPath } from "../../../cli/report/report_files.ts";
import { csvLines } from "../../../cli/results/export/csv.ts";
import { lossGridFixture, smallGridFixture } from "./fixtures.ts";
import { reportData } from "./written_report.ts";

test("verdict, maps and distributions name the metric, and show its times", () => {
  const data = reportData(smallGridFixture, [], "ttfb");
  assert.ok(data.stored.some(({ plt_ms, ttfb_ms }) => plt_ms !== ttfb_ms));
  assert.deepEqual(
    data.loads.map(({ plt_ms }) => plt_ms),
    data.stored.map(({ ttfb_ms }) => ttfb_ms),
  );
  const report = buildReport(data);
  assert.match(report, /<p class="answer">By TTFB, /);
  assert.match(report, /compared by time to first byte/);
  assert.match(report, /Improvement of the median time to first byte in %/);
  assert.match(report, /Time to first byte of every load/);
  assert.match(report, /<li>Lanes are compared by time to first byte/);
  assert.match(methodsParagraph(data), /Lanes are compared by time to first byte \(TTFB\)\./);
  const csv = Buffer.from([...csvLines(data.sweep.plan, data.cells, data.stored, data.filmedLoads)].join(""));
  const saved = [csv, gzipSync(csv, { level: 9 })].map((bytes) => bytes.toString("base64"));
  assert.ok(saved.some((text) => report.includes(text)));
});

test("one report has them all to choose from: a part of each, figures under names of their own, the asked one first", () => {
  const data = reportData(lossGridFixture, [], "ttfb");
  const others = data.otherMetrics.map(({ metric }) => metric);
  assert.ok(others.includes("plt") && !others.includes("ttfb"), others.join());
  const report = buildReport(data);
  const buttons = [...report.matchAll(/<input type="radio" name="metric" id="by-(\w+)"( checked)?>/g)];
  assert.deepEqual(
    buttons.map(([, metric, checked]) => [metric, checked !== undefined]),
    ["ttfb", ...others].map((metric, index) => [metric, index === 0]),
  );
  for (const [, metric = ""] of buttons) {
    const parts = report.match(new RegExp(`<div data-metric="${metric}">`, "g"))?.length ?? 0;
    assert.ok(parts >= 3, `${metric}: ${parts}`);
    assert.ok(report.includes(`body:has(#by-${metric}:not(:checked)) [data-metric="${metric}"]{display:none}`));
  }
  assert.match(report, /<div data-metric="plt">.*?<p class="answer">(?!By )/s);
  const ids = [...report.matchAll(/ id="([^"]+)"/g)].map(([, each]) => each);
  assert.equal(new Set(ids).size, ids.length);
  const files = figureFiles(report).map(({ name }) => name);
  assert.ok(files.includes("medians.csv") && files.includes("plt-medians.csv"), files.join());
  assert.doesNotMatch(buildReport({ ...data, otherMetrics: [] }), /name="metric"|<div data-metric="/);
});

test("reports by several metrics stand side by side", () => {
  const sweep = { id: 3, name: "grid" };
  assert.notEqual(reportPath("/home", sweep, "lcp"), reportPath("/home", sweep));
});
