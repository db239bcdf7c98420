// A sweep whose disk gets full: it pauses, says so, and goes on by itself when there is room; stopped while paused it loses the
// load that it holds and no other. On a small file system in namespaces that end with the script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../../temp_folder.ts";

const file = (...names: string[]) => JSON.stringify(join(import.meta.dirname, "..", "..", "..", "..", "..", ...names));

const fill = `
import { closeSync, openSync, writeSync } from "node:fs";
function fill(filler) {
  const file = openSync(filler, "w");
  for (const size of [65536, 4096, 512]) { try { for (;;) writeSync(file, Buffer.alloc(size)); } catch {} }
  closeSync(file);
}
`;

const script = `${fill}
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { openResults } from ${file("cli", "results", "store", "results.ts")};
import { fastPlan, fastRun, validLoad } from ${JSON.stringify(join(import.meta.dirname, "fast_runner.ts"))};
const [home, then] = process.argv.slice(1);
const plan = fastPlan({ pages: ["a"], links: ["1mbit/20ms"], repetitions: 4 });
const stop = new AbortController();
const paused = [];
const filler = home + "/filler";
const outcome = await fastRun({
  home,
  plan,
  signal: stop.signal,
  async measure(request) {
    const load = await validLoad(request);
    // Random text does not shrink when compressed.
    load.log.pages[0].title = randomBytes(30000).toString("base64");
    return load;
  },
  tell(event) {
    if (event.event === "load-finished" && event.position === 3) fill(filler);
    if (event.event !== "sweep-paused") return;
    paused.push(event.reason);
    rmSync(filler);
    if (then === "stop") stop.abort();
  },
});
const results = openResults(home);
const stored = results.loadsOf(1).map((load) => load.position);
results.close();
console.log(JSON.stringify({ state: outcome.state, paused, stored }));
`;

/** What the script prints, with a small file system for its first argument. */
function run<Result>(text: string, ...then: string[]): Result {
  const home = tempFolder("trilane-full-");
  const mount = `mount -t tmpfs -o size=3m none "$0" && exec "$@"`;
  const node = [process.execPath, "--input-type=module", "-e", text, home, ...then];
  const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mount, home, ...node];
  const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

interface Outcome {
  readonly state: string;
  readonly paused: string[];
  readonly stored: number[];
}

const all = Array.from({ length: 12 }, (_, position) => position);

test("it pauses, says so once, and goes on when there is room, with the load that it held", () => {
  const { state, paused, stored } = run<Outcome>(script, "room");
  assert.equal(state, "finished");
  assert.equal(paused.length, 1);
  assert.match(paused[0] ?? "", /results\.db: no space left/);
  assert.deepEqual(stored, all);
});

test("stopped while it is paused, what was stored is kept", () => {
  const { state, stored } = run<Outcome>(script, "stop");
  assert.equal(state, "stopped");
  assert.deepEqual(stored, all.slice(0, stored.length));
  assert.ok(stored.length >= 4 && stored.length < 12, `${stored.length}`);
});

const before = `${fill}
import { readdirSync, rmSync } from "node:fs";
import { withArchive } from ${file("cli", "recording", "archive", "client.ts")};
import { atomicWrite } from ${file("cli", "base", "atomic_write.ts")};
import { resultsExist } from ${file("cli", "results", "store", "database.ts")};
import { openResults } from ${file("cli", "results", "store", "results.ts")};
import { retryWhileBlocked } from ${file("cli", "engine", "blocking_conditions.ts")};
import { ensureSynth } from ${file("cli", "recording", "synth", "synthetic.ts")};
const [home] = process.argv.slice(1);
const filler = home + "/filler";
const told = [];
const left = [];
const waiting = {
  signal: new AbortController().signal,
  mustEnd: () => false,
  tell: (reason) => told.push(reason),
  pause: async () => { left.push(resultsExist(home)); rmSync(filler); },
};
for (const work of [
  () => openResults(home).close(),
  () => withArchive(home, (archive) => ensureSynth(archive, "object-1kB")),
  () => atomicWrite(home + "/report.html", "x".repeat(100000)),
]) {
  fill(filler);
  await retryWhileBlocked(work, waiting);
}
console.log(JSON.stringify({ told, left, there: readdirSync(home).filter((name) => name.startsWith("report") || name.startsWith(".")) }));
`;

test("what comes before a sweep's loads and after them waits for room, too, and leaves nothing half", () => {
  const { told, left, there } = run<{ told: string[]; left: boolean[]; there: string[] }>(before);
  assert.equal(told.length, 3, told.join("; "));
  assert.match(told[0] ?? "", /results\.db: no space left/);
  assert.match(told[1] ?? "", /: the disk is full: make room/);
  assert.match(told[2] ?? "", /report\.html: no space left/);
  // What a full disk left of results counts as none.
  assert.deepEqual(left, [false, true, true]);
  assert.deepEqual(there, ["report.html"]);
});
