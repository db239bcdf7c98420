// The figure of a flow run: what is drawn is what the records have, flow by flow; many flows and long runs stay readable and small.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowRecords } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import { flowRunFigure } from "../../../../../cli/instruments/flows/report/run_figure.ts";
import { binsOf, type PictureInput, pictureOf } from "../../../../../cli/instruments/flows/report/run_picture.ts";
import { csvOf } from "../../../report/markup_text.ts";
import { heightAt, lineOf, pathPoints, rowOf, tagHeights, ticksOf, valueAt } from "./drawn.ts";
import { type MadeRun, madeRecords } from "./records.ts";

const link = "5mbit/50ms,queue=30kB";
const twoFlows: MadeRun = {
  link,
  for_ms: 20_000,
  queue_ms: 24,
  flows: [
    { transport: "quic", congestion: "cubic-n2", rate_bps: 3e6, rtt_ms: 64, drops_ms: [1000, 1003, 9000] },
    { rate_bps: 1.5e6, start_ms: 5000, rtt_ms: 71, window: { low_bytes: 10_000, high_bytes: 30_000, period_ms: 2000 } },
  ],
};
const parts = [
  { words: "quic:cubic-n2", members: [0] },
  { words: "tcp:cubic@5s", members: [1] },
];

function figureOf(runs: readonly [FlowRecords, ...FlowRecords[]], more: Partial<PictureInput> = {}): string {
  const goodput_bps = runs[0].run.flows.map(() => 1e6);
  return flowRunFigure(
    pictureOf({
      title: "a mix over a link",
      parts,
      runs,
      ofRuns: runs.length,
      shown: "run 3",
      goodput_bps,
      page: null,
      ...more,
    }),
  ).text;
}

/** Where a second stands on the time axis. */
function secondsAxis(figure: string): (seconds: number) => number {
  const ticks = [...figure.matchAll(/<text class="axis mid" x="([\d.]+)" y="[\d.]+">([\d.]+)<\/text>/g)].map(
    ([, x, value]) => ({
      x: Number(x),
      value: Number(value),
    }),
  );
  const [low, high] = [ticks[0], ticks.at(-1)];
  assert.ok(low && high && high.value > low.value);
  return (seconds) => low.x + ((seconds - low.value) / (high.value - low.value)) * (high.x - low.x);
}

test("goodput, round-trip time and queueing delay are drawn where the records have them, on axes from 0", () => {
  const figure = figureOf([madeRecords(twoFlows)]);
  const x = secondsAxis(figure);
  const check = (name: string, number: number, seconds: number, expected: number, tolerance: number): void => {
    const row = rowOf(figure, name);
    const [line] = lineOf(row, number) as [ReturnType<typeof lineOf>[number]];
    const value = valueAt(row, heightAt(line, x(seconds)));
    assert.ok(
      Math.abs(value - expected) <= tolerance,
      `${name} of ${number} at ${seconds} s: ${value}, not ${expected}`,
    );
    assert.equal(ticksOf(row)[0]?.value, 0);
  };
  for (const seconds of [1, 7.3, 19]) check("goodput", 1, seconds, 3, 0.02);
  check("goodput", 2, 12, 1.5, 0.02);
  check("rtt", 1, 10, 64, 0.5);
  check("rtt", 2, 10, 71, 0.5);
  const queue = rowOf(figure, "queue");
  const [area] = pathPoints(/<path class="queued" d="([^"]+)"/.exec(queue)?.[1] ?? "");
  assert.ok(Math.abs(valueAt(queue, Math.min(...(area ?? []).map(({ y }) => y))) - 24) < 0.3);
});

