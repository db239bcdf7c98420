// The page under the flows: its requests on their time axis, from when its navigation began.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../../cli/base/random.ts";
import { pageRow } from "../../../../../cli/instruments/flows/report/page_row.ts";
import { axisLeft, axisRight } from "../../../../../cli/report/figures/axis.ts";
import { scaleFromZero } from "../../../../../extension/figures/scale.ts";
import { pageLoadOf } from "../../../report/fixture.ts";

const urls = Array.from({ length: 12 }, (_, index) => `https://shop.example/${index}`);
const load = pageLoadOf(
  { page: "shop", link: "5mbit/50ms", lane: "h2", plt_ms: 2000, urls, status: "valid", reasons: [] },
  randomSource(1, "page row"),
);
const time = scaleFromZero(20_000, axisLeft, axisRight);

test("requests stand between the navigation's begin and the load event, each in its row", () => {
  const { entries } = load.log;
  const { markup, height } = pageRow({ page: "shop", lane: "h2", entries, start_ms: 10_000, plt_ms: 2000 }, time, 100);
  const boxes = [...markup.text.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v/g)].map(([, x, y, length]) => ({
    x: Number(x),
    y: Number(y),
    end: Number(x) + Number(length),
  }));
  assert.ok(boxes.length >= urls.length);
  assert.equal(new Set(boxes.map(({ y }) => y)).size, urls.length);
  assert.ok(boxes.every(({ x, end }) => x >= time.at(10_000) - 0.1 && end <= time.at(12_100)));
  assert.ok(boxes.every(({ y }) => y >= 100 && y <= 100 + height));
  const [, line] = /class="loadevent" d="M([\d.]+) /.exec(markup.text) ?? [];
  assert.ok(Math.abs(Number(line) - time.at(12_000)) < 0.1);
  assert.match(markup.text, />shop, h2<.*>12 requests from 10\.0 s; <\/tspan>PLT 2000 ms \(line\)</s);
});

test("a page of hundreds of requests is no higher than one of some, and what lies beyond the run's end is cut off", () => {
  const many = Array.from(
    { length: 300 },
    (_, index) => load.log.entries[index % urls.length] as (typeof load.log.entries)[number],
  );
  const { markup, height } = pageRow(
    { page: "shop", lane: "h2", entries: many, start_ms: 19_500, plt_ms: null },
    time,
    0,
  );
  assert.ok(height < 330, `${height}`);
  assert.doesNotMatch(markup.text, /loadevent/);
  for (const [, x, length] of markup.text.matchAll(/M([\d.]+) [\d.]+h([\d.]+)v/g))
    assert.ok(Number(x) + Number(length) <= axisRight + 0.5);
});
