// The live view of a flow run: the newest records of growing files, rates between looks, a block of lines that fits a terminal.
import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { liveLines, shownLooks } from "../../../../../cli/instruments/flows/live/live_lines.ts";
import { openLiveView, RecordTail } from "../../../../../cli/instruments/flows/live/live_view.ts";
import {
  type BinColumns,
  isNewer,
  lookAt,
  type RunLook,
  type SampleColumns,
  type Snapshot,
} from "../../../../../cli/instruments/flows/live/looks.ts";
import { binFileColumns, sampleFileColumns } from "../../../../../cli/instruments/flows/records/series.ts";
import type { FlowRun, RunFlow } from "../../../../../schemas/generated/flow_run.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { recordBytes } from "../records/record_bytes.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = tempFolder("trilane-live-");
  await work(folder);
}

const flow = (more: Partial<RunFlow> = {}): RunFlow => ({
  ...{ transport: "tcp", congestion: "cubic", direction: "down", start_ms: 0, duration_ms: null, size_bytes: null },
  ...more,
});
const runOf = (...flows: [RunFlow, ...RunFlow[]]): FlowRun => ({
  ...{ schema: "trilane/flow-run/1", for_ms: 60_000, sample_ms: 5, ping_ms: null },
  flows,
});
/** A record of an end, as trilane-flows writes it. */
const sample = (time_ns: number, of: number, values: Partial<Record<(typeof sampleFileColumns)[number], number>>) =>
  sampleFileColumns.map((name) => (name === "time_ns" ? time_ns : name === "flow" ? of : (values[name] ?? null)));

test("the tail of a file that grows: its newest whole records, whatever is before them", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "records");
    const tail = new RecordTail(path, ["a", "b"]);
    try {
      assert.equal(await tail.last(2), null);
      await writeFile(path, '{"schema":"trilane/rec');
      assert.equal(await tail.last(2), null);
      await writeFile(path, recordBytes(["x", "a", "b"], []));
      assert.equal(await tail.last(2), null);
      const body = (rows: readonly (readonly (number | null)[])[]): Buffer => {
        const all = recordBytes(["x", "a", "b"], rows);
        return all.subarray(all.indexOf("\n") + 1);
      };
      await appendFile(
        path,
        Buffer.concat([
          body([
            [0, 1, 10],
            [0, 2, 20],
            [0, 3, null],
          ]),
          Buffer.alloc(7),
        ]),
      );
      const last = await tail.last(2);
      assert.deepEqual(
        [[...(last?.a ?? [])], [...(last?.b ?? [])]],
        [
          [2, 3],
          [20, Number.NaN],
        ],
      );
      assert.equal((await tail.last(9))?.a.length, 3);
    } finally {
      await tail.close();
    }
  });
});

const columns = <Name extends string>(names: readonly Name[], rows: readonly (readonly number[])[]) =>
  Object.fromEntries(
    names.map((name, at) => [name, Float64Array.from(rows, (row) => row[at] ?? Number.NaN)]),
  ) as Record<Name, Float64Array>;
const samples = (...rows: (readonly number[])[]): SampleColumns =>
  columns(["time_ns", "flow", "received_bytes", "cwnd_bytes", "srtt_ns", "lost_packets"], rows);
const bins = (...rows: (readonly number[])[]): BinColumns =>
  columns(["time_ns", "direction", "queue_delay_sum_ns", "left_packets"], rows);
const { NaN: none } = Number;

test("rates are the receiver's, between two looks; windows, round trips and losses the sender's last", () => {
  const flows = [
    flow({ transport: "quic", congestion: "cubic-n2" }),
    flow({ direction: "up" }),
    flow({ start_ms: 5000 }),
  ];
  const before: Snapshot = {
    near: samples([1e9, 0, 1000, none, none, none], [1e9, 1, none, 9000, 4e7, 0]),
    far: samples([1e9, 0, none, 30_000, 5e7, 3], [1e9, 1, 500, none, none, none]),
    bins: null,
  };
  const after: Snapshot = {
    near: samples(
      [1.4e9, 0, 30_000, none, none, none],
      [1.5e9, 0, 63_500, none, none, none],
      [1.5e9, 1, none, 12_000, 4.5e7, 7],
    ),
    far: samples([1.5e9, 0, none, 40_000, 6e7, 4], [1.5e9, 1, 31_750, none, none, none]),
    bins: bins([0.2e9, 0, 9e9, 1], [1.3e9, 0, 4e7, 2], [1.4e9, 0, 8e7, 2], [1.4e9, 1, 1e6, 1]),
  };
  const look = lookAt(flows, before, after);
  assert.equal(look.at_ns, 1.5e9);
  assert.deepEqual(look.flows, [
    { name: "quic:cubic-n2", rate_bps: 1e6, window_bytes: 40_000, rtt_ms: 60, lost_packets: 4 },
    { name: "tcp:cubic,up", rate_bps: 5e5, window_bytes: 12_000, rtt_ms: 45, lost_packets: 7 },
    { name: "tcp:cubic@5s", rate_bps: null, window_bytes: null, rtt_ms: null, lost_packets: null },
  ]);
  // Until the receiver has written again its rate is what it was.
  const later = { ...after, far: samples([1.7e9, 0, none, 50_000, 6e7, 5]) };
  assert.deepEqual(
    lookAt(flows, after, later, look).flows.map(({ rate_bps, window_bytes }) => [rate_bps, window_bytes]),
    [
      [1e6, 50_000],
      [null, 12_000],
      [null, null],
    ],
  );
  assert.deepEqual([isNewer(after, later), isNewer(after, after), isNewer(null, after)], [true, false, true]);
  // The bin of long ago is in no mean.
  assert.deepEqual(look.queue_ms, { down: 30, up: 1 });
  assert.deepEqual(lookAt(flows, null, { near: null, far: null, bins: null }).queue_ms, { down: null, up: null });
});

