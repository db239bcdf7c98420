// Runs test files as `node --test` does, but in the given order: that sorts them by name, and a long one that comes last leaves CPUs
// without work. Prints as the spec reporter; each further reporter of ours writes to the file that is named with it. Ends a file that
// does not end, and all that it started: a test that waits for a program and does nothing else cannot.
//
//   node --import ./test/bounded.ts test/run_files.ts AT-ONCE TEST-TIMEOUT-MS FILE-LIMIT-MS [REPORTER=FILE]... -- FILE...
import { createWriteStream, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { killStarted } from "./bounded.ts";

type Reporter = (source: AsyncIterable<TestEvent>) => AsyncGenerator<string>;

/** Kills each child of this process that is older than the limit. */
function watchFiles(limit_ms: number): void {
  const began = new Map<number, number>();
  const look = (): void => {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1");
    const running = new Set(children.split(" ").filter(Boolean).map(Number));
    for (const pid of began.keys()) if (!running.has(pid)) began.delete(pid);
    for (const pid of running) {
      const began_ms = began.get(pid) ?? performance.now();
      began.set(pid, began_ms);
      if (performance.now() - began_ms < limit_ms) continue;
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      console.error(`${words.findLast((word) => word.includes(".test."))}: not ended within ${limit_ms / 1000} s`);
      killStarted(pid);
      process.kill(pid, "SIGKILL");
    }
  };
  setInterval(look, Math.min(1000, limit_ms / 4)).unref();
}

async function main(words: readonly string[]): Promise<void> {
  const end = words.indexOf("--");
  const [atOnce, timeout_ms, limit_ms, ...reporters] = words.slice(0, end);
  const files = words.slice(end + 1).map((file) => resolve(file));
  watchFiles(Number(limit_ms));
  // As calm_machine.ts calls tests of time.
  const chosen = process.env.TRILANE_TIMED === "only" ? { testNamePatterns: [/ \(timed\)$/] } : {};
  const events = run({ files, concurrency: Number(atOnce), timeout: Number(timeout_ms), ...chosen });
  // Each reporter listens a few times.
  events.setMaxListeners(50);
  events.on("test:summary", ({ file, success }) => {
    if (file === undefined && !success) process.exitCode = 1;
  });
  events.on("test:fail", () => {
    process.exitCode = 1;
  });
  const written = reporters.map(async (pair) => {
    const [path = "", file = ""] = pair.split("=");
    const { default: reporter } = (await import(resolve(path))) as { default: Reporter };
    return { reporter, file };
  });
  const outputs = (await Promise.all(written)).map(({ reporter, file }) => {
    const output = createWriteStream(file);
    (events.compose(reporter) as unknown as Readable).pipe(output);
    return finished(output);
  });
  (events.compose(new spec()) as unknown as Readable).pipe(process.stdout);
  await Promise.all(outputs);
}

await main(process.argv.slice(2));
