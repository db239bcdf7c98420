// extension/figures/distribution.ts: what lies beyond the axis, as the interval of a lane whose loads timed out, ends there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { distributionFigure, type PlottedLane } from "../../../extension/figures/distribution.ts";

const lane = (name: string, more: Partial<PlottedLane>): PlottedLane => ({
  ...{ lane: name, median: 1000, isAtLeast: false, interval: { low: 950, high: 1050 }, variation: 0.02 },
  ...{ valid: 3, timed_out: 0 },
  loads: [980, 1000, 1020].map((value) => ({ value, valid: true, story: "" })),
  ...more,
});

test("an interval and a median far beyond all dots stay left of the words beside them", () => {
  const { text } = distributionFigure(
    [lane("h1", { median: 60_000, interval: { low: 980, high: 60_000 } }), lane("h3", {})],
    { left: 0 },
  );
  const bands = [...text.matchAll(/class="interval" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)];
  assert.equal(bands.length, 2);
  const words = Math.min(...[...text.matchAll(/class="aside" x="([\d.]+)"/g)].map(([, x]) => Number(x)));
  for (const [, x, width] of bands) assert.ok(Number(x) + Number(width) < words, `${x} + ${width} < ${words}`);
  for (const [, x] of text.matchAll(/class="median" x1="([\d.]+)"/g)) assert.ok(Number(x) < words);
});

test("a median that is where the time was over is called longer, and what timed out is not called invalid", () => {
  const { text } = distributionFigure([lane("h1", { median: 60_000, isAtLeast: true, timed_out: 4 }), lane("h3", {})], {
    left: 0,
  });
  assert.match(text, />over 60\.0 s \(/);
  assert.match(text, /aria-label="[^"]*h1 median over 60\.0 s, h3 median 1000 ms"/);
  assert.match(text, />n = 3, CV 2\.0 %, 4 timed out</);
  assert.match(text, /n = 6 valid loads; 4 loads timed out \(no dot; slower than all\)\. Line/);
  assert.doesNotMatch(text, /invalid/);
});

test("dots that are a selection are said to be one, and the count is of all loads", () => {
  const lanes = [lane("h1", { valid: 300 }), lane("h3", { valid: 301 })];
  const captionOf = (timed: number): string | undefined =>
    /<figcaption>(.*?)\. Line/.exec(distributionFigure(lanes, { left: 2, timed }).text)?.[1];
  assert.equal(
    captionOf(602),
    "Page load time of 6 loads, chosen evenly from 602: n = 601 valid loads; 2 loads invalid (crosses)",
  );
  assert.equal(captionOf(6), "Page load time of every load: n = 6 valid loads; 2 loads invalid (crosses)");
});

test("dots with a note each become paths, one for each lane's dots and one for its crosses, beyond 600", () => {
  const loads = (each: number, offValid: number) =>
    Array.from({ length: each }, (_, index) => ({
      value: 900 + index,
      valid: index >= offValid,
      story: `load ${index}`,
    }));
  const { text: noted } = distributionFigure(
    [lane("h1", { loads: loads(300, 1) }), lane("h3", { loads: loads(300, 0) })],
    { left: 1 },
  );
  assert.equal(noted.match(/<circle class="dot"[^>]*><title>load /g)?.length, 599);
  assert.equal(noted.match(/<path class="cross" d="M[^"]*"><title>load 0</g)?.length, 1);
  const { text } = distributionFigure([lane("h1", { loads: loads(301, 2) }), lane("h3", { loads: loads(300, 0) })], {
    ...{ left: 2, isCalmed: true },
  });
  const marksIn = (name: string): number[] =>
    [...text.matchAll(new RegExp(`<path class="${name}" d="([^"]*)"/>`, "g"))].map(
      ([, d = ""]) => d.split("M").length - 1,
    );
  assert.deepEqual([marksIn("dot"), marksIn("cross")], [[299, 300], [2]]);
  assert.doesNotMatch(text, /<circle|<title>|each dot’s note/);
});

test("the gain stands between the medians of the two lanes that it compares, and is grey if it is not shown", () => {
  const gain = { lane: "h3", over: "h1", text: "−59 ms (9 %)", isShown: true };
  const lanes = [lane("h1", { median: 1020 }), lane("h3", { median: 990 })];
  const { text } = distributionFigure(lanes, { left: 0, gain });
  const [, from, to] = /<g class="gain">.*?<line x1="([\d.]+)".*?<line x1="([\d.]+)"/s.exec(text) ?? [];
  const medians = [...text.matchAll(/class="median" x1="([\d.]+)"/g)].map(([, x]) => x);
  assert.deepEqual([from, to], medians);
  assert.match(text, />−59 ms \(9 %\)</);
  assert.match(distributionFigure(lanes, { left: 0, gain: { ...gain, isShown: false } }).text, /class="gain open"/);
  // A lane without a valid load has no flag, and no gain is drawn to it.
  assert.doesNotMatch(
    distributionFigure([lane("h1", {}), lane("h3", { median: null })], { left: 0, gain }).text,
    /class="gain/,
  );
});

test("values relative to a lane are per cent, on the axis, in the words and for a screen reader", () => {
  const lanes = [
    lane("h2", { median: 100, interval: null }),
    lane("h3", { median: 91, interval: { low: 90, high: 92 } }),
  ];
  const { text } = distributionFigure(lanes, { left: 0, relativeTo: "h2" });
  assert.match(text, />page load time, % of h2’s median</);
  assert.match(text, />91 % \(90 to 92 %\)</);
  assert.match(text, /aria-label="PLT of every load by lane, % of h2: h2 median 100 %, h3 median 91 %"/);
});