const lookOf = (at_ns: number, rates: readonly (number | null)[]): RunLook => ({
  at_ns,
  flows: rates.map((rate_bps, index) => ({
    name: `tcp:cubic@${index}s,size=${index}MB`,
    ...{ rate_bps, window_bytes: 31_400, rtt_ms: 78.4, lost_packets: 12 },
  })),
  queue_ms: { down: 24, up: null },
});

test("a row for each flow, the queue below; no line is wider than 80 columns, and many flows are told together", () => {
  const looks = Array.from({ length: 20 }, (_, index) => lookOf(1e9 + index * 5e8, [3.1e6, index * 1e5]));
  const lines = liveLines(looks, { for_ms: 60_000, began_ns: 1e9 });
  assert.equal(lines.length, 1 + 2 + 1);
  assert.match(lines[1] ?? "", /^1 tcp:cubic@0s,size=0MB +3\.1 Mbit\/s █{14} +31\.4 kB +78\.4 ms +12$/);
  assert.match(lines[2] ?? "", /1\.9 Mbit\/s [▁-█]{14} /);
  assert.equal(lines.at(-1), "10 s of 60 s   2 flows: 5 Mbit/s   queue 24.0 ms down");
  const many = liveLines([lookOf(2e9, Array(100).fill(123_456_789))], { for_ms: 3_600_000, began_ns: 1e9 });
  assert.equal(many.length, 1 + 8 + 1);
  assert.match(many[8] ?? "", /^93 more, together +11\.5 Gbit\/s .* 1116$/);
  for (const line of [...lines, ...many]) assert.ok([...line].length <= 80, `${[...line].length}: ${line}`);
  assert.deepEqual(liveLines([{ ...lookOf(0, []), at_ns: null }], { for_ms: 1000, began_ns: null }), []);
  assert.equal(many[1]?.match(/[▁-█]/g)?.length, 1);
  assert.equal(shownLooks, 14);
});

test("a run's files are drawn as they grow, and no more once the view is closed", async () => {
  await withFolder(async (folder) => {
    const files = { nearSamples: join(folder, "near"), farSamples: join(folder, "far"), bins: join(folder, "bins") };
    const drawn: (readonly string[])[] = [];
    const view = openLiveView({ run: runOf(flow()), files, every_ms: 1, draw: (lines) => drawn.push(lines) });
    const until = async (isThere: () => boolean): Promise<void> => {
      while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
    };
    await writeFile(
      files.farSamples,
      recordBytes(sampleFileColumns, [sample(1e9, 0, { cwnd_bytes: 30_000, srtt_ns: 6e7, lost_packets: 2 })]),
    );
    await writeFile(files.nearSamples, recordBytes(sampleFileColumns, [sample(1e9, 0, { received_bytes: 1000 })]));
    await writeFile(files.bins, recordBytes(binFileColumns, []));
    await until(() => drawn.some((lines) => lines[1]?.includes("30 kB") === true));
    // 125 kB in each half second: 2 Mbit/s between whichever records two looks find last.
    const received = (half: number): Buffer => {
      const values = { received_bytes: 1000 + half * 125_000 };
      const all = recordBytes(sampleFileColumns, [sample(1e9 + half * 5e8, 0, values)]);
      return all.subarray(all.indexOf("\n") + 1);
    };
    let half = 1;
    for (; half < 5000 && !drawn.some((lines) => lines[1]?.includes("2 Mbit/s") === true); half++)
      await appendFile(files.nearSamples, received(half));
    await view.close();
    assert.deepEqual(drawn.at(-1), []);
    const count = drawn.length;
    await appendFile(files.nearSamples, received(half));
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(drawn.length, count);
  });
});
