// cli/instruments/fetch/run/validity: a fetch counts unless the machine held its link up for long, also one that timed out for it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { disturbedReasons } from "../../../../../cli/instruments/fetch/run/validity.ts";
import type { FetchRecord } from "../../../../../schemas/generated/fetch_record.ts";
import type { ShaperOverdue } from "../../../../../schemas/generated/shaper_report.ts";
import { fetchRecord } from "../records.ts";

const start_ns = 1e9;
const plan = { timeout_s: 30, tolerance: { share: 0.05, ms: 5 } };

/** Held up so long after the connection began. */
function reasons(record: Partial<FetchRecord>, from_ms: number, to_ms: number): string[] {
  const held: [number, number] = [start_ns + from_ms * 1e6, start_ns + to_ms * 1e6];
  const overdue: ShaperOverdue = { total_ns: held[1] - held[0], resolution_ns: 0, intervals: [held] };
  return disturbedReasons(fetchRecord({ start_ns, ...record }), { overdue }, plan);
}

const timedOut = { download_ms: null, error: { stage: "timeout", reason: "in vain" } } as const;

describe("whether a fetch in a lab counts", () => {
  test("it is looked at to its last byte", () => {
    assert.match(
      reasons({ download_ms: 200 }, 100, 150).join(),
      /held the link up for 50\.0 ms \(tolerated: 10\.0 ms\)/,
    );
    assert.deepEqual(reasons({ download_ms: 200 }, 100, 109), []);
    assert.deepEqual(reasons({ download_ms: 200 }, 210, 5000), []);
  });

  test("a link that stood still until the time-out made it", () => {
    assert.equal(reasons({ ...timedOut, first_byte_ms: 150 }, 200, 30_000).length, 1);
    assert.deepEqual(reasons({ ...timedOut, first_byte_ms: 150 }, 200, 1000), []);
  });

  test("a connection that was never established was given up sooner", () => {
    const none = { ...timedOut, connect_ms: null, established_ms: null, first_byte_ms: null };
    assert.equal(reasons(none, 0, 1000).length, 1);
    assert.deepEqual(reasons(none, 11_000, 30_000), []);
  });

  test("without a connection there is nothing to disturb", () => {
    assert.deepEqual(reasons({ start_ns: null, ...timedOut }, 0, 30_000), []);
  });
});
