// extension/figures/distribution.ts: what lies beyond the axis, as the interval of a lane whose loads timed out, ends there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { distributionFigure, type PlottedLane } from "../../../extension/figures/distribution.ts";

const lane = (name: string, more: Partial<PlottedLane>): PlottedLane => ({
  ...{ lane: name, median_ms: 1000, isAtLeast: false, interval_ms: { low: 950, high: 1050 }, variation: 0.02 },
  ...{ valid: 3, timed_out: 0 },
  loads: [980, 1000, 1020].map((plt_ms) => ({ plt_ms, valid: true, story: "" })),
  ...more,
});

test("an interval and a median far beyond all dots stay left of the words beside them", () => {
  const { text } = distributionFigure(
    [lane("h1", { median_ms: 60_000, interval_ms: { low: 980, high: 60_000 } }), lane("h3", {})],
    0,
  );
  const bands = [...text.matchAll(/class="interval" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)];
  assert.equal(bands.length, 2);
  const words = Math.min(...[...text.matchAll(/class="told" x="([\d.]+)"/g)].map(([, x]) => Number(x)));
  for (const [, x, width] of bands) assert.ok(Number(x) + Number(width) < words, `${x} + ${width} < ${words}`);
  for (const [, x] of text.matchAll(/class="median" x1="([\d.]+)"/g)) assert.ok(Number(x) < words);
});

test("a median that is where the time was over is told as longer, and what timed out is not told as left out", () => {
  const { text } = distributionFigure(
    [lane("h1", { median_ms: 60_000, isAtLeast: true, timed_out: 4 }), lane("h3", {})],
    0,
  );
  assert.match(text, />over 60\.0 s \(/);
  assert.match(text, /aria-label="[^"]*h1 median over 60\.0 s, h3 median 1000 ms"/);
  assert.match(text, />n = 3, CV 2\.0 %, 4 timed out</);
  assert.match(text, /n = 6 valid; 4 loads timed out \(no dot; slower than all others\)\. Line/);
  assert.doesNotMatch(text, /left out/);
});
