// cli/flows/records: what both ends and the shaper wrote is joined flow by flow, on the run's clock.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { composeFlowRecords } from "../../../../cli/flows/records/flow_records.ts";
import { readFlowRecords } from "../../../../cli/flows/records/read_flow_records.ts";
import { sampleFileColumns } from "../../../../cli/flows/records/series.ts";
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
      [2, [0, 10], [10]],
      [0, [], [30]],
    ],
  );
  assert.deepEqual([...(bins[0]?.down.dropped_packets ?? [])], [0, 1]);
  const files = twoFlowFiles();
  const [unseen] = composeFlowRecords({ ...files, counters: { ...files.counters, flows: [] } }).bins;
  assert.deepEqual([unseen?.counted, unseen?.down.time_ms.length], [null, 0]);
});

test("files are read, the cut-off last record ignored, and what a killed program did not write is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trilane-flow-records-"));
  try {
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
