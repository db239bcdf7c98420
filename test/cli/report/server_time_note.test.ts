// What the report says of the server's own time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fairWithin_us, serverTimeNote } from "../../../cli/report/server_time_note.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";

const load = (times: Record<string, [median_us: number, p90_us: number]>): LoadFacts => {
  const server_time = Object.fromEntries(
    Object.entries(times).map(([protocol, [median_us, p90_us]]) => [
      protocol,
      { requests: 20, median_ns: median_us * 1000, p90_ns: p90_us * 1000, max_ns: p90_us * 2000 },
    ]),
  );
  return { replay: { transport: {}, server_time } } as unknown as LoadFacts;
};

test("each protocol has the median over its loads", () => {
  const note = serverTimeNote([
    load({ h1: [20, 40] }),
    load({ h1: [30, 50] }),
    load({ h1: [90, 99] }),
    load({ h3: [51, 70] }),
  ]);
  assert.match(
    note ?? "",
    /^h1 30 µs \(nine in ten within 50 µs; 3 loads\), h3 51 µs \(.*; 1 load\); the protocols are 21 µs apart, within/,
  );
});

test("protocols further apart than allowed are said to be", () => {
  const far = fairWithin_us + 1;
  assert.match(
    serverTimeNote([load({ h2: [10, 20] }), load({ h3: [10 + far, 80] })]) ?? "",
    /51 µs apart, more than the 50/,
  );
  assert.match(serverTimeNote([load({ h2: [10, 20] }), load({ h3: [60, 80] })]) ?? "", /50 µs apart, within/);
});

test("one protocol alone is compared with nothing, and loads that tell nothing are not zero", () => {
  const silent = { replay: { transport: {} } } as unknown as LoadFacts;
  assert.equal(serverTimeNote([load({ h2: [8.2, 20] }), silent]), "h2 8.2 µs (nine in ten within 20 µs; 1 load)");
  assert.equal(serverTimeNote([silent]), null);
});
