// A sweep whose disk gets full: it pauses, says so, and goes on by itself when there is room; stopped while paused it loses the
// load that it holds and no other. On a small file system in namespaces that end with the script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const script = `
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { openResults } from ${JSON.stringify(join(import.meta.dirname, "..", "..", "..", "cli", "results", "results.ts"))};
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
    if (event.event === "load-finished" && event.position === 3) {
      const file = openSync(filler, "w");
      for (const size of [65536, 4096, 512]) { try { for (;;) writeSync(file, Buffer.alloc(size)); } catch {} }
      closeSync(file);
    }
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

function run(then: "room" | "stop"): { state: string; paused: string[]; stored: number[] } {
  const home = mkdtempSync(join(tmpdir(), "trilane-full-"));
  try {
    const mount = `mount -t tmpfs -o size=3m none "$0" && exec "$@"`;
    const node = [process.execPath, "--input-type=module", "-e", script, home, then];
    const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mount, home, ...node];
    const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 120_000 });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const all = Array.from({ length: 12 }, (_, position) => position);

test("it pauses, says so once, and goes on when there is room, with the load that it held", () => {
  const { state, paused, stored } = run("room");
  assert.equal(state, "finished");
  assert.equal(paused.length, 1);
  assert.match(paused[0] ?? "", /results\.db: no space left/);
  assert.deepEqual(stored, all);
});

test("stopped while it is paused, what was stored is kept", () => {
  const { state, stored } = run("stop");
  assert.equal(state, "stopped");
  assert.deepEqual(stored, all.slice(0, stored.length));
  assert.ok(stored.length >= 4 && stored.length < 12, `${stored.length}`);
});
