// `trilane flows` end to end: real runs of TCP flows are stored, gone on with after a kill -9, and nothing of them stays behind.
// Beside others: nothing here depends on how busy the machine is; runs that it disturbed are stored, too, and counted.
// Long: runs of seconds, whatever the machine.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { unpackRecords } from "../../cli/instruments/flows/records/stored_records.ts";
import { flowRunsOf, flowSeriesOf } from "../../cli/instruments/flows/store/flow_runs.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../temp_folder.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const home = tempFolder("trilane-e2e-flows-");

const environment = { ...process.env, TRILANE_HOME: home };
const words = (...more: string[]): string[] => [
  ...["flows", "--link", "20mbit/20ms", "--flow", "tcp:cubic", "--flow", "tcp:reno@500ms", "--for", "5s"],
  // Nothing is repeated for this machine's sake: what is asked here is not how fast the flows were.
  ...["--runs", "3", "--retries", "0", "--json", ...more],
];

interface Started {
  readonly child: ChildProcess;
  readonly events: SweepEvent[];
  /** Resolves with the first event for which it holds. */
  until(holds: (event: SweepEvent) => boolean): Promise<SweepEvent>;
}

function start(...more: string[]): Started {
  const child = spawn(trilane, words(...more), { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const events: SweepEvent[] = [];
  const waiting = new Set<() => void>();
  if (child.stdout)
    createInterface(child.stdout).on("line", (line) => {
      events.push(JSON.parse(line) as SweepEvent);
      for (const look of waiting) look();
    });
  const until = (holds: (event: SweepEvent) => boolean): Promise<SweepEvent> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = events.find(holds);
        if (found) resolve(found);
      };
      waiting.add(look);
      child.once("close", () => reject(new Error(`ended before that: ${JSON.stringify(events.at(-1))}`)));
      look();
    });
  return { child, events, until };
}

/** Processes whose command line names a run of ours, and folders of runs whose process is `pid`. */
function left(pid: number | undefined): string[] {
  const lines = readdirSync("/proc").flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
    } catch {
      return [];
    }
  });
  const mine = `trilane-flows-${pid}-`;
  const folders = ["/dev/shm", tmpdir()].flatMap((parent) =>
    readdirSync(parent).filter((name) => name.startsWith(mine)),
  );
  return [...lines.filter((line) => line.includes(mine)), ...folders];
}

async function untilGone(pid: number | undefined, isGone: (found: string[]) => boolean): Promise<string[]> {
  let found = left(pid);
  for (let looks = 0; looks < 100 && !isGone(found); looks++) {
    await delay(100);
    found = left(pid);
  }
  return found;
}

