// What ran outside of a lab and what its threads waited, from two readings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PressureReading, pressureBetween, readMachine, unrestBetween } from "../../../cli/load/pressure.ts";

const cpu = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
type Thread = readonly [name: string, ran_ms: number, waited_ms: number, way: "main" | "carries" | null];

function reading(
  used_ms: number | null,
  own_ms: number,
  threads: readonly Thread[],
  stolen_ms = 0,
  more: { readonly ended_ms?: [number, number][]; readonly kernel_ms?: [string, number][] } = {},
): PressureReading {
  return {
    own_ms,
    kernel_ms: new Map(more.kernel_ms),
    machine: { stalled_us: 1000, used_ms, stolen_ms },
    use: {
      cpu,
      ended_ms: new Map(more.ended_ms ?? threads.map(([name]) => [Number(name), 0])),
      threads: new Map(
        threads.map(([name, ran_ms, waited_ms, way]) => [
          name,
          {
            ...{ part: "browser_ms" as const, process: Number(name), way, turns: ran_ms },
            ...{ ran_ns: ran_ms * 1e6, waited_ns: waited_ms * 1e6 },
          },
        ]),
      ),
    },
  };
}

test("what ran outside is what was used less the lab's and our own", () => {
  const from = reading(1000, 50, [["1", 10, 1, "carries"]]);
  const to = reading(
    1200,
    60,
    [
      ["1", 90, 21, "carries"],
      ["2", 30, 5, null],
      ["3", 40, 6, "main"],
    ],
    30,
  );
  assert.deepEqual(pressureBetween(from, to), {
    stalled_ms: 0,
    waited: { browser_ms: 31, server_ms: 0, shaper_ms: 0 },
    way_ms: 26,
    main: { ran_ms: 40, waited_ms: 6 },
    carriers: { waited_ms: 20, turns: 80 },
    outside_ms: 40,
    stolen_ms: 30,
  });
});

test("what a process ran that ended meanwhile was not run outside", () => {
  // The third ran 40 ms before the first reading and 60 ms after it, and the first one waited for it.
  const from = reading(
    1000,
    0,
    [
      ["1", 10, 0, "carries"],
      ["3", 40, 0, "carries"],
    ],
    0,
    {
      ended_ms: [
        [1, 20],
        [3, 0],
      ],
    },
  );
  const to = reading(1200, 0, [["1", 90, 0, "carries"]], 0, { ended_ms: [[1, 120]] });
  assert.equal(pressureBetween(from, to).outside_ms, 200 - 80 - 60);
  // Whom nobody of the lab waited for is not known to have run.
  const lost = reading(1200, 0, [["1", 90, 0, "carries"]], 0, { ended_ms: [[1, 20]] });
  assert.equal(pressureBetween(from, lost).outside_ms, 200 - 80);
});

test("the kernel's own threads are others' as far as all that ran is", () => {
  const from = reading(1000, 0, [["1", 0, 0, "carries"]], 0, { kernel_ms: [["7", 500]] });
  const thread: Thread = ["1", 300, 0, "carries"];
  const calm = reading(1340, 0, [thread], 0, {
    kernel_ms: [
      ["7", 510],
      ["8", 30],
    ],
  });
  assert.equal(pressureBetween(from, calm).outside_ms, 0);
  const busy = reading(1440, 0, [thread], 0, {
    kernel_ms: [
      ["7", 510],
      ["8", 30],
    ],
  });
  assert.equal(pressureBetween(from, busy).outside_ms, 100 + 40 / 4);
});

test("a machine that does not say what was used leaves it open", () => {
  const { outside_ms, way_ms } = pressureBetween(reading(null, 0, []), reading(null, 0, [["1", 3, 4, "carries"]]));
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
