// Preloaded into each test file's process. It ends one that does not end, as what a failed test left running can keep it from;
// and with the process, unless that is killed, all that was started in it, for `node --test` waits for whoever holds a file's output.
// A thread of its own looks at the clock, because a test may wait for a program and do nothing else.
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { after } from "node:test";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const longest_ms = 480_000;
/** From the end of the last test: for hooks, and for what they stop. */
const grace_ms = 60_000;
const variable = "TRILANE_TEST_FILE";

/** Of all that inherit this process's environment, but itself. */
function killStarted(): void {
  const mark = `${variable}=${process.pid}\0`;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid) continue;
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)) process.kill(pid, "SIGKILL");
    } catch {
      // It is gone, or another user's.
    }
  }
}

if (!isMainThread) {
  setTimeout(() => {
    writeSync(2, `${workerData}: not ended within ${longest_ms / 1000} s\n`);
    killStarted();
    process.kill(process.pid, "SIGKILL");
  }, longest_ms);
} else if (process.env.NODE_TEST_CONTEXT !== undefined) {
  process.env[variable] = String(process.pid);
  new Worker(import.meta.filename, { execArgv: [], workerData: process.argv[1] }).unref();
  process.on("exit", killStarted);
  // What a failed test left running keeps its process: the failure is known by then, and nobody needs to wait for the limit.
  after(() => {
    setTimeout(() => {
      writeSync(2, `${process.argv[1]}: its tests ended ${grace_ms / 1000} s ago, what they started did not\n`);
      process.exit(1);
    }, grace_ms).unref();
  });
}
