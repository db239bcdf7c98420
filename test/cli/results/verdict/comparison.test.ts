import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "../../../../cli/base/quantile.ts";
import { randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { pairedCells } from "../../../../cli/results/verdict/paired_cells.ts";
import { manyPages } from "../../../../cli/results/verdict/pooled_cells.ts";
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

const three = (plt_ms: number): number[] => [plt_ms * 0.999, plt_ms, plt_ms * 1.001];

test("six pages: the same figure as of five, and the interval is for pages like these", () => {
  const of = (pages: number) => {
    const samples = Array.from({ length: pages }, (_, page) =>
      lanes(three(1000 * (page + 1)), three((page === 0 ? 430 : 860) * (page + 1)), { page: `page ${page}` }),
    ).flat();
    return compare(samples, pair, 1);
  };
  const [few, many] = [of(manyPages - 1), of(manyPages)];
  near(few.percent, (1 - 0.86 * 0.5 ** (1 / 5)) * 100);
  near(many.percent, (1 - 0.86 * 0.5 ** (1 / 6)) * 100);
  assert.deepEqual([few.units, many.units], ["blocks", "pages"]);
  // One page of six that gains three times as much as the others: far from sure for other pages, but certain for these.
  assert.ok(few.interval && few.interval.low > 20);
  assert.ok(many.interval && many.interval.low < 14);
});

test("one load each of many links, or pages: no interval, since nothing tells how far a single load lies from its median", () => {
  for (const place of ["link", "page"] as const) {
    const samples = Array.from({ length: 8 }, (_, index) => lanes([1000], [850 + index], { [place]: `${index}mbit` }));
    const result = compare(samples.flat(), pair, 1);
    assert.equal(result.interval, null);
    assert.match(result.reason ?? "", /3 valid loads of each lane on each of the 8 pages on links/);
    assert.equal(direction(result), "unknown");
  }
});

test("a quarter of the places may have lost a load", () => {
  const samples = Array.from({ length: 8 }, (_, link) => lanes(three(1000), three(860), { link: `${link}mbit` }));
  const lost = (places: number) => samples.flatMap((all, index) => (index < places ? all.slice(1) : all));
  assert.ok(compare(lost(2), pair, 1).interval);
  assert.equal(compare(lost(3), pair, 1).interval, null);
});

test("the order of loads and the name of the lane pair change nothing they should not", () => {
  const samples = lanes([1000, 1010, 990, 1005, 980], [900, 950, 920, 960, 910]);
  assert.deepEqual(compare(samples.toReversed(), pair, 5), compare(samples, pair, 5));
  assert.notDeepEqual(compare(samples, pair, 6).interval, null);
});

test("direction follows the interval, not the percentage", () => {
  const base = compare(lanes([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]), pair, 1);
  const sure = { ...base, probability: 0.01 };
  assert.equal(direction({ ...sure, percent: 5, interval: { low: 1, high: 9 } }), "faster");
  assert.equal(direction({ ...sure, percent: 5, interval: { low: 1, high: 9 }, probability: 0.06 }), "unclear");
  assert.equal(direction({ ...base, percent: 5, interval: { low: -1, high: 9 } }), "unclear");
  assert.equal(direction({ ...sure, percent: -5, interval: { low: -9, high: -1 } }), "slower");
  assert.equal(direction({ ...base, percent: 0, interval: { low: 0, high: 0 } }), "unclear");
});

test("a link that only some pages have still has its say, and the whole an interval", () => {
  const loads = [...Array(30).keys()].flatMap((page) =>
    ["a", "b", "sparse"]
      .filter((link) => link !== "sparse" || page < 2)
      .flatMap((link) =>
        [0, 1, 2].flatMap((block) =>
          ["h2", "h3"].map((lane) => ({
            page: `page ${page}`,
            link,
            lane,
            block,
            status: "valid" as const,
            reasons: [],
            plt_ms: (lane === "h3" ? 800 : 1000) * (1 + page / 10),
          })),
        ),
      ),
  );
  const result = compare(loads, { lane: "h3", over: "h2" }, 1);
  assert.equal(result.units, "pages");
  assert.ok(result.interval && Math.abs(result.interval.low - 20) < 1e-9, JSON.stringify(result));
  assert.deepEqual(result.pagesWon, { faster: 30, slower: 0 });
});

test("two pages whose lanes rise and fall together: what the interval shows is called faster, too", () => {
  const slow = Array.from({ length: 9 }, (_, block) => 1 + 0.01 * (block - 4));
  const ofPage = (page: string): Sample[] =>
    lanes(
      slow.map((factor) => 1000 * factor),
      slow.map((factor) => 800 * factor),
      { page },
    );
  const result = compare([...ofPage("shop"), ...ofPage("news")], pair, 1);
  assert.ok(result.interval && result.interval.low > 10);
  assert.ok(result.probability !== null && result.probability < 0.01, `${result.probability}`);
  assert.equal(direction(result), "faster");
});

test("over several cells an interval leaves out 0 just where the probability is 5 % or less, at few degrees of freedom too", () => {
  const random = randomSource(4, "interval and probability");
  let [outside, near] = [0, 0];
  for (let study = 0; study < 400; study++) {
    const samples = ["a", "b", "c"].flatMap((page) => {
      const of = (gain: number) => Array.from({ length: 3 }, () => 1000 * gain * Math.exp(0.06 * normalDraw(random)));
      return lanes(of(1), of(0.9), { page });
    });
    const { interval, probability } = compare(samples, pair, study);
    assert.ok(interval && probability !== null);
    const isOutside = interval.low > 0 || interval.high < 0;
    if (isOutside) outside++;
    if (probability > 0.03 && probability < 0.08) near++;
    assert.equal(isOutside, probability <= 0.05, `${interval.low} to ${interval.high}, p ${probability}`);
  }
  assert.ok(outside > 40 && outside < 360 && near > 20, `${outside} outside, ${near} near`);
});

test("one load fewer in one cell mostly changes the interval little", () => {
  const random = randomSource(6, "one load fewer");
  const width = (samples: readonly Sample[], study: number): number => {
    const { interval, units } = compare(samples, pair, study);
    assert.equal(units, "blocks");
    return (interval?.high ?? Number.NaN) - (interval?.low ?? Number.NaN);
  };
  const ratios = Array.from({ length: 101 }, (_, study) => {
    const samples = ["a", "b", "c", "d", "e", "f"].flatMap((link) => {
      const of = (gain: number) => Array.from({ length: 3 }, () => 1000 * gain * Math.exp(0.02 * normalDraw(random)));
      return lanes(of(1), of(0.9), { link });
    });
    return width(samples.slice(1), study) / width(samples, study);
  });
  const ratio = median(ratios);
  assert.ok(ratio > 0.9 && ratio < 1.2, `${ratio} times as wide`);
});
