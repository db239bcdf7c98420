// Preloaded into each test file's process, and imported by run_files.ts, which ends a file that does not end: what a failed test left
// running can keep it from that. With the process ends all that was started in it, for `node --test` waits for whoever holds a file's
// output. Notes in the file that TRILANE_TEST_TIMES names what the test file took.
import { appendFileSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { relative } from "node:path";
import { after } from "node:test";
import { ownTime_ms } from "./own_time.ts";

/** From the end of the last test: for hooks, and for what they stop. */
const grace_ms = 60_000;
const variable = "TRILANE_TEST_FILE";

/** Kills all that inherit the environment of this test file's process, but that process. */
export function killStarted(file: number): void {
  const mark = `${variable}=${file}\0`;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === file) continue;
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)) process.kill(pid, "SIGKILL");
    } catch {
      // It is gone, or another user's.
    }
  }
}

/** Its seconds, and those of CPU time in it and in what it started, between tabs. */
function noteTimes(path: string): void {
  const seconds = [performance.now(), ownTime_ms()].map((time_ms) => (time_ms / 1000).toFixed(1));
  appendFileSync(path, `${[...seconds, relative(process.cwd(), process.argv[1] ?? "")].join("\t")}\n`);
}

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  const { TRILANE_TEST_TIMES: times, [variable]: outer } = process.env;
  process.env[variable] = String(process.pid);
  process.on("exit", () => {
    killStarted(process.pid);
    // Not of a file that a test file runs.
    if (times && outer === undefined) noteTimes(times);
  });
  // What a failed test left running keeps its process: the failure is known by then, and nobody needs to wait for the limit.
  after(() => {
    setTimeout(() => {
      writeSync(2, `${process.argv[1]}: its tests ended ${grace_ms / 1000} s ago, what they started did not\n`);
      process.exit(1);
    }, grace_ms).unref();
  });
}
