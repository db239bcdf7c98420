// `trilane flows` end to end: real runs of TCP flows, what is stored of them, and what is kept of a run. Stopped and resumed:
// interrupted.test.ts; killed in parts: kills.test.ts.
// Beside others: nothing here depends on how busy the machine is; runs that it disturbed are stored, too, and counted.
// Long: runs of seconds, whatever the machine.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { flowResult } from "../../cli/instruments/flows/metrics/flow_result.ts";
import { cellsOf, flowPlanDigest, flowPlanOf } from "../../cli/instruments/flows/plan/plan.ts";
import { unpackRecords } from "../../cli/instruments/flows/records/stored_records.ts";
import { attemptFlowRun } from "../../cli/instruments/flows/run/attempt.ts";
import { runFlowSweep } from "../../cli/instruments/flows/run/runner.ts";
import { flowTasks, runCells } from "../../cli/instruments/flows/run/tasks.ts";
import { addedFlows, flowRunsOf, flowSeriesOf } from "../../cli/instruments/flows/store/flow_runs.ts";
import { groupsOf } from "../../cli/link/flows/flow_run.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { labFolders, labProcesses, run, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-e2e-flows-");

const words = (...more: string[]): string[] => [
  ...["flows", "--link", "20mbit/20ms", "--flow", "tcp:cubic", "--flow", "tcp:reno@500ms", "--for", "5s"],
  // Nothing is repeated for this machine's sake: what is asked here is not how fast the flows were.
  ...["--runs", "3", "--retries", "0", "--json", ...more],
];

test("each run is stored once, with what both ends and the link counted, and nothing is left", () => {
  const { status, events, pid } = run(home, words());
  const ended = events.at(-1);
  assert.ok(ended?.event === "flows-finished" && ended.runs === 3, JSON.stringify(ended));
  assert.equal(status, ended.valid > 0 ? 0 : 1);
  assert.match(readFileSync(ended.report, "utf8"), /^<!doctype html>/);
  assert.deepEqual([labProcesses(pid), labFolders(pid)], [[], []]);

  using results = openResults(home);
  for (const { id, result, status, reasons } of flowRunsOf(results, 1)) {
    assert.notEqual(status, "failed", reasons.join());
    // What was delivered over 20 Mbit/s in 5 s, and no more.
    const goodput_bps = result?.down?.metrics.goodput_bps ?? 0;
    assert.ok(goodput_bps > 1e6 && goodput_bps < 20e6, `${goodput_bps} bit/s`);
    const records = unpackRecords(flowSeriesOf(results, id) ?? new Uint8Array(), `run ${id}`);
    assert.equal(records.samples.length, 2);
    assert.ok(
      records.samples.every(({ sender, receiver }) => sender.time_ms.length > 10 && receiver.time_ms.length > 10),
    );
    assert.ok(records.bins.every(({ counted, down }) => counted !== null && down.time_ms.length > 10));
  }
});

test("runs go side by side in two labs, each once, and each link carries its own run alone", async () => {
  const home = tempFolder("trilane-e2e-flows-labs-");
  const links = ["1mbit/20ms", "1mbit/60ms"];
  const mixes = [{ flows: ["tcp:cubic", "tcp:reno"] }];
  const plan = flowPlanOf({ name: "beside", links, mixes, for_s: 2, repetitions: 2, retries: 0 }, "test");
  const cells = cellsOf(plan);
  using results = openResults(home);
  const head = { name: "beside", plan, plan_digest: flowPlanDigest(plan), seed: 1, command: [], environment: {} };
  const { sweep, resumed } = results.begin(addedFlows({ ...head, flowCells: cells }), false);
  let running = 0;
  let mostAtOnce = 0;
  const outcome = await runFlowSweep({
    ...{ home, results, sweep, resumed, plan, guess_ms: () => 2000 },
    signal: new AbortController().signal,
    tasks: flowTasks(results, sweep, plan, runCells(results, sweep, cells)),
    labs: { most: 2, mayShare: () => true },
    // Not asked how busy it is: on a busy one runs would wait for one another.
    machine: () => ({ stalled_us: null, used_ms: null, stolen_ms: null }),
    attempt: async (request) => {
      mostAtOnce = Math.max(mostAtOnce, ++running);
      return await attemptFlowRun(request).finally(() => running--);
    },
    resultOf: (records, cell) => flowResult(records, groupsOf(cell.flows)),
    tell: () => undefined,
  });
  assert.deepEqual([outcome.state, mostAtOnce], ["finished", 2]);
  const rows = flowRunsOf(results, sweep.id);
  assert.deepEqual(rows.map(({ position }) => position).toSorted(), [0, 1, 2, 3]);
  for (const { result, link, reasons } of rows) {
    const goodput_bps = result?.down?.metrics.goodput_bps ?? 0;
    assert.ok(goodput_bps > 0.5e6 && goodput_bps < 1e6, `${link}: ${goodput_bps} bit/s ${reasons.join("; ")}`);
  }
  assert.deepEqual([labProcesses(process.pid), labFolders(process.pid)], [[], []]);
});

test("--evidence keeps what both ends and the link wrote", async () => {
  const folder = join(home, "evidence");
  const { until, events, ended } = start(home, words("--new", "--evidence", folder));
  await until("a run begins", () => events.some(({ event }) => event === "flow-run-started"));
  writeFileSync(join(home, "stop"), "");
  // The run in flight is finished, and the rest is for another time.
  assert.equal((await ended).status, 75);
  const listed = run(home, ["list"]);
  assert.match(listed.stdout, /^2 flows\S* .*1 mix +- +1 +1 of 3 +unfinished/m);
  const files = readdirSync(folder, { recursive: true }).map(String);
  for (const name of ["run.json", "near.json", "far.json", "near-samples.rec", "flow-bins.rec", "packets.pcapng"])
    assert.equal(files.filter((file) => file.endsWith(`block0-attempt0/${name}`)).length, 1, name);
});

test("a controller that there is not is one line, and nothing is stored", () => {
  const before = existsSync(join(home, "results.db"));
  const { status, stderr } = run(home, ["flows", "--flow", "tcp:nonesuch"]);
  assert.equal(status, 2);
  assert.match(stderr, /^trilane: flow "tcp:nonesuch".*controller "nonesuch"[^\n]*\n$/);
  assert.equal(existsSync(join(home, "results.db")), before);
});
