// What ran outside of a lab and what its threads waited, from two readings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PressureReading, pressureBetween, readMachine, unrestBetween } from "../../../cli/measure/pressure.ts";

const cpu = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
type Thread = readonly [name: string, ran_ms: number, waited_ms: number, isOnWay: boolean];

function reading(used_ms: number | null, own_ms: number, threads: readonly Thread[], stolen_ms = 0): PressureReading {
  return {
    own_ms,
    machine: { stalled_us: 1000, used_ms, stolen_ms },
    use: {
      cpu,
      threads: new Map(
        threads.map(([name, ran_ms, waited_ms, isOnWay]) => [
          name,
          { part: "browser_ms", ran_ns: ran_ms * 1e6, waited_ns: waited_ms * 1e6, isOnWay },
        ]),
      ),
    },
  };
}

test("what ran outside is what was used less the lab's and our own", () => {
  const from = reading(1000, 50, [["1", 10, 1, true]]);
  const to = reading(
    1200,
    60,
    [
      ["1", 90, 21, true],
      ["2", 30, 5, false],
    ],
    30,
  );
  assert.deepEqual(pressureBetween(from, to), {
    stalled_ms: 0,
    waited: { browser_ms: 25, server_ms: 0, shaper_ms: 0 },
    way_ms: 20,
    outside_ms: 80,
    stolen_ms: 30,
  });
});

test("a machine that does not say what was used leaves it open", () => {
  const { outside_ms, way_ms } = pressureBetween(reading(null, 0, []), reading(null, 0, [["1", 3, 4, true]]));
  assert.equal(outside_ms, null);
  assert.equal(way_ms, 4);
});

test("this machine's reading grows, and its unrest is a share", () => {
  const from = readMachine();
  for (const end_ms = performance.now() + 30; performance.now() < end_ms; );
  const to = readMachine();
  assert.ok(from.used_ms === null || (to.used_ms ?? 0) >= from.used_ms);
  const { stolen, stalled } = unrestBetween(from, to, 30);
  assert.ok(stolen === null || stolen >= 0);
  assert.ok(stalled === null || stalled >= 0);
});
