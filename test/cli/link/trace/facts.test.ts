// What is said of a trace, against traces whose answer is known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { peak_bps, windowCounts } from "../../../../cli/link/opportunities.ts";
import { chartLines } from "../../../../cli/link/trace/chart.ts";
import { factsOf, outagesOf } from "../../../../cli/link/trace/facts.ts";

const options = { window_ms: 1000, outage_ms: 1000 };

/** One packet every so often, up to the end. */
function constant(every_ms: number, length_ms: number): number[] {
  return Array.from({ length: Math.floor(length_ms / every_ms) }, (_, index) => (index + 1) * every_ms);
}

test("a constant rate has one rate and no outage", () => {
  const facts = factsOf(Uint32Array.from(constant(2, 60_000)), options);
  assert.equal(facts.mean_bps, 6e6);
  const { min_bps, p5_bps, median_bps, p95_bps, max_bps, variation, windows } = facts.rate;
  assert.deepEqual([min_bps, p5_bps, median_bps, p95_bps, max_bps], [6e6, 6e6, 6e6, 6e6, 6e6]);
  assert.deepEqual([variation, windows, facts.longest_gap_ms], [0, 60, 2]);
  assert.deepEqual(facts.outages, { at_least_ms: 1000, count: 0, total_ms: 0, longest: null, first: [] });
});

test("half the time slow, half the time fast: the quantiles show it", () => {
  const slow = constant(12, 30_000);
  const fast = constant(3, 30_000).map((time_ms) => time_ms + 30_000);
  const { rate, mean_bps } = factsOf(Uint32Array.from([...slow, ...fast]), options);
  assert.equal(mean_bps, 2.5e6);
  assert.ok(Math.abs(rate.p25_bps - 1e6) < 15e3 && Math.abs(rate.p75_bps - 4e6) < 15e3);
  assert.ok(Math.abs(rate.variation - 0.6) < 0.01, String(rate.variation));
});

test("outages are found where they are, also the one at the beginning", () => {
  const times = Uint32Array.from([1500, 1600, 3000, 3100, 5600, 6599]);
  const { outages } = factsOf(times, options);
  assert.deepEqual(outages.first, [
    { start_ms: 0, length_ms: 1500 },
    { start_ms: 1600, length_ms: 1400 },
    { start_ms: 3100, length_ms: 2500 },
  ]);
  assert.deepEqual([outages.count, outages.total_ms, outages.longest], [3, 5400, { start_ms: 3100, length_ms: 2500 }]);
});

test("windows: those that are whole, and the time at an end belongs to the window that ends there", () => {
  assert.deepEqual([...windowCounts(Uint32Array.from([0, 1, 10, 11, 20, 25]), 10)], [3, 2]);
  assert.deepEqual([...windowCounts(Uint32Array.from([1, 5]), 10)], [2]);
  assert.equal(factsOf(Uint32Array.from([1, 5]), options).rate.window_ms, 5);
  assert.equal(peak_bps(Uint32Array.from([0, 1, 10, 11, 20, 25]), 10), 3 * 1.2e6);
  assert.equal(peak_bps(Uint32Array.from([1, 5]), 10), 2 * 2.4e6);
});

test("the chart is no wider than asked, and as high as the rate", () => {
  const times = Uint32Array.from([...constant(1, 10_000), ...constant(4, 10_000).map((time_ms) => time_ms + 14_000)]);
  const draw = (colour: boolean) =>
    chartLines(times, outagesOf(times, 1000), { columns: 60, rows: 8, colour, window_ms: 1000 });
  const lines = draw(false);
  for (const line of lines) assert.ok(line.length <= 60, `${line.length}: ${line}`);
  assert.match(lines[0] ?? "", /^ {3}12 ┤█/); // 12 Mbit/s at the beginning
  assert.match(lines[7] ?? "", /█ {8,}█/); // nothing in the outage, then 3 Mbit/s
  assert.match(lines.at(-3) ?? "", /^ {20,}×{8,}$/);
  assert.doesNotMatch(lines[0] ?? "", /█ +█/);
  assert.ok(!lines.join("").includes("\x1b["));
  assert.deepEqual(
    draw(true).map((line) => line.replaceAll("\x1b[34m", "").replaceAll("\x1b[33m", "").replaceAll("\x1b[0m", "")),
    lines,
  );
});
