// The parts of the report's figures that can be wrong without looking wrong: colours, axes, where a link stands, phases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { knownEnd } from "../../../cli/base/interval.ts";
import { randomSource } from "../../../cli/base/random.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { spreadOrder, typicalLoad } from "../../../cli/report/data.ts";
import { figureCsv } from "../../../cli/report/figures/figure_file.ts";
import { cellStory, type HeatCell, isCorrected, scaleEnd } from "../../../cli/report/figures/heat_map.ts";
import { linkGrid } from "../../../cli/report/figures/link_axes.ts";
import { improvementText, whiskerMarkup } from "../../../cli/report/figures/whisker.ts";
import type { Load } from "../../../cli/results/store/results.ts";
import {
  contrast,
  improvementColours,
  improvementStep,
  improvementSteps,
  laneColours,
  parseColour,
} from "../../../extension/figures/colours.ts";
import { phasesOf, shortUrl } from "../../../extension/figures/request.ts";
import { roundScale, roundStep, scaleFromZero } from "../../../extension/figures/scale.ts";
import { waterfallFigure } from "../../../extension/figures/waterfall.ts";
import { pageLoadOf } from "./fixture.ts";

test("contrast is WCAG's", () => {
  assert.ok(Math.abs(contrast([0, 0, 0], [255, 255, 255]) - 21) < 1e-9);
  // A published example: #767676 on white is 4.54.
  assert.ok(Math.abs(contrast(parseColour("#767676"), [255, 255, 255]) - 4.54) < 0.01);
});

test("numbers on every step of the improvement scale have a contrast of 4.5:1 or more, light and dark", () => {
  for (const theme of ["light", "dark"] as const) {
    for (let step = -improvementSteps; step <= improvementSteps; step++) {
      const { fill, text } = improvementColours(step, theme);
      assert.ok(contrast(fill, text) >= 4.5, `${theme} ${step}: ${contrast(fill, text)}`);
    }
  }
});

test("lanes have Okabe and Ito's colours", () => {
  assert.deepEqual(laneColours, { h1: "#e69f00", h2: "#0072b2", h3: "#009e73" });
});

test("steps are symmetric, end at the scale's end, and only 0 is 0", () => {
  for (const percent of [0, 0.1, 3, 17, 50, 200]) {
    assert.equal(improvementStep(percent, 50) + improvementStep(-percent, 50), 0);
  }
  assert.equal(improvementStep(0, 50), 0);
  assert.equal(improvementStep(0.1, 50), 1);
  assert.equal(improvementStep(200, 50), improvementSteps);
});

test("axes end on round numbers, hold all values, and have a length where all values agree", () => {
  for (const values of [[718, 743], [0.2, 9000], [500], [1e-3, 2e-3], [12_345, 12_345]]) {
    const scale = roundScale(values, 0, 100);
    assert.ok(
      values.every((value) => scale.at(value) >= -1e-9 && scale.at(value) <= 100 + 1e-9),
      String(values),
    );
    assert.ok(scale.ticks.length >= 2 && scale.ticks.length <= 12, `${values}: ${scale.ticks}`);
    assert.ok(scale.high > scale.low);
  }
  assert.equal(roundStep(100, 10), 10);
  assert.equal(roundStep(101, 10), 20);
  assert.deepEqual(scaleFromZero(0, 0, 100).ticks[0], 0);
});

const gridOf = (...links: string[]) => linkGrid(new Map(links.map((link) => [link, parseLink(link)])));

test("a grid of rates and RTTs: rows and columns rise, one facet for each loss", () => {
  const grid = gridOf("10mbit/100ms", "600kbit/30ms,loss=1%", "600kbit/30ms", "10mbit/30ms");
  assert.deepEqual(grid.rows, ["0.6", "10"]);
  assert.deepEqual(grid.columns, ["30", "100"]);
  assert.deepEqual(grid.facets, ["loss 0 %", "loss 1 %"]);
  assert.equal(grid.places.get("10mbit/100ms")?.column, "100");
});

test("one RTT and several losses: loss is the column", () => {
  const grid = gridOf("3mbit/50ms", "3mbit/50ms,loss=2%", "10mbit/50ms,loss=2%");
  assert.equal(grid.columnTitle, "loss");
  assert.deepEqual(grid.columns, ["0 %", "2 %"]);
  assert.deepEqual(grid.facets, [""]);
});

