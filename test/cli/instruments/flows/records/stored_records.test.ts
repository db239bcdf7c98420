// cli/instruments/flows/records/stored_records.ts: what is stored is what was recorded; thinning keeps totals, peaks and the last sample.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { FlowRecords } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import {
  type BinSeries,
  binColumns,
  type SampleSeries,
  sampledColumns,
} from "../../../../../cli/instruments/flows/records/series.ts";
import {
  keptTicks,
  packRecords,
  thinnedRecords,
  unpackRecords,
} from "../../../../../cli/instruments/flows/records/stored_records.ts";
import { twoFlows } from "./two_flows.ts";

test("records come back as they were, unavailable numbers too", () => {
  const records = twoFlows();
  assert.deepEqual(unpackRecords(packRecords(records), "run 1"), records);
  assert.ok(Number.isNaN(records.samples[0]?.sender.ssthresh_bytes[0]));
});

function ramp<Name extends string>(names: readonly Name[], length: number, step_ms: number) {
  const of = (value: (index: number) => number): Float64Array =>
    Float64Array.from({ length }, (_, index) => value(index));
  return Object.fromEntries([
    ["time_ms", of((index) => index * step_ms)],
    ...names.map((name) => [name, of((index) => index % 7)]),
  ]);
}

/** Of one flow whose series have so many records. */
function longRecords(length: number): FlowRecords {
  const records = twoFlows();
  const samples = ramp(sampledColumns, length, 5) as SampleSeries;
  const bins = ramp(binColumns, length, 50) as BinSeries;
  return {
    ...records,
    samples: [{ sender: samples, receiver: samples }],
    bins: [{ counted: [0], down: bins, up: bins }],
  };
}

const sum = (values: Float64Array | undefined): number => (values ?? new Float64Array()).reduce((a, b) => a + b, 0);

test("a long run keeps at most the ticks of its flows, its totals, peaks and last samples", () => {
  for (const length of [1999, 2000, 2001, 12_000, 100_003]) {
    const records = longRecords(length);
    const { samples, bins } = thinnedRecords(records);
    const [sender, down] = [samples[0]?.sender, bins[0]?.down];
    const most = keptTicks(records.run.flows.length);
    for (const kept of [sender?.time_ms.length ?? 0, down?.time_ms.length ?? 0])
      assert.ok(kept <= most && kept >= Math.min(length, most / 2), `${kept} of ${length}`);
    assert.equal(sender?.time_ms.at(-1), (length - 1) * 5);
    assert.equal(sender?.cwnd_bytes.at(-1), (length - 1) % 7);
    assert.equal(sum(down?.left_bytes), sum(records.bins[0]?.down.left_bytes));
    assert.equal(Math.max(...(down?.queue_peak_bytes ?? [])), 6);
    assert.equal(down?.time_ms[0], 0);
    const times = [...(down?.time_ms ?? [])];
    assert.ok(times.every((time_ms, index) => index === 0 || time_ms > (times[index - 1] ?? 0)));
  }
});

test("many flows share the room of a run", () => {
  assert.deepEqual([1, 100, 200, 1000].map(keptTicks), [2000, 2000, 1000, 200]);
});

test("what is no stored series is named", () => {
  const withPlaces = (places: unknown): Buffer => {
    const head = { schema: "trilane/flow-records/1", samples: [], bins: [{ counted: 0, down: places, up: {} }] };
    return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), Buffer.alloc(8)]));
  };
  const tooMany = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, [0, 1]]));
  const wrong = [tooMany, { a: [0, 1e15] }, { a: [0, -1] }, { a: ["x", "y"] }, { a: null }].map(withPlaces);
  for (const blob of [Buffer.from("no gzip"), gzipSync("{}\n"), gzipSync(""), gzipSync("[".repeat(5000)), ...wrong])
    assert.throws(() => unpackRecords(blob, "flow run 7"), /^RunError: flow run 7: its stored series cannot be read/);
});