test("a window's saw keeps its teeth: low, high and period", () => {
  const figure = figureOf([madeRecords(twoFlows)]);
  const row = rowOf(figure, "window");
  const [line] = lineOf(row, 2) as [ReturnType<typeof lineOf>[number]];
  const heights = line.map(({ y }) => valueAt(row, y));
  assert.ok(Math.abs(Math.max(...heights) - 30) < 0.4 && Math.abs(Math.min(...heights) - 10) < 0.4, `${heights}`);
  // 15 s of 2 s each, from 5 s on: a fall at 7, 9, ... 19 s.
  const x = secondsAxis(figure);
  const falls = line.filter(
    ({ y }, index) =>
      index > 0 && valueAt(row, y) < 11 && valueAt(row, (line[index - 1] as (typeof line)[number]).y) > 29,
  );
  assert.equal(falls.length, 7);
  for (const [index, fall] of falls.entries()) assert.ok(Math.abs(fall.x - x(7 + 2 * index)) < 1.5, `${fall.x}`);
});

test("a flow is drawn from its start on; each has its number at its line, and no number stands on another", () => {
  const figure = figureOf([madeRecords(twoFlows)]);
  const x = secondsAxis(figure);
  const start = lineOf(rowOf(figure, "goodput"), 2)[0]?.[0]?.x ?? 0;
  assert.ok(Math.abs(start - x(5)) < 6, `from ${start}, not ${x(5)}`);
  const alike = madeRecords({ link, for_ms: 5000, flows: Array.from({ length: 8 }, () => ({ rate_bps: 6e5 })) });
  const eight = figureOf([alike], { parts: [{ words: "8*tcp:cubic", members: [0, 1, 2, 3, 4, 5, 6, 7] }] });
  for (const name of ["goodput", "window", "rtt"]) {
    const heights = [...tagHeights(rowOf(eight, name)).values()].sort((a, b) => a - b);
    assert.equal(heights.length, 8, name);
    for (const [index, y] of heights.slice(1).entries())
      assert.ok(y - (heights[index] as number) >= 11.9, `${name}: ${heights}`);
  }
  assert.match(eight, />8 tcp:cubic #8, 1 Mbit\/s</);
});

test("the link is drawn with the flows: its rate, its BDP and its round trip, dashed; pings where there are any", () => {
  const figure = figureOf([madeRecords({ ...twoFlows, ping_ms: [50, 52, 90] })]);
  const dashed = (name: string): number => {
    const row = rowOf(figure, name);
    return valueAt(row, Number(/class="capacity" d="M[\d.]+ ([\d.]+)H/.exec(row)?.[1]));
  };
  assert.ok(Math.abs(dashed("goodput") - 5) < 0.02);
  assert.ok(Math.abs(dashed("window") - 31.25) < 0.3);
  assert.ok(Math.abs(dashed("rtt") - 50) < 0.5);
  const pings = pathPoints(/class="plainline" d="([^"]+)"/.exec(rowOf(figure, "rtt"))?.[1] ?? "").flat();
  assert.ok(Math.abs(Math.max(...pings.map(({ y }) => valueAt(rowOf(figure, "rtt"), y))) - 90) < 0.5);
  assert.match(rowOf(figure, "rtt"), />dashed: the link’s 50 ms; grey: ping</);
  assert.doesNotMatch(figureOf([madeRecords(twoFlows)]), /plainline|ping</);
  const unlimited = figureOf([madeRecords({ ...twoFlows, link: "unlimited/50ms" })]);
  assert.doesNotMatch(rowOf(unlimited, "goodput"), /class="capacity"/);
  assert.doesNotMatch(rowOf(unlimited, "window"), /BDP/);
  const steps = figureOf([madeRecords({ ...twoFlows, link: "5mbit:2mbit@10s/50ms" })]);
  assert.equal(/class="capacity" d="([^"]+)"/.exec(rowOf(steps, "goodput"))?.[1]?.match(/M/g)?.length, 2);
});

test("drops are counted by flow and stand at their time", () => {
  const figure = figureOf([madeRecords(twoFlows)]);
  const row = rowOf(figure, "drops");
  assert.match(row, />3 packets<tspan class="more">; by flow 1: 3</);
  const marks = [...(/class="dropmarks" d="([^"]+)"/.exec(row)?.[1] ?? "").matchAll(/M(\d+) /g)].map(([, at]) =>
    Number(at),
  );
  const x = secondsAxis(figure);
  // Two packets of one pixel are one mark.
  assert.deepEqual(
    marks,
    [1, 9].map((seconds) => Math.round(x(seconds))),
  );
  assert.match(
    rowOf(figureOf([madeRecords({ ...twoFlows, flows: [{ rate_bps: 1e6 }] })], { parts: parts.slice(0, 1) }), "drops"),
    />none</,
  );
});

