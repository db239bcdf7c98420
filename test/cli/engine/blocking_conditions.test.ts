// Writes of a run while the disk is full or another process holds the results: held, told once, and given up when the run is to end.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, type TestContext, test } from "node:test";
import { LockedError, NoRoomError } from "../../../cli/base/errors.ts";
import { retryWhileBlocked } from "../../../cli/engine/blocking_conditions.ts";
import { openResults, openSharedResults, Results } from "../../../cli/results/store/results.ts";
import { tempFolder } from "../../temp_folder.ts";
import { fastPlan, fastRun, validLoad } from "../instruments/page/run/fast_runner.ts";

let home: string;
beforeEach(() => {
  home = tempFolder("trilane-room-");
});

const plan = fastPlan({ pages: ["a"], links: ["1mbit/20ms"], lanes: ["h1"], repetitions: 2 });
const film = async (request: Parameters<typeof validLoad>[0]) => ({
  load: await validLoad(request),
  frames: [],
  visual: null,
});

/** The disk is full at one kind of write until it was tried so often. */
function fillDisk(context: TestContext, write: "recordLoad" | "recordFilm" | "finishSweep", times: number): void {
  const real = Results.prototype[write];
  let tried = 0;
  context.mock.method(Results.prototype, write, function (this: Results, ...values: never[]) {
    if (tried++ < times) throw new NoRoomError("results.db: no space left");
    return (real as (...values: never[]) => unknown).apply(this, values);
  });
}

for (const write of ["recordLoad", "recordFilm", "finishSweep"] as const) {
  test(`${write} is held until there is room`, async (context) => {
    fillDisk(context, write, 3);
    const paused: string[] = [];
    const waited: number[] = [];
    const outcome = await fastRun({
      home,
      plan,
      measure: validLoad,
      film,
      pause: async (time_ms) => void waited.push(time_ms),
      tell: (event) => {
        if (event.event === "sweep-paused") paused.push(event.reason);
      },
    });
    assert.equal(outcome.state, "finished");
    assert.deepEqual(paused, ["results.db: no space left"]);
    assert.deepEqual(waited, [2000, 2000, 2000]);
    using results = openResults(home);
    assert.equal(results.loadsOf(1).length, 2);
    assert.equal(results.filmedCellsOf(1).size, 1);
    assert.notEqual(results.sweep(1).finished_at, null);
  });

  test(`a run that is asked to end does so while ${write} is held, and the next one goes on`, async (context) => {
    fillDisk(context, write, 3);
    let waits = 0;
    const run = { home, plan, measure: validLoad, film, pause: async () => void waits++ };
    const outcome = await fastRun({ ...run, earlyEnd: () => (waits > 1 ? "its time is over" : null) });
    assert.deepEqual([outcome.state, outcome.endReason, waits], ["stopped", "its time is over", 2]);
    assert.equal((await fastRun(run)).state, "finished");
  });
}

test("another process that holds the results is waited for, and so are a shard's readers", async () => {
  for (const begin of ["BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM attempt"]) {
    const isShard = begin !== "BEGIN IMMEDIATE";
    const folder = join(home, isShard ? "shard" : "home");
    // Made first: without a write-ahead log readers hold off a commit.
    if (isShard) openSharedResults(join(folder, "results.db")).close();
    else openResults(folder).close();
    using other = new DatabaseSync(join(folder, "results.db"));
    let loads = 0;
    let waits = 0;
    const paused: string[] = [];
    const outcome = await fastRun({
      home: folder,
      plan,
      measure: validLoad,
      tell: (event) => {
        if (event.event === "load-started" && loads++ === 0) other.exec(begin);
        if (event.event === "sweep-paused") paused.push(event.reason);
      },
      pause: async () => {
        if (++waits === 2) other.exec("ROLLBACK");
      },
    });
    assert.deepEqual([outcome.state, outcome.done, waits, paused], ["finished", 2, 2, []]);
  }
});

test("a long wait for another process is told once, and ends where the run is to", async () => {
  const stop = new AbortController();
  const told: string[] = [];
  const waits: number[] = [];
  const waiting = {
    tell: (reason: string) => void told.push(reason),
    mustEnd: () => waits.length === 30,
    signal: stop.signal,
    pause: async (time_ms: number) => void waits.push(time_ms),
  };
  const locked = () => {
    assert.equal(told.length, waits.length < 10 ? 0 : 1);
    throw new LockedError("results.db: locked by another process for too long");
  };
  assert.equal(await retryWhileBlocked(locked, waiting), null);
  assert.deepEqual(told, ["results.db: locked by another process for too long"]);
  assert.deepEqual(new Set(waits), new Set([200]));
});

test("a wait that is cut off writes nothing; another error is thrown at once", async () => {
  const stop = new AbortController();
  let told = 0;
  const waiting = { tell: () => void told++, mustEnd: () => false, signal: stop.signal };
  const full = () => {
    throw new NoRoomError("full");
  };
  setImmediate(() => stop.abort());
  assert.equal(await retryWhileBlocked(full, waiting), null);
  assert.equal(told, 1);
  const broken = () => {
    throw new Error("the disk is failing");
  };
  await assert.rejects(retryWhileBlocked(broken, waiting), /the disk is failing/);
});

test("a copy that has no room names where it was to be, and not the file that it is of", async () => {
  const told: string[] = [];
  const waiting = { tell: (reason: string) => void told.push(reason), mustEnd: () => told.length > 0 };
  const full = Object.assign(new Error("full"), {
    code: "ENOSPC",
    syscall: "copyfile",
    path: "/dev/shm/run/shaper.json",
  });
  const pausing = { ...waiting, signal: new AbortController().signal, pause: async () => undefined };
  const copied = (more: object) => retryWhileBlocked(() => Promise.reject(Object.assign(full, more)), pausing);
  assert.equal(await copied({ dest: "/evidence/shaper.json" }), null);
  assert.deepEqual(told, ["/evidence/shaper.json: no space left: free some"]);
});
