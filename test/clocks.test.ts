// The check on clocks in tests finds a new one, knows what is listed, and the list as it stands is right.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockFaults, testSources } from "./clocks.ts";

test("a clock that is not listed is found, with its line; a listed file without one too", () => {
  const files = new Map([
    ["test/new.test.ts", "\nassert.ok(performance.now() - before < 1000);"],
    ["test/c_test.c", "clock_gettime(CLOCK_MONOTONIC, &now);"],
    ["test/listed.ts", "process.cpuUsage()"],
    ["test/none.ts", "const performance_now = 1;"],
  ]);
  const faults = clockFaults(files, { "test/listed.ts": "ratio", "test/none.ts": "least" });
  assert.equal(faults.length, 3);
  assert.match(faults[0] ?? "", /^test\/new\.test\.ts:2: a test looks at a clock/);
  assert.match(faults[1] ?? "", /^test\/c_test\.c:1: /);
  assert.match(faults[2] ?? "", /none\.ts looks at no clock/);
});

test("the tests as they are", () => assert.deepEqual(clockFaults(testSources()), []));