test("several runs: the first in front, the others as a band from the least to the greatest", () => {
  const at = (rate_bps: number) => madeRecords({ ...twoFlows, flows: [{ rate_bps }, { rate_bps: 1e6 }] });
  const figure = figureOf([at(2e6), at(3e6), at(1e6)]);
  const row = rowOf(figure, "goodput");
  const band = /<g class="flow-1"><path class="flowband" d="([^"]+)"/.exec(row)?.[1] ?? "";
  const heights = pathPoints(band)
    .flat()
    .map(({ y }) => valueAt(row, y));
  assert.ok(Math.abs(Math.max(...heights) - 3) < 0.02 && Math.abs(Math.min(...heights) - 1) < 0.02, `${heights}`);
  assert.match(
    figure,
    /<figcaption>a mix over a link\. Line: run 3, the one nearest the medians; band: from the least to the greatest of 3 runs\./,
  );
  assert.doesNotMatch(figureOf([at(2e6)]), /class="flowband"/);
  const [head, ...rows] = csvOf(figure).map((line) => line.split(","));
  const column = (name: string): number => head?.indexOf(name) ?? -1;
  const row5 = rows.find((cells) => cells[column("number")] === "1" && Number(cells[column("time_ms")]) > 5000) ?? [];
  const goodputs = ["goodput_bps", "goodput_low_bps", "goodput_high_bps"].map((name) => Number(row5[column(name)]));
  for (const [index, expected] of [2e6, 1e6, 3e6].entries())
    assert.ok(Math.abs((goodputs[index] as number) - expected) < 1e4, `${goodputs}`);
});

test("a hundred flows: a line for each part of the mix, in a small file", () => {
  const many = madeRecords({
    link: "100mbit/20ms",
    for_ms: 60_000,
    sample_ms: 30,
    flows: Array.from({ length: 100 }, (_, index) => ({ rate_bps: index < 50 ? 1e6 : 5e5 })),
  });
  const range = (from: number) => Array.from({ length: 50 }, (_, index) => from + index);
  const mix = [
    { words: "50*quic:cubic", members: range(0) },
    { words: "50*tcp:cubic", members: range(50) },
  ];
  const figure = figureOf([many], { parts: mix });
  assert.equal(figure.match(/class="flowline" d="M[^"]*l/g)?.length, 2 * 3);
  const row = rowOf(figure, "goodput");
  assert.ok(Math.abs(valueAt(row, lineOf(row, 1)[0]?.[5]?.y ?? lineOf(row, 1)[0]?.[0]?.y ?? 0) - 50) < 1);
  assert.match(figure, /100 flows in 2 groups/);
  assert.ok(figure.length < 60_000, `${figure.length} characters`);
  assert.deepEqual(binsOf(600_000), { length_ms: 2000, count: 300 });
});

test("flows that never began are named and have no line; a run of a moment is drawn", () => {
  const records = madeRecords({ ...twoFlows, for_ms: 80 });
  const silent = {
    ...records,
    near: { ...records.near, flows: records.near.flows.map((flow) => ({ ...flow, started_ns: null })) },
    far: { ...records.far, flows: records.far.flows.map((flow) => ({ ...flow, started_ns: null })) },
  };
  const figure = figureOf([silent], { goodput_bps: [null, null] });
  assert.doesNotMatch(figure, /NaN|Infinity|undefined/);
  assert.match(figure, />1 quic:cubic-n2</);
  assert.doesNotMatch(figureOf([records]), /NaN|Infinity|undefined/);
});