test("asymmetric rates, queues and seeds: no two links stand in one place", () => {
  const links = [
    "down=30mbit,up=15mbit,rtt=2ms",
    "30mbit/2ms",
    "30mbit/2ms,queue=64kB",
    "30mbit/2ms,seed=4",
    "delay_down=1ms,delay_up=5ms,rate=30mbit",
    "unlimited/2ms",
    "30mbit/2ms,jitter=1ms",
    "30mbit/2ms,aqm=codel,queue=1bdp",
    "30mbit:10mbit@1s/2ms",
    "30mbit/2ms:9ms@1s",
    "30mbit/2ms,loss=ge:1%:99%",
    "30mbit/2ms,loss=1%",
    "trace=a/lte,rtt=2ms",
    "trace=a/umts,rtt=2ms",
  ];
  const grid = gridOf(...links);
  const places = new Set(
    [...grid.places.values()].map(({ row, column, facet }) => JSON.stringify([row, column, facet])),
  );
  assert.equal(places.size, links.length);
  assert.deepEqual(grid.rows, ["30/15", "30", "∞", "lte ∞", "umts ∞"]);
});

test("links by traces stand in one map: a row for each network, a column for each round trip", () => {
  const networks = ["verizon-lte", "att-lte"];
  const grid = gridOf(
    ...networks.flatMap((network) =>
      [30, 300].map((rtt_ms) => `trace_down=${network}.down,trace_up=${network}.up,rtt=${rtt_ms}ms,queue=1000ms`),
    ),
  );
  assert.deepEqual([grid.facets, grid.columns], [[""], ["30", "300"]]);
  assert.deepEqual(grid.rows.toSorted(), ["att-lte ∞", "verizon-lte ∞"]);
});

const gained = {
  ...{ pair: { lane: "h3", over: "h2" }, percent: 14, interval: null, units: "blocks" as const },
  ...{ n: { lane: 5, over: 6 }, pages: 1, pagesWon: { faster: 1, slower: 0 }, bounds: { lane: 0, over: 0 }, links: 1 },
  ...{ reason: null, probability: 0.001, comparisons: 1, unlike: 0, bothOut: 0, single: 0, gap: null },
};
const shown = { link: "3mbit/50ms", test: null, empty: null, target: "g1" };

test("a heat map's scale is round and one wild cell does not pale the others", () => {
  const pair = { lane: "h3", over: "h1" };
  const cells = Array.from({ length: 40 }, (_, index): [string, HeatCell] => {
    const percent = index === 0 ? -8028 : index / 2;
    return [`${index}`, { ...shown, link: `${index}`, improvement: { ...gained, pair, percent }, medians: null }];
  });
  assert.equal(scaleEnd([{ pair, cells: new Map(cells) }]), 20);
  assert.equal(scaleEnd([]), 10);
});

test("an end of an interval that nothing is known of is in words, at the axis' end, and empty in a CSV", () => {
  const open = {
    ...{ ...gained, percent: 11, interval: { low: Number.NEGATIVE_INFINITY, high: 13 }, probability: 1 },
    ...{ units: "pages" as const, n: { lane: 300, over: 300 }, pages: 100, pagesWon: { faster: 99, slower: 1 } },
    bounds: { lane: 1, over: 0 },
  };
  assert.equal(improvementText(open), "≤ 11 % (13 or less)");
  const over = { bounds: { lane: 0, over: 1 }, interval: { low: -2, high: Number.POSITIVE_INFINITY } };
  assert.equal(improvementText({ ...open, ...over }), "≥ 11 % (−2 or more)");
  const drawn = whiskerMarkup(open, 20).text;
  assert.match(drawn, /class="whisker" x1="6" /);
  assert.match(drawn, /class="dw unclear"/);
  const csv = figureCsv({ name: ["x"], columns: ["low", "high"], rows: [[open.interval.low, open.interval.high]] });
  assert.equal(csv, "low,high\r\n,13\r\n");
  assert.deepEqual([knownEnd(open.interval.low), knownEnd(13), knownEnd(undefined)], [null, 13, null]);
});

