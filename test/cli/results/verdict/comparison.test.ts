import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { manyPages } from "../../../../cli/results/verdict/many_pages.ts";
import { pairedCells } from "../../../../cli/results/verdict/paired_cells.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

const pair = { lane: "h3", over: "h1" };

function load(lane: string, block: number, plt_ms: number | null, more: Partial<Sample> = {}): Sample {
  return { page: "p", link: "3mbit/50ms", lane, block, status: "valid", reasons: [], plt_ms, ...more };
}

function lanes(h1: readonly number[], h3: readonly number[], more: Partial<Sample> = {}): Sample[] {
  return [
    ...h1.map((plt, block) => load("h1", block, plt, more)),
    ...h3.map((plt, block) => load("h3", block, plt, more)),
  ];
}

const near = (actual: number | null, expected: number) =>
  assert.ok(actual !== null && Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test("improvement is (a - b) / a * 100: experiment A's and B's figure", () => {
  near(compare(lanes([1000], [860]), pair, 1).percent, 14);
  near(compare(lanes([1000], [2200]), pair, 1).percent, -120);
});

test("one page on one link: of the two medians", () => {
  const result = compare(lanes([1000, 900, 1100, 5000, 10], [800, 850, 860, 870, 900]), pair, 1);
  near(result.percent, 14);
  assert.deepEqual(result.n, { lane: 5, over: 5 });
  assert.equal(result.units, "blocks");
  assert.equal(result.reason, null);
});

test("invalid, failed and PLT-less loads stay out", () => {
  const noise = [
    load("h3", 0, 1, { status: "invalid", reasons: ["x"] }),
    load("h3", 1, 1, { status: "failed", reasons: ["x"] }),
    load("h1", 5, null),
  ];
  const samples = lanes([1000, 1000, 1000, 1000, 1000], [860, 860, 860, 860, 860]);
  assert.deepEqual(compare([...noise, ...samples], pair, 1), compare(samples, pair, 1));
});

test("a block without one lane's load still gives the other's", () => {
  const [cell] = pairedCells([load("h1", 3, 10), load("h3", 3, 8), load("h1", 1, 11)], pair);
  assert.deepEqual(cell?.over, Float64Array.from([11, 10]));
  assert.deepEqual(cell?.lane, Float64Array.from([Number.NaN, 8]));
});

test("fewer than five loads: a percentage, no interval, and the reason", () => {
  const result = compare(lanes([1000, 1000, 1000, 1000], [860, 860, 860, 860]), pair, 1);
  near(result.percent, 14);
  assert.equal(result.interval, null);
  assert.match(result.reason ?? "", /5 valid loads/);
  assert.equal(direction(result), "unknown");
});

test("a lane without valid loads: no percentage, and the reason", () => {
  const result = compare(lanes([1000], []), pair, 1);
  assert.equal(result.percent, null);
  assert.match(result.reason ?? "", /valid loads of both lanes/);
});

test("few pages: geometric mean of their ratios, so that a big page does not outweigh", () => {
  const five = (value: number) => new Array<number>(5).fill(value);
  const samples = [
    ...lanes(five(100), five(50), { page: "small" }),
    ...lanes(five(100_000), five(200_000), { page: "big" }),
  ];
  near(compare(samples, pair, 1).percent, 0);
});

test("six pages: improvement of the median over pages, and pages are what is resampled", () => {
  const samples = Array.from({ length: manyPages }, (_, page) =>
    lanes([1000 * (page + 1)], [(page === 5 ? 100 : 860) * (page + 1)], { page: `page ${page}` }),
  ).flat();
  const result = compare(samples, pair, 1);
  assert.equal(result.units, "pages");
  // h1's median over pages is 3500; h3's of 860, 1720, 2580, 3440, 4300 and 600 is 2150.
  near(result.percent, ((3500 - 2150) / 3500) * 100);
  assert.ok(result.interval && result.interval.low < 14.001 && result.interval.high > 14.001);
});

test("many links with few loads each: links are resampled", () => {
  const samples = Array.from({ length: 8 }, (_, link) => lanes([1000], [850 + link], { link: `${link}mbit` })).flat();
  const result = compare(samples, pair, 1);
  assert.equal(result.units, "cells");
  assert.equal(direction(result), "faster");
});

test("the order of loads and the name of the lane pair change nothing they should not", () => {
  const samples = lanes([1000, 1010, 990, 1005, 980], [900, 950, 920, 960, 910]);
  assert.deepEqual(compare(samples.toReversed(), pair, 5), compare(samples, pair, 5));
  assert.notDeepEqual(compare(samples, pair, 6).interval, null);
});

test("direction follows the interval, not the percentage", () => {
  const base = compare(lanes([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]), pair, 1);
  assert.equal(direction({ ...base, percent: 5, interval: { low: 1, high: 9 } }), "faster");
  assert.equal(direction({ ...base, percent: 5, interval: { low: -1, high: 9 } }), "unclear");
  assert.equal(direction({ ...base, percent: -5, interval: { low: -9, high: -1 } }), "slower");
  assert.equal(direction({ ...base, percent: 0, interval: { low: 0, high: 0 } }), "unclear");
});

test("a link that only some pages have still has its say, and the whole an interval", () => {
  const loads = [...Array(30).keys()].flatMap((page) =>
    ["a", "b", "sparse"]
      .filter((link) => link !== "sparse" || page < 2)
      .flatMap((link) =>
        ["h2", "h3"].map((lane) => ({
          page: `page ${page}`,
          link,
          lane,
          block: 0,
          status: "valid" as const,
          reasons: [],
          plt_ms: (lane === "h3" ? 800 : 1000) * (1 + page / 10),
        })),
      ),
  );
  const result = compare(loads, { lane: "h3", over: "h2" }, 1);
  assert.equal(result.units, "pages");
  assert.ok(result.interval && Math.abs(result.interval.low - 20) < 1e-9, JSON.stringify(result));
  assert.deepEqual(result.pagesWon, { faster: 30, slower: 0 });
});

test("one load fewer in one cell changes the interval little", () => {
  const load = (link: string, lane: string, block: number) => ({
    page: "page",
    link,
    lane,
    block,
    status: "valid" as const,
    reasons: [],
    plt_ms: (lane === "h3" ? 900 : 1000) * (1 + 0.02 * Math.sin(block * 7 + link.length * 3 + lane.length)),
  });
  const all = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff"].flatMap((link) =>
    [0, 1, 2].flatMap((block) => ["h2", "h3"].map((lane) => load(link, lane, block))),
  );
  const [whole, less] = [all, all.slice(1)].map((loads) => compare(loads, { lane: "h3", over: "h2" }, 1));
  assert.ok(whole?.interval && less?.interval);
  assert.deepEqual([whole.units, less.units], ["blocks", "blocks"]);
  const width = ({ low, high }: { low: number; high: number }) => high - low;
  const ratio = width(less.interval) / width(whole.interval);
  assert.ok(ratio > 0.65 && ratio < 1.5, `${ratio} times as wide`);
});
