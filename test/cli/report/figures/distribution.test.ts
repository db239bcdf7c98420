// Dots of a busy machine stand where the medians are: without what other programs added.
import assert from "node:assert/strict";
import { test } from "node:test";
import { distributionOf } from "../../../../cli/report/figures/distribution.ts";
import { comparedMetric } from "../../../../cli/results/verdict/compared_metric.ts";
import { summarize } from "../../../../cli/results/verdict/summary.ts";
import { reportData } from "../written_report.ts";

test("a median of seven loads stands at a dot, on a busy machine, too, and the caption says what was taken off", () => {
  const data = reportData({ name: "one", pages: ["shop"], links: ["10mbit/50ms"], repetitions: 7 });
  const busy = { disturbance_ms: 300, tolerated_ms: 5, disturbance_estimate_ms: 40 };
  for (const [loads, isCalmed] of [
    [data.loads, false],
    [data.loads.map((load) => ({ ...load, ...busy })), true],
  ] as const) {
    const text = String(distributionOf("shop", summarize(loads), { loads, metric: comparedMetric() }));
    assert.equal(text.includes("Without the time that other programs took"), isCalmed);
    const dots = new Set([...text.matchAll(/<circle[^>]* cx="([\d.]+)"/g)].map(([, x]) => Number(x)));
    const medians = [...text.matchAll(/<line class="median" x1="([\d.]+)"/g)].map(([, x]) => Number(x));
    assert.equal(medians.length, 3, text.slice(0, 3000));
    for (const x of medians)
      assert.ok(
        [...dots].some((dot) => Math.abs(dot - x) < 0.2),
        `${x}: ${[...dots]}`,
      );
  }
});
