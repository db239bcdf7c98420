// Figures over many runs: bars, shares by buffer and Jain's index stand where their numbers say, and the CSV has the same numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type BarCell, type Estimate, goodputBars } from "../../../../../cli/instruments/flows/report/goodput_bars.ts";
import { jainOverTime } from "../../../../../cli/instruments/flows/report/jain_over_time.ts";
import { sharesByBuffer } from "../../../../../cli/instruments/flows/report/shares_by_buffer.ts";
import { csvOf } from "../../../report/markup_text.ts";
import { lineOf, rowOf, valueAt } from "./drawn.ts";

const estimate = (median: number, low: number, high: number): Estimate => ({ median, interval: { low, high }, n: 10 });
const none: Estimate = { median: null, interval: null, n: 0 };

const cells: BarCell[] = [
  {
    mix: "both",
    link: "5mbit/50ms",
    lane: null,
    bars: [
      { number: 1, name: "quic:cubic-n2", goodput_bps: estimate(3e6, 2.9e6, 3.2e6) },
      { number: 2, name: "tcp:cubic", goodput_bps: estimate(1.5e6, 1.4e6, 1.7e6) },
    ],
  },
  { mix: "alone", link: "5mbit/50ms", lane: null, bars: [{ number: 1, name: "tcp:cubic", goodput_bps: none }] },
];

test("bars are as long as their goodputs, whiskers as their intervals, on an axis that holds the link's rate", () => {
  const figure = goodputBars({ capacity_bps: 5e6, cells, allCells: cells }).text;
  const bars = [...figure.matchAll(/<rect class="flowbar" x="58" y="[\d.]+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  assert.equal(bars.length, 2);
  assert.ok(Math.abs((bars[0] as number) / (bars[1] as number) - 2) < 0.01, `${bars}`);
  const [, low, high] = /class="flowwhisker" d="M([\d.]+) [\d.]+H([\d.]+)/.exec(figure) ?? [];
  const perMbit = (bars[0] as number) / 3;
  assert.ok(
    Math.abs((Number(low) - 58) / perMbit - 2.9) < 0.01 && Math.abs((Number(high) - 58) / perMbit - 3.2) < 0.01,
  );
  const [, limit] = /class="capacity" d="M([\d.]+) /.exec(figure) ?? [];
  assert.ok(Math.abs((Number(limit) - 58) / perMbit - 5) < 0.01);
  assert.match(figure, />3 Mbit\/s \(2\.9 to 3\.2 Mbit\/s\), n 10</);
  assert.match(figure, />no valid run</);
  assert.deepEqual(csvOf(figure).slice(1), [
    "both,5mbit/50ms,,1,quic:cubic-n2,10,3000000,2900000,3200000",
    "both,5mbit/50ms,,2,tcp:cubic,10,1500000,1400000,1700000",
    "alone,5mbit/50ms,,1,tcp:cubic,0,,,",
  ]);
});

test("cells of bars are named by what they differ in; those that are not drawn are counted, and in the CSV", () => {
  const figure = goodputBars({
    capacity_bps: null,
    cells,
    allCells: [...cells, { ...(cells[0] as BarCell), mix: "third" }],
  }).text;
  assert.match(figure, /<text class="lane" x="0" y="17">both<\/text>/);
  assert.match(figure, /2 cells of 3, spread over all/);
  assert.equal(csvOf(figure).length, 1 + 5);
  assert.doesNotMatch(figure, /class="capacity"/);
  const other = cells.map((cell, index) => ({ ...cell, link: `${5 + index}mbit/50ms` }));
  assert.match(goodputBars({ capacity_bps: null, cells: other, allCells: other }).text, />both · 5mbit\/50ms</);
});

test("shares stand at their percentage above their buffer, and add up as their numbers do", () => {
  const shares = [0.75, 0.6, 0.5];
  const figure = sharesByBuffer({
    mix: "quic + tcp",
    links: "5 Mbit/s each way",
    flows: [
      { number: 1, name: "quic" },
      { number: 2, name: "tcp" },
    ],
    buffers: shares.map((share, index) => ({
      ...{ buffer: `${[13, 30, 60][index]} kB`, link: `q${index}` },
      shares: [estimate(share, share - 0.05, share + 0.05), index === 2 ? none : estimate(1 - share, 0, 1)],
    })),
  }).text;
  const ticks = [...figure.matchAll(/x="52" y="([\d.]+)">(\d+)</g)].map(([, y, value]) => [
    Number(value),
    Number(y) - 4,
  ]);
  const [zero, full] = [
    ticks.find(([value]) => value === 0)?.[1] ?? 0,
    ticks.find(([value]) => value === 100)?.[1] ?? 0,
  ];
  const points = (number: number): number[] => {
    const group =
      figure.split(`<g class="flow-${number}"><g class="plotted">`)[1]?.split("</g>").slice(0, 2).join("") ?? "";
    return [...group.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => (zero - Number(y)) / (zero - full));
  };
  assert.deepEqual(
    points(1).map((share) => Math.round(share * 100)),
    [75, 60, 50],
  );
  assert.deepEqual(
    points(2).map((share) => Math.round(share * 100)),
    [25, 40],
  );
  assert.match(figure, />13 kB<.*>30 kB<.*>60 kB</);
  assert.match(figure, /n = 0 to 10 runs/);
  assert.equal(csvOf(figure)[1], '"quic + tcp",q0,13 kB,1,quic,10,0.75,0.7,0.8');
});

test("Jain's index is drawn second by second, from 0 to 1", () => {
  const time_ms = [500, 1500, 2500];
  const index = { time_ms, value: [0.5, 0.75, 1] };
  const band = { time_ms, low: [0.5, 0.5, 0.9], high: [0.6, 0.8, 1] };
  const figure = jainOverTime("5mbit/50ms", [{ number: 1, mix: "both", index, band, runs: 7 }]).text;
  const row = rowOf(figure, "jain");
  const heights = lineOf(row, 1)[0]?.map(({ y }) => Math.round(valueAt(row, y) * 100)) ?? [];
  // The middle lies on the line between the others.
  assert.deepEqual(heights, [50, 100]);
  assert.match(figure, /median of 7 runs; band/);
  assert.deepEqual(csvOf(figure)[2], "5mbit/50ms,1,both,7,1,0.75,0.5,0.8");
});
