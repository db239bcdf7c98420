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

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its first 15 characters, as the kernel has it. */
  readonly name: string;
  /** Null: it does not let itself be looked into, as trilane-shaper. */
  readonly environment: string | null;
}

function processOf(pid: number): Process[] {
  const textOf = (file: string): string => readFileSync(`/proc/${pid}/${file}`, "latin1");
  try {
    const status = textOf("status");
    const parent = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
    const name = /^Name:\t(.*)$/m.exec(status)?.[1] ?? "";
    try {
      return [{ pid, parent, name, environment: textOf("environ") }];
    } catch {
      return [{ pid, parent, name, environment: null }];
    }
  } catch {
    return []; // It is gone.
  }
}

/**
 * All that inherit the environment of this test file's process, but that process. A process whose environment cannot be read is one
 * of them if its parent is; or if a child is and it is a program of Trilane's: init or a container's own process, which orphans are
 * given to, is nobody's.
 */
export function startedBy(file: number, processes: readonly Process[]): number[] {
  const mark = `${variable}=${file}\0`;
  const others = processes.filter(({ pid }) => pid !== file);
  const started = others.filter(({ environment }) => environment?.includes(mark));
  const known = new Set([file, ...started.map(({ pid }) => pid)]);
  const parents = new Set(started.map(({ parent }) => parent));
  const closed = others.filter(
    ({ pid, parent, name, environment }) =>
      environment === null && (known.has(parent) || (parents.has(pid) && name.startsWith("trilane-"))),
  );
  return [...closed, ...started].map(({ pid }) => pid);
}

export function killStarted(file: number): void {
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
  for (const pid of startedBy(file, pids.flatMap(processOf))) {
    try {
      process.kill(pid, "SIGKILL");
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
