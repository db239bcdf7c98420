// What the bench `busy` disturbs the machine by, each at normal priority: busy loops, on and off too, a compiler, a second browser that
// plays a video. Each kind is begun and ended here; none outlives its work. Measures nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RunError } from "../../cli/base/errors.ts";
import { tempFolder } from "../temp_folder.ts";

const root = join(import.meta.dirname, "..", "..");
const trilane = join(root, "cli", "trilane");

/** Should nobody end a loop. */
const longestLoop_s = 3600;

type Stop = () => Promise<void>;

/** A process group of its own, which ends with all that it started. */
function started(command: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = { ...process.env, ...environment };
  return spawn(command, words, { stdio: "ignore", detached: true, env });
}

async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended meanwhile.
  }
  await closed;
}

function loops(number: number): ChildProcess[] {
  return Array.from({ length: number }, () => started("sh", ["-c", `ulimit -t ${longestLoop_s}; while :; do :; done`]));
}

const endAll = async (children: readonly ChildProcess[]): Promise<void> =>
  void (await Promise.all(children.map((child) => end(child))));

async function loopsForEver(perCpu: number): Promise<Stop> {
  const children = loops(perCpu * cpus().length);
  return () => endAll(children);
}

async function loopsOnAndOff(on_ms: number, off_ms: number): Promise<Stop> {
  const over = new AbortController();
  const pause = (time_ms: number) => delay(time_ms, undefined, { signal: over.signal }).catch(() => {});
  const work = (async () => {
    while (!over.signal.aborted) {
      const children = loops(cpus().length);
      await pause(on_ms);
      await endAll(children);
      await pause(off_ms);
    }
  })();
  return async () => {
    over.abort();
    await work;
  };
}

/** Of our own C, again and again, in a folder of its own. */
async function compiler(): Promise<Stop> {
  const folder = tempFolder("trilane-bench-compiler-");
  const target = "trilane-shaper";
  const configure = `cmake -S ${root}/native-host -B ${folder} -G Ninja -DTRILANE_QUIC="$(cat ${root}/build/native/quic-dir)" >/dev/null`;
  const script = `${configure} && while ninja -C ${folder} ${target}; do ninja -C ${folder} -t clean; done`;
  const child = started("sh", ["-c", script], { CCACHE_DISABLE: "1", CMAKE_C_COMPILER_LAUNCHER: "" });
  await delay(5000);
  if (child.exitCode !== null) throw new RunError(`the compiler ended with ${child.exitCode}: build Trilane first`);
  return async () => {
    // So that ninja ends its compilers, which are in groups of their own.
    await end(child, "SIGTERM");
    await delay(1000);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  };
}

/** In a data folder of its own, over a link that delays nothing. */
async function video(): Promise<Stop> {
  const home = tempFolder("trilane-bench-video-");
  const words = ["video", "--clip", "120s", "--link", "100mbit/10ms", "--lanes", "h2", "--runs", "30"];
  const child = started(trilane, [...words, "--quiet", "--home", home]);
  // Its clip is drawn first.
  await delay(15_000);
  if (child.exitCode !== null) throw new RunError(`the video ended with ${child.exitCode}`);
  return async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      const closed = once(child, "close");
      // The lab goes in order; the browser is in a process group of its own.
      child.kill("SIGTERM");
      await Promise.race([closed, delay(10_000)]);
    }
    await end(child);
    await rm(home, { recursive: true, force: true });
  };
}

export const kinds = {
  loop: { title: "one busy loop per CPU", start: () => loopsForEver(1) },
  loops: { title: "two busy loops per CPU", start: () => loopsForEver(2) },
  "on-and-off": { title: "busy loops for 3 s of 9", start: () => loopsOnAndOff(3000, 6000) },
  compiler: { title: "a compiler", start: compiler },
  video: { title: "a second browser playing a video", start: video },
} as const satisfies Record<string, { readonly title: string; readonly start: () => Promise<Stop> }>;

export type Kind = keyof typeof kinds;

/** Runs `work` while the machine is disturbed so. */
export async function amid<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
  const stop = await kinds[kind].start();
  try {
    return await work();
  } finally {
    await stop();
  }
}
