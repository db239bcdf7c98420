// When a load counts as starved of CPU.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCrowded, starvedReasons } from "../../../cli/measure/starved.ts";

const cpu = (browser_ms: number) => {
  const times = { browser_ms, server_ms: 2, shaper_ms: 5 };
  return { load: times, all: times };
};
const waited = (browser_ms: number, server_ms = 0.5, shaper_ms = 0.5) => ({
  stalled_ms: 400,
  waited: { browser_ms, server_ms, shaper_ms },
});

test("as on an idle machine and beside busy loops: not starved", () => {
  assert.deepEqual(starvedReasons(waited(122), cpu(101), 78, 2), []);
  assert.deepEqual(starvedReasons(waited(997, 0.5, 1.3), cpu(400), 275, 2), []);
  assert.deepEqual(starvedReasons(waited(1420), cpu(400), 399, 2), []);
  assert.deepEqual(starvedReasons(waited(2400), cpu(400), 1000, 2), []);
  assert.equal(starvedReasons(waited(2401), cpu(400), 1000, 2).length, 1);
});

test("as at idle priority beside compilers: starved, with what to do", () => {
  const [reason, ...others] = starvedReasons(waited(1095), cpu(101), 70, 2);
  assert.equal(
    reason,
    "the machine was too busy: the browser waited 1095 ms for a CPU (tolerated: 606 ms): let less run beside it, or take fewer labs (--labs)",
  );
  assert.deepEqual(others, []);
  assert.equal(starvedReasons(waited(3463), cpu(300), 825, 2).length, 1);
  // One CPU makes threads queue also when nothing else runs.
  assert.deepEqual(starvedReasons(waited(1095), cpu(101), 70, 1), []);
});

test("server and shaper: what they wait is on the way of every packet, and most of it holds up nothing", () => {
  assert.deepEqual(starvedReasons(waited(100, 49), cpu(101), 200, 2), []);
  assert.match(
    starvedReasons(waited(100, 51), cpu(101), 200, 2)[0] ?? "",
    /^the machine was too busy: the server waited 51 ms/,
  );
  assert.deepEqual(starvedReasons(waited(100, 199, 199), cpu(101), 1000, 2), []);
  const both = starvedReasons(waited(100, 201, 201), cpu(101), 1000, 2);
  assert.equal(both.length, 2);
  assert.ok(both.every(isCrowded) && !isCrowded("2 of 9 requests failed"));
});

test("nothing is said where the system tells nothing, or the load has no time", () => {
  assert.deepEqual(starvedReasons(null, null, 100, 2), []);
  assert.deepEqual(starvedReasons(waited(1e6), null, 100, 2), []);
  assert.deepEqual(starvedReasons(waited(1e6), cpu(1), null, 2), []);
});
