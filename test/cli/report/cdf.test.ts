// The distribution over pages: each median at its place, the optimum from physics, and no figure where there are too few pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cdfFigure } from "../../../cli/report/cdf.ts";
import { cdfsOf } from "../../../cli/report/cdfs_of.ts";
import { gatherReport } from "../../../cli/report/data.ts";
import { buildReport } from "../../../cli/report/report.ts";
import { openResults } from "../../../cli/results/results.ts";
import { optimalPlt_ms } from "../../../cli/stats/optimal.ts";
import { storeFixture, withHome } from "./fixture.ts";

const pages = ["a", "b", "c", "d", "e", "f"];

test("the optimum is three round trips and the bytes at the link's rate", () => {
  // 1.25 MB at 10 Mbit/s take a second.
  assert.equal(optimalPlt_ms(1_250_000, { rate_bps: 10e6, rtt_ms: 50, loss: 0 }), 1150);
  assert.equal(optimalPlt_ms(1_250_000, { rate_bps: null, rtt_ms: 50, loss: 0 }), null);
});

test("a curve per lane over the pages' medians, and none on a link with too few pages", async () => {
  const links = ["3mbit/50ms", "10mbit/50ms"];
  const data = await withHome((home) => {
    const sweep = storeFixture(home, { name: "cdf", pages, links, repetitions: 3 });
    const results = openResults(home);
    try {
      return gatherReport(results, sweep, "0.1.0");
    } finally {
      results.close();
    }
  });
  const traits = new Map([["3mbit/50ms", { rate_bps: 3e6, rtt_ms: 50, loss: 0 }]]);
  const [slow, fast] = cdfsOf(data, traits);
  assert.deepEqual(
    slow?.curves.map(({ lane, medians_ms }) => `${lane} ${medians_ms.length}`),
    ["h1 6", "h2 6", "h3 6"],
  );
  assert.equal(slow?.optimal_ms.length, 6);
  assert.deepEqual(fast?.optimal_ms, []);
  const few = { ...data, loads: data.loads.filter((load) => load.page !== "f") };
  assert.deepEqual(cdfsOf(few, traits), []);
  assert.equal(buildReport(data).match(/<svg class="cdfs"/g)?.length, 2);
  assert.doesNotMatch(buildReport(few), /id="cdfs"/);
});

test("the figure's steps stand where the medians are; what lies beyond the axis is counted", () => {
  const medians_ms = [100, 200, 300, 400];
  const text = cdfFigure({
    link: "3mbit/50ms",
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
  assert.match(text, /Medians over pages: h2 250 ms\. Not in it, without a valid load: 2 pages of h3\./);
  const tail = [...Array.from({ length: 59 }, () => 100), 90_000];
  assert.match(
    cdfFigure({ link: "x", curves: [{ lane: "h2", medians_ms: tail }], optimal_ms: [], missing: [] }).text,
    / 1 median lies beyond/,
  );
});
