// What the report says of the server's own time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enoughRequests, fairWithin_us, serverTimeNote } from "../../../cli/report/method.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";

type Times = Record<string, [median_us: number, p90_us: number, requests?: number, waited?: number]>;

const load = (times: Times): LoadFacts => {
  const server_time = Object.fromEntries(
    Object.entries(times).map(([protocol, [median_us, p90_us, requests = enoughRequests, waited = 0]]) => [
      protocol,
      { requests, waited, median_ns: median_us * 1000, p90_ns: p90_us * 1000, max_ns: p90_us * 2000 },
    ]),
  );
  return { replay: { transport: {}, server_time } } as unknown as LoadFacts;
};
const note = (...loads: LoadFacts[]): string => serverTimeNote(loads) ?? "";

test("each protocol has the median over its loads, and its requests", () => {
  const found = note(load({ h1: [20, 40] }), load({ h1: [30, 50] }), load({ h1: [90, 99] }), load({ h3: [51, 70] }));
  assert.match(found, /^h1 30 µs \(nine in ten within 50 µs; 60 requests\), h3 51 µs \(.*; 20 requests\); /);
  assert.match(found, /; the protocols are 21 µs apart, within/);
});

test("protocols further apart than allowed are said to be", () => {
  const far = fairWithin_us + 1;
  assert.match(note(load({ h2: [10, 20] }), load({ h3: [10 + far, 80] })), /51 µs apart, more than the 50/);
  assert.match(note(load({ h2: [10, 20] }), load({ h3: [60, 80] })), /50 µs apart, within/);
});

test("few requests are no ground for a comparison, and what waited for the link is told", () => {
  const found = note(load({ h1: [10, 20] }), load({ h2: [200, 300, enoughRequests - 1, 7] }));
  assert.match(found, /h2 200 µs \(nine in ten within 300 µs; 19 requests, 7 after a wait for the link\)/);
  assert.match(found, /; too few requests to compare the protocols$/);
});

test("one protocol alone is compared with nothing, and loads that tell nothing are not zero", () => {
  const silent = { replay: { transport: {} } } as unknown as LoadFacts;
  assert.equal(note(load({ h2: [8.2, 20] }), silent), "h2 8.2 µs (nine in ten within 20 µs; 20 requests)");
  assert.equal(serverTimeNote([silent]), null);
});