test("killed with -9 in a run, the same command goes on, each run is stored once, and nothing is left", async () => {
  const first = start();
  await first.until(({ event }) => event === "flow-run-finished");
  await first.until((event) => event.event === "flow-run-started" && event.position === 1);
  const { pid } = first.child;
  for (let looks = 0; looks < 100 && !left(pid).some((line) => line.includes("trilane-shaper")); looks++)
    await delay(50);
  assert.ok(left(pid).length > 1, "a lab runs, and has its folder");
  first.child.kill("SIGKILL");
  await once(first.child, "close");
  // The lab dies with its parent; its folder is the next run's to remove.
  const processes = await untilGone(pid, (found) => found.every((line) => !line.includes(" ")));
  assert.ok(
    processes.every((line) => !line.includes(" ")),
    processes.join("\n"),
  );

  const second = start();
  const [code] = await once(second.child, "close");
  const [begun] = second.events;
  assert.ok(begun?.event === "sweep-started" && begun.resumed && begun.sweep === 1, JSON.stringify(begun));
  const ended = second.events.at(-1);
  assert.ok(ended?.event === "flows-finished" && ended.runs === 3, JSON.stringify(ended));
  assert.equal(code, ended.valid > 0 ? 0 : 1);
  assert.match(readFileSync(ended.report, "utf8"), /^<!doctype html>/);
  assert.deepEqual([left(pid), left(second.child.pid)], [[], []]);

  const results = openResults(home);
  after(() => results.close());
  const runs = flowRunsOf(results, 1);
  // What the machine disturbed may have been tried again; no attempt is there twice, and none is missing.
  const attempts = Map.groupBy(runs, ({ position }) => position);
  assert.deepEqual([...attempts.keys()].toSorted(), [0, 1, 2]);
  for (const tries of attempts.values())
    assert.deepEqual(
      tries.map(({ attempt }) => attempt),
      tries.map((_, index) => index),
    );
  for (const { id, result, status, reasons } of runs) {
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

test("Ctrl-C in a run drops it, keeps what is stored, and says how to go on", async () => {
  const started = start("--new");
  await started.until(({ event }) => event === "flow-run-started");
  const { pid } = started.child;
  started.child.kill("SIGINT");
  const [code] = await once(started.child, "close");
  assert.equal(code, 130);
  const last = started.events.at(-1);
  assert.ok(last?.event === "sweep-stopped" && last.done === 0 && last.loads === 3 && last.signal === "SIGINT");
  assert.deepEqual(left(pid), []);
  const listed = spawnSync(trilane, ["list"], { env: environment, encoding: "utf8" });
  assert.match(listed.stdout, /^2 flows\S* .*1 mix +- +1 +0 of 3 +unfinished/m);
});

/** The process of a run's lab with that program and, of trilane-flows, at that end; undefined: there is none. */
function labProcess(pid: number | undefined, program: string, end = ""): number | undefined {
  const found = readdirSync("/proc").find((name) => {
    try {
      const [path = "", first = "", ...rest] = readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0");
      const isMine = [first, ...rest].some((word) => word.includes(`trilane-flows-${pid}-`));
      return isMine && path.endsWith(`/${program}`) && (end === "" || first === end);
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}

test("whatever of a lab is killed, its run fails, says so, and the next one runs", async () => {
  const started = start("--new");
  const { pid } = started.child;
  const parts = [["trilane-flows", "near"], ["trilane-shaper"], ["trilane-flows", "far"]] as const;
  for (const [position, [program, end]] of parts.entries()) {
    await started.until((event) => event.event === "flow-run-started" && event.position === position);
    let victim: number | undefined;
    for (let looks = 0; looks < 200 && victim === undefined; looks++) {
      await delay(25);
      victim = labProcess(pid, program, end);
    }
    assert.notEqual(victim, undefined, `${program} ${end} runs`);
    process.kill(victim ?? 0, "SIGKILL");
    const ended = await started.until((event) => event.event === "flow-run-finished" && event.position === position);
    assert.ok(ended.event === "flow-run-finished" && ended.status === "failed", JSON.stringify(ended));
    assert.match(ended.reasons[0] ?? "", /killed/);
  }
  const [code] = await once(started.child, "close");
  assert.equal(code, 1);
  const last = started.events.at(-1);
  assert.ok(last?.event === "flows-finished" && last.failed === 3 && last.valid === 0, JSON.stringify(last));
  assert.deepEqual(left(pid), []);
});

test("--evidence keeps what both ends and the link wrote", async () => {
  const folder = join(home, "evidence");
  const started = start("--new", "--evidence", folder);
  await started.until(({ event }) => event === "flow-run-started");
  writeFileSync(join(home, "stop"), "");
  const [code] = await once(started.child, "close");
  // The run in flight is finished, and the rest is for another time.
  assert.equal(code, 75);
  const files = readdirSync(folder, { recursive: true }).map(String);
  for (const name of ["run.json", "near.json", "far.json", "near-samples.rec", "flow-bins.rec", "packets.pcapng"])
    assert.equal(files.filter((file) => file.endsWith(`block0-attempt0/${name}`)).length, 1, name);
});

test("a controller that there is not is one line, and nothing is stored", () => {
  const before = existsSync(join(home, "results.db"));
  const { status, stderr } = spawnSync(trilane, ["flows", "--flow", "tcp:nonesuch"], {
    env: environment,
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.match(stderr, /^trilane: flow "tcp:nonesuch".*controller "nonesuch"[^\n]*\n$/);
  assert.equal(existsSync(join(home, "results.db")), before);
});