test("a cell tells n, medians and interval, or why it is empty", () => {
  const grid = gridOf("3mbit/50ms", "3mbit/100ms");
  const improvement = { ...gained, interval: { low: 11, high: 17 } };
  const cell = { ...shown, improvement, medians: { lane: 860, over: 1000, isAtLeast: null } };
  assert.equal(
    cellStory(cell, grid),
    "h3 over h2, 3 Mbit/s, 50 ms RTT: 14 % (95 %: 11 to 17); medians h3 860 ms, h2 1000 ms; loads h3 5, h2 6",
  );
  const tested = {
    ...cell,
    test: { direction: "faster" as const, probability: 0.0312, n: 6, holm: 0.187, benjaminiHochberg: 0.0624 },
  };
  assert.match(cellStory(tested, grid), /14 % \(95 %: 11 to 17\); p 0\.031, corrected 0\.19; medians/);
  assert.ok(!isCorrected(tested));
  const certain = {
    ...cell,
    test: { direction: "faster" as const, probability: 0.0001, n: 14, holm: 0.0018, benjaminiHochberg: 0.0009 },
  };
  assert.match(cellStory(certain, grid), /p < 0\.001, corrected 0\.0018;/);
  assert.ok(isCorrected(certain));
  assert.ok(!isCorrected({ ...certain, improvement: { ...improvement, interval: { low: -1, high: 29 } } }));
  assert.ok(!isCorrected({ ...certain, test: { ...certain.test, direction: "slower" } }), "a test that says otherwise");
  const empty = { leftOut: 5, short: "h3 0/5", reason: "no valid load of h3 (5 loads left out: it crashed)" };
  const bound = {
    ...cell,
    improvement: {
      ...improvement,
      percent: 98,
      interval: { low: 91, high: Number.POSITIVE_INFINITY },
      bounds: { lane: 0, over: 1 },
    },
    medians: { lane: 860, over: 60_000, isAtLeast: "over" as const },
  };
  assert.match(cellStory(bound, grid), /: ≥ 98 % \(95 %: 91 or more\); medians h3 860 ms, h2 over 60\.0 s; loads/);
  assert.match(cellStory({ ...cell, empty }, grid), /no valid load of h3 \(5 loads left out: it crashed\)$/);
});

test("the typical load is the valid one closest to the median", () => {
  const load = (id: number, plt_ms: number | null, status: Load["status"] = "valid") =>
    ({ id, plt_ms, status, page: "p", link: "l", lane: "h1", block: id, reasons: [] }) as unknown as Load;
  assert.equal(typicalLoad([load(1, 100), load(2, 130), load(3, 900), load(4, 120, "invalid"), load(5, null)])?.id, 2);
  assert.equal(typicalLoad([load(1, 5, "failed")]), null);
});

test("any beginning of the spread order is spread, and all of it is everything once", () => {
  assert.deepEqual(spreadOrder(0), []);
  assert.deepEqual(spreadOrder(1), [0]);
  assert.deepEqual(spreadOrder(5), [0, 4, 2, 1, 3]);
  for (const n of [2, 7, 100, 333])
    assert.deepEqual(
      spreadOrder(n).toSorted((a, b) => a - b),
      [...Array(n).keys()],
    );
});

const drawn = (lane: "h1" | "h2" | "h3", urls: readonly string[]) =>
  pageLoadOf(
    { page: "p", link: "3mbit/50ms", lane, plt_ms: 1000, urls, status: "valid", reasons: [] },
    randomSource(1),
  );

test("phases follow each other from the request's start; connect is without TLS; what does not apply is not drawn", () => {
  const [entry] = drawn("h2", ["https://a.example/"]).log.entries;
  assert.ok(entry);
  entry.timings = { blocked: 5, dns: 10, connect: 40, ssl: 25, send: 0, wait: 50, receive: 7, _blocked_queueing: 1 };
  entry._trilane.startOffset_ms = 100;
  assert.deepEqual(
    phasesOf(entry).map(({ key, start_ms, duration_ms }) => [key, start_ms, duration_ms]),
    [
      ["blocked", 100, 5],
      ["dns", 105, 10],
      ["connect", 115, 15],
      ["ssl", 130, 25],
      ["wait", 155, 50],
      ["receive", 205, 7],
    ],
  );
  entry.timings = { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 1, wait: 2, receive: 3, _blocked_queueing: 0 };
  assert.deepEqual(
    phasesOf(entry).map(({ key }) => key),
    ["send", "wait", "receive"],
  );
});

test("labels take host and file, and survive what is no URL", () => {
  assert.deepEqual(shortUrl("https://a.example:8443/x/y/app.js?v=1"), { host: "a.example:8443", file: "app.js?v=1" });
  assert.deepEqual(shortUrl("https://a.example/"), { host: "a.example", file: "/" });
  assert.deepEqual(shortUrl("not a url"), { host: "", file: "not a url" });
});

test("a waterfall marks a request on another protocol than its lane", () => {
  const pageLoad = drawn("h3", ["https://a.example/", "https://a.example/x.js"]);
  const clean = waterfallFigure([{ id: 1, lane: "h3", pageLoad }], "p").text;
  assert.ok(!clean.includes("conn off"));
  const [, second] = pageLoad.log.entries;
  assert.ok(second);
  second._protocol = "h2";
  assert.ok(waterfallFigure([{ id: 1, lane: "h3", pageLoad }], "p").text.includes("conn off"));
});

test("a waterfall of 600 requests stays small", () => {
  const urls = Array.from({ length: 600 }, (_, index) => `https://a.example/images/${index}.jpg`);
  const size = waterfallFigure([{ id: 1, lane: "h2", pageLoad: drawn("h2", urls) }], "p").text.length;
  assert.ok(size < 400_000, `${size}`);
});
