// QUIC flows through the shaper, as trilane-flows reports them at both ends. What the link's rate leaves to the application is
// theory, not earlier output.
// Wide: native-host/congestion, native-host/flows, shaper.
import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { parseRecords } from "../../cli/base/record_file.ts";
import { sampleFileColumns } from "../../cli/instruments/flows/records/series.ts";
import type { FlowReport } from "../../schemas/generated/flow_report.ts";
import type { FlowRun } from "../../schemas/generated/flow_run.ts";
import { timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-flows-quic-");

type RunFlow = FlowRun["flows"][number];
const endless: RunFlow = {
  transport: "quic",
  congestion: "cubic",
  direction: "down",
  start_ms: 0,
  duration_ms: null,
  size_bytes: null,
};

interface Lab {
  readonly flows: readonly RunFlow[];
  /** Where it is not as the near end's. */
  readonly farFlows?: readonly RunFlow[];
  readonly for_ms: number;
  readonly link: string;
  /** Before the command of an end, as `timeout`. */
  readonly aroundNear?: readonly string[];
  readonly aroundFar?: readonly string[];
}

let labs = 0;

function runFlows({ flows, farFlows = flows, for_ms, link, aroundNear = [], aroundFar = [] }: Lab): {
  readonly folder: string;
  readonly ended: SpawnSyncReturns<string>;
} {
  const folder = join(home, `${++labs}`);
  mkdirSync(folder);
  const file = (name: string): string => join(folder, name);
  const end = (name: "near" | "far", flowsOfEnd: readonly RunFlow[]): string[] => {
    const run = {
      schema: "trilane/flow-run/1",
      for_ms,
      sample_ms: 5,
      ping_ms: null,
      flows: flowsOfEnd,
    };
    writeFileSync(file(`${name}-run.json`), JSON.stringify(run));
    const files = ["--report", file(`${name}.json`), "--samples", file(`${name}.samples`)];
    return [programPath("trilane-flows"), name, file(`${name}-run.json`), ...files];
  };
  const words = [...aroundFar, ...end("far", farFlows), "--", programPath("trilane-shaper"), "--link", link, "--"];
  const [program = "", ...rest] = [...words, ...aroundNear, ...end("near", flows)];
  return {
    folder,
    ended: spawnSync(program, rest, { encoding: "utf8", timeout: 60_000 }),
  };
}

const reportIn = (folder: string, end: "near" | "far"): FlowReport =>
  JSON.parse(readFileSync(join(folder, `${end}.json`), "utf8")) as FlowReport;

function sampled(folder: string, end: "near" | "far") {
  const file = join(folder, `${end}.samples`);
  return parseRecords(readFileSync(file), sampleFileColumns, file);
}

/** Of the link's rate, what a stream gets: not the heads of IPv4 and UDP; nor QUIC's, its tag, and the head of the stream's frame. */
const streamShare = (1350 - (1 + 8 + 2) - 16 - 8) / (1350 + 28);

/** The rate at which an end's application received, bit/s, of all flows from one time of the run to its end. */
function receivedRate(folder: string, end: "near" | "far", from_ms: number): number {
  const { time_ns, flow, received_bytes } = sampled(folder, end);
  const first_ns = (time_ns[0] ?? 0) + from_ms * 1e6;
  let [bytes, last_ns] = [0, first_ns];
  for (const number of new Set(flow)) {
    const places = [...time_ns.keys()].filter((place) => flow[place] === number && (time_ns[place] ?? 0) >= first_ns);
    const [begin = 0, finish = 0] = [places[0], places.at(-1)];
    bytes += (received_bytes[finish] ?? 0) - (received_bytes[begin] ?? 0);
    last_ns = Math.max(last_ns, time_ns[finish] ?? 0);
  }
  return (bytes * 8e9) / (last_ns - first_ns);
}

test("flows down and up have their exact sizes at both ends, and end there", () => {
  const sizes = { down: 3_000_001, up: 1_500_001 };
  const { folder, ended } = runFlows({
    flows: [
      { ...endless, size_bytes: sizes.down },
      { ...endless, direction: "up", size_bytes: sizes.up, start_ms: 100 },
    ],
    for_ms: 30_000,
    link: "20mbit/20ms",
  });
  assert.equal(ended.stderr, "");
  assert.equal(ended.status, 0);
  const [near, far] = [reportIn(folder, "near"), reportIn(folder, "far")];
  assert.deepEqual(
    [...near.flows, ...far.flows].map(({ state, error, sent_bytes, received_bytes, congestion }) => [
      ...[state, error, sent_bytes, received_bytes, congestion],
    ]),
    [
      ["ended", null, 0, sizes.down, null],
      ["ended", null, sizes.up, 0, "cubic"],
      ["ended", null, sizes.down, 0, "cubic"],
      ["ended", null, 0, sizes.up, null],
    ],
  );
  for (const [index, flow] of near.flows.entries()) {
    assert.equal(flow.peer, `100.64.0.1:${20001 + index}`);
    assert.equal(flow.local, far.flows[index]?.peer);
    // One round trip: QUIC's handshake has TLS in it.
    const handshake_ms = ((flow.connected_ns ?? 0) - (flow.connect_begin_ns ?? 0)) / 1e6;
    assert.ok(handshake_ms >= 20 && handshake_ms < 200, `${handshake_ms} ms`);
  }
  const { flow, sent_bytes, cwnd_bytes, in_flight_bytes, min_rtt_ns, lost_packets } = sampled(folder, "far");
  const ofSender = [...flow.keys()].filter((place) => flow[place] === 0 && (sent_bytes[place] ?? 0) > 0);
  assert.ok(ofSender.length > 100);
  let widest = 0;
  for (const place of ofSender) {
    // A window that has just been cut has more in flight than it allows.
    widest = Math.max(widest, cwnd_bytes[place] ?? Number.NaN);
    assert.ok((in_flight_bytes[place] ?? Number.NaN) <= widest + 1350, `tick ${place}`);
    assert.ok((min_rtt_ns[place] ?? Number.NaN) >= 20e6, `tick ${place}`);
    assert.ok((lost_packets[place] ?? Number.NaN) >= 0, `tick ${place}`);
  }
  const ofReceiver = [...flow.keys()].filter((place) => flow[place] === 1);
  assert.ok(ofReceiver.length > 100 && ofReceiver.every((place) => Number.isNaN(cwnd_bytes[place])));
});

timedTest("one flow fills the link", async (calm) => {
  const { folder, ended } = runFlows({
    flows: [endless],
    for_ms: 6000,
    link: "20mbit/20ms",
  });
  calm.disturbed("both ends and the shaper have to keep up");
  assert.equal(ended.status, 0);
  const share = receivedRate(folder, "near", 2000) / (20e6 * streamShare);
  assert.ok(share >= 0.97 && share <= 1.005, `${share.toFixed(4)} of what the link leaves`);
  assert.deepEqual(
    [reportIn(folder, "near"), reportIn(folder, "far")].map(({ flows }) => flows[0]?.state),
    ["cut", "cut"],
  );
});

timedTest("flows with different controllers share the link and are told apart", async (calm) => {
  const { folder, ended } = runFlows({
    flows: [endless, { ...endless, congestion: "reno" }, { ...endless, congestion: "bbr2" }],
    for_ms: 6000,
    link: "20mbit/20ms",
  });
  calm.disturbed("both ends and the shaper have to keep up");
  assert.equal(ended.status, 0);
  const { flows } = reportIn(folder, "far");
  assert.deepEqual(
    flows.map(({ congestion }) => congestion),
    ["cubic", "reno", "bbr2"],
  );
  for (const { received_bytes } of reportIn(folder, "near").flows) assert.ok(received_bytes > 100_000);
  const share = receivedRate(folder, "near", 2000) / (20e6 * streamShare);
  assert.ok(share >= 0.97 && share <= 1.005, `${share.toFixed(4)} of what the link leaves`);
});

test("a flow that the far end does not wait for fails at once, and the others go on", () => {
  const flows = [
    { ...endless, size_bytes: 100_000 },
    { ...endless, size_bytes: 1000 },
  ];
  const { folder, ended } = runFlows({
    flows,
    farFlows: flows.slice(0, 1),
    for_ms: 20_000,
    link: "20mbit/20ms",
  });
  assert.equal(ended.status, 1);
  assert.match(ended.stderr, /flow 1 .*Connection refused/);
  const [first, second] = reportIn(folder, "near").flows;
  assert.deepEqual([first?.state, first?.received_bytes], ["ended", 100_000]);
  assert.deepEqual([second?.state, second?.error, second?.connected_ns], ["failed", "Connection refused", null]);
});

test("whichever end is killed, nothing of the lab is left", () => {
  const lab = {
    flows: [endless, { ...endless, direction: "up" as const }],
    for_ms: 30_000,
    link: "20mbit/20ms",
  };
  const kill = ["timeout", "--foreground", "--signal", "KILL", "1.5"];
  for (const around of [{ aroundNear: kill }, { aroundFar: kill }]) {
    const { folder, ended } = runFlows({ ...lab, ...around });
    assert.ok(ended.status !== 0, `${ended.status}`);
    for (let tries = 0; ; tries++) {
      const left = spawnSync("pgrep", ["--full", "--list-full", folder], {
        encoding: "utf8",
      }).stdout;
      if (left === "") break;
      assert.ok(tries < 200, left);
      spawnSync("sleep", ["0.1"]);
    }
    if (!("aroundNear" in around)) continue;
    const { flows } = reportIn(folder, "far");
    assert.ok(flows.every(({ state }) => state === "cut"));
    assert.ok((flows[0]?.sent_bytes ?? 0) > 0 && (flows[1]?.received_bytes ?? 0) > 0);
  }
});
