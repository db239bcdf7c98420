// cli/instruments/flows/records: what both ends and the shaper wrote is joined flow by flow, on the run's clock.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { composeFlowRecords, countsAtLink } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import { readFlowRecords } from "../../../../../cli/instruments/flows/records/read_flow_records.ts";
import {
  type BinSeries,
  binColumns,
  joinBins,
  sampleFileColumns,
} from "../../../../../cli/instruments/flows/records/series.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { recordBytes } from "./record_bytes.ts";
import { run, start_ns, twoFlowFiles, twoFlows } from "./two_flows.ts";

test("the sender is the end that the direction says, and holes stay holes", () => {
  const { samples } = twoFlows();
  assert.deepEqual([...(samples[0]?.sender.time_ms ?? [])], [5, 10, 15]);
  assert.deepEqual([...(samples[0]?.sender.sent_bytes ?? [])], [2000, 4000, 7000]);
  assert.deepEqual([...(samples[0]?.receiver.time_ms ?? [])], [5, 15, 25]);
  assert.deepEqual([...(samples[0]?.receiver.received_bytes ?? [])], [1000, 5000, 9000]);
  assert.deepEqual([...(samples[1]?.sender.sent_bytes ?? [])], [1200]);
  assert.deepEqual([...(samples[1]?.receiver.received_bytes ?? [])], [600]);
  assert.ok(Number.isNaN(samples[0]?.sender.ssthresh_bytes[0]));
});

test("a flow's bins are those of its connection at the bottleneck, and none where it had none", () => {
  const { bins } = twoFlows();
  assert.deepEqual(
    bins.map(({ counted, down, up }) => [counted, [...down.time_ms], [...up.time_ms]]),
    [
      [[2], [0, 10], [10]],
      [[0], [], [30]],
    ],
  );
  assert.deepEqual([...(bins[0]?.down.dropped_packets ?? [])], [0, 1]);
  const files = twoFlowFiles();
  const [unseen] = composeFlowRecords({ ...files, counters: { ...files.counters, flows: [] } }).bins;
  assert.deepEqual([unseen?.counted, unseen?.down.time_ms.length], [[], 0]);
});

test("a flow that moves of its own accord is all of its ports together", () => {
  const files = twoFlowFiles();
  const [first] = run.flows;
  const quic = { ...first, transport: "quic" as const };
  const port = (place: number, sent_bytes: number) => {
    const counted = files.counters.flows[place] as (typeof files.counters.flows)[number];
    const far = { ...counted.far, port: 20_001 };
    return { ...counted, protocol: "udp" as const, far, down: { ...counted.down, sent_bytes } };
  };
  const counters = { ...files.counters, flows: [port(0, 100), port(1, 7), port(2, 20)] };
  const moving = composeFlowRecords({ ...files, counters, run: { ...run, flows: [{ ...quic, migrate_ms: 5000 }] } });
  assert.deepEqual(moving.bins[0]?.counted, [0, 1, 2]);
  assert.equal(countsAtLink(moving, 0, "down")?.sent_bytes, 127);
  const staying = composeFlowRecords({ ...files, counters, run: { ...run, flows: [quic] } });
  assert.equal(staying.bins[0]?.counted.length, 1);
  assert.equal(countsAtLink({ ...moving, bins: [] }, 0, "down"), null);
});

test("bins of several ports are joined by their times", () => {
  const one = (rows: readonly (readonly [number, number])[]) => ({
    ...Object.fromEntries(binColumns.map((name) => [name, Float64Array.from(rows, ([, value]) => value)])),
    time_ms: Float64Array.from(rows, ([time_ms]) => time_ms),
  });
  const joined = joinBins([one([[0, 1], [50, 2]]), one([[50, 3], [100, 4]])] as BinSeries[]); // biome-ignore format: short
  assert.deepEqual([...joined.time_ms], [0, 50, 100]);
  for (const name of binColumns) assert.deepEqual([...joined[name]], [1, 5, 4]);
});

test("files are read, the cut-off last record ignored, and what a killed program did not write is named", async () => {
  const folder = tempFolder("trilane-flow-records-");
  const names = ["near", "far", "nearSamples", "farSamples", "bins", "counters", "shaper"] as const;
  const files = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<
    (typeof names)[number],
    string
  >;
  const { near, far, counters, shaper } = twoFlowFiles();
  const rows = [
    [start_ns, 0, 5, 0, ...Array<null>(9).fill(null)],
    [start_ns + 5e6, 0, 9, 0, ...Array<null>(9).fill(null)],
  ];
  await writeFile(files.near, JSON.stringify(near));
  await writeFile(files.counters, JSON.stringify(counters));
  await writeFile(files.shaper, JSON.stringify(shaper).slice(0, 100));
  assert.deepEqual(await readFlowRecords(run, files), { records: null, missing: ["far", "shaper"] });
  await writeFile(files.far, JSON.stringify(far));
  await writeFile(files.shaper, JSON.stringify(shaper));
  await writeFile(files.farSamples, recordBytes(sampleFileColumns, rows).subarray(0, -3));
  const { records, missing } = await readFlowRecords(run, files);
  assert.deepEqual(missing, []);
  assert.deepEqual([...(records?.samples[0]?.sender.sent_bytes ?? [])], [5]);
  assert.equal(records?.samples[0]?.receiver.time_ms.length, 0);
  assert.equal(records?.start_ns, start_ns);
});
