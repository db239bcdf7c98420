import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import { binColumns, emptySeries, sampledColumns } from "../../cli/instruments/flows/records/series.ts";
import { goodput_bps, jain, meanQueue_ms, packetsPerRtt, sentInBins, utilization } from "./flow_measures.ts";

/** A flow that sends 2 packets of 1500 bytes in each bin, which wait 3 ms each, and has 1000 bytes received at each of 200 ticks of 5 ms, from 7 ms on. */
function steady(): FlowRecords {
  const times = (count: number, step_ms: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => 7 + i * step_ms);
  const down = {
    ...emptySeries(binColumns),
    time_ms: times(20, 50),
    left_bytes: new Float64Array(20).fill(3000),
    left_packets: new Float64Array(20).fill(2),
    queue_delay_sum_ns: new Float64Array(20).fill(6e6),
  };
  const ticks = times(200, 5);
  const samples = {
    ...emptySeries(sampledColumns),
    time_ms: ticks,
    received_bytes: ticks.map((_, i) => (i + 1) * 1000),
    srtt_ns: ticks.map((_, i) => (i % 2 ? Number.NaN : 100e6)),
  };
  const records = {
    samples: [{ sender: samples, receiver: samples }],
    bins: [{ counted: 0, down, up: emptySeries(binColumns) }],
  };
  return records as unknown as FlowRecords;
}

test("rates are of the span, and of whole bins", () => {
  const records = steady();
  const span = { from_ms: 100, to_ms: 900 };
  assert.equal(goodput_bps(records, 0, { from_ms: 102, to_ms: 902 }), 1_600_000);
  // From 107 to 857 ms.
  const sent = sentInBins(records.bins[0]?.down ?? assert.fail(), span);
  assert.deepEqual(sent, { bytes: 15 * 3000, packets: 30, queued_ns: 90e6, seconds: 0.75 });
  assert.equal(utilization(records, 960_000, span), 0.5);
  assert.equal(packetsPerRtt(records, 0, span), 4);
  assert.equal(meanQueue_ms(records, 0, span), 3);
});

test("Jain's index is 1 among equals and 1/n where one has all", () => {
  assert.equal(jain([3, 3, 3]), 1);
  assert.equal(jain([4, 0]), 0.5);
});
