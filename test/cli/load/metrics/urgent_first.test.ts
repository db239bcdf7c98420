// Whether the more urgent of two responses ends first: only where both were waited for on one connection, and the urgent one was asked for later.
import assert from "node:assert/strict";
import test from "node:test";
import { urgentFirst_percent } from "../../../../cli/load/metrics/urgent_first.ts";
import type { HarEntry } from "../../../../schemas/generated/page_load.ts";

function entry(priority: string, sent_ms: number, first_ms: number, end_ms: number, connection = "1"): HarEntry {
  const timings = { wait: first_ms - sent_ms, receive: end_ms - first_ms };
  return {
    ...{ _priority: priority, _connectionId: connection, timings },
    _trilane: { end_ns: end_ms * 1e6 },
  } as unknown as HarEntry;
}

test("a server that answers a later, more urgent request first keeps priorities; one that goes by arrival does not", () => {
  const image = entry("Low", 0, 60, 200);
  assert.equal(urgentFirst_percent([image, entry("VeryHigh", 10, 55, 58)]), 100);
  assert.equal(urgentFirst_percent([image, entry("VeryHigh", 10, 201, 220)]), 0);
  assert.equal(urgentFirst_percent([image, entry("High", 10, 55, 58), entry("High", 11, 201, 220)]), 50);
});

test("other connections, equal urgency, and responses that had begun are in nobody's way", () => {
  const image = entry("Low", 0, 60, 200);
  assert.equal(urgentFirst_percent([image, entry("VeryHigh", 10, 55, 58, "2")]), null);
  assert.equal(urgentFirst_percent([image, entry("Low", 10, 55, 58)]), null);
  assert.equal(urgentFirst_percent([image, entry("VeryHigh", 70, 90, 100)]), null);
  assert.equal(urgentFirst_percent([]), null);
});
