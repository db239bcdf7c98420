// The link under the waterfalls: on their axis, against its capacity, with what it dropped; nothing where nothing was kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { linkOverTime, type MoveMark } from "../../../../cli/report/figures/link_over_time.ts";
import { scaleFromZero } from "../../../../extension/figures/scale.ts";
import { axisLeft, axisRight } from "../../../../extension/figures/waterfall.ts";
import type { LoadFacts } from "../../../../schemas/generated/page_load.ts";
import { pageLoadOf } from "../fixture.ts";
import { csvOf } from "../markup_text.ts";

function factsOf(link: string, change: (facts: LoadFacts) => void = () => {}): LoadFacts {
  const of = { page: "shop", link, lane: "h2", plt_ms: 1000, urls: ["https://shop.example/"] } as const;
  const facts = pageLoadOf({ ...of, status: "valid", reasons: [] }, randomSource(1, "link over time")).log._trilane;
  facts.navigation_start_ns = 1e12;
  if (facts.shaper?.timeline) {
    const nothing = Array<number>(100).fill(0);
    // 25 kB in each 100 ms: 2 Mbit/s; 3 kB wait at 500 ms, where two packets are dropped.
    facts.shaper.timeline = {
      start_ns: 1e12,
      bin_ns: 10_000_000,
      down: {
        bytes_out: nothing.map(() => 2500),
        queue_peak_bytes: nothing.map((_, index) => (index === 50 ? 3000 : 0)),
        dropped_packets: nothing.map((_, index) => (index === 50 ? 2 : 0)),
        lost_packets: nothing,
      },
      up: { bytes_out: nothing, queue_peak_bytes: nothing, dropped_packets: nothing, lost_packets: nothing },
    };
  }
  change(facts);
  return facts;
}

const axis = scaleFromZero(1000, axisLeft, axisRight);
const figureOf = (facts: LoadFacts): string =>
  linkOverTime("shop over it", [{ id: 7, lane: "h2", facts }], axis)?.text ?? "";

test("rate under capacity, the queue as time, drops where they were; up only where something happened", () => {
  const text = figureOf(factsOf("4mbit/50ms"));
  assert.match(text, />4 Mbit\/s</);
  // 3 kB at 4 Mbit/s.
  assert.match(text, /queue at most 6\.00 ms, 2 packets dropped</);
  assert.match(text, />h2 down</);
  assert.doesNotMatch(text, />h2 up</);
  const mark = Number(/class="drops" d="M([\d.]+)/.exec(text)?.[1]);
  assert.ok(Math.abs(mark - axis.at(505)) < axis.at(40) - axis.at(0), `a mark at ${mark}`);
  const [, rate] = /class="rate" d="M[\d. ]+H[\d.]+V([\d.]+)H/.exec(text) ?? [];
  const [, capacity] = /class="capacity" d="M[\d.-]+ ([\d.]+)/.exec(text) ?? [];
  // Half of the capacity is half of the height.
  assert.ok(Math.abs(Number(rate) - Number(capacity) - 20) < 0.2, `${rate} and ${capacity}`);
});

test("what waits for a trace or a link without a limit is told in bytes; a link in steps is drawn in steps", () => {
  assert.match(figureOf(factsOf("unlimited/50ms")), /queue at most 3 kB/);
  const steps = figureOf(factsOf("8mbit:1mbit@0.4s/50ms"));
  assert.equal(/class="capacity" d="([^"]+)"/.exec(steps)?.[1]?.match(/M/g)?.length, 2);
  assert.match(steps, /queue at most 24\.0 ms/);
});

test("the data are the shaper's own bins, in ms since navigation start", () => {
  const lines = csvOf(figureOf(factsOf("4mbit/50ms")));
  assert.equal(
    lines[0],
    "lane,load_id,direction,start_ms,end_ms,rate_bps,queue_peak_bytes,dropped_packets,lost_packets",
  );
  assert.equal(lines[51], "h2,7,down,500,510,2000000,3000,2,0");
  assert.equal(lines.length, 1 + 200);
});

test("loads of earlier versions, and such that never began, have no such figure", () => {
  assert.equal(
    figureOf(
      factsOf("4mbit/50ms", (facts) => {
        if (facts.shaper) delete facts.shaper.timeline;
      }),
    ),
    "",
  );
  const unbegun = factsOf("4mbit/50ms", (facts) => {
    facts.navigation_start_ns = null;
  });
  assert.equal(figureOf(unbegun), "");
});

test("a line stands where the path moved, and the capacity is the other link's from then on", () => {
  const text = figureOf(
    factsOf("4mbit/50ms,switch=400ms:1mbit/50ms,rebind=300ms", ({ shaper }) => {
      if (!shaper) return assert.fail("the fixture has a shaper's report");
      shaper.start_ns = 1e12;
      const list = [300, 600, 900, 1200].map((at_ms) => ({
        at_ns: 1e12 + at_ms * 1e6,
        kind: "port" as MoveMark["kind"],
      }));
      list.splice(1, 0, { at_ns: 1e12 + 400e6, kind: "switch" });
      shaper.moves = { count: 5, list, renewed_bindings: 0, bindings: [] };
    }),
  );
  assert.match(text, /new ports at 300 ms, 600 ms, 900 ms, another link at 400 ms</);
  const lines = /class="moved" d="([^"]+)"/.exec(text)?.[1] ?? "";
  const places = [...lines.matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x));
  assert.deepEqual(
    places.map((x) => Math.round(x)),
    [300, 400, 600, 900].map((at_ms) => Math.round(axis.at(at_ms))),
  );
  assert.equal(/class="capacity" d="([^"]+)"/.exec(text)?.[1]?.match(/M/g)?.length, 2);
  assert.match(text, /Upright line: the path moved/);
  assert.doesNotMatch(figureOf(factsOf("4mbit/50ms")), /class="moved"|Upright/);
});

test("many moves are only counted", () => {
  const text = figureOf(
    factsOf("4mbit/50ms,rebind=100ms:address", ({ shaper }) => {
      const list = [1, 2, 3, 4].map((n) => ({ at_ns: 1e12 + n * 100e6, kind: "address" as const }));
      if (shaper) shaper.moves = { count: 4, list, renewed_bindings: 0, bindings: [] };
    }),
  );
  assert.match(text, /4 changes of address</);
});
