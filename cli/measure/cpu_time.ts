// The CPU time of a lab's processes so far, as Linux tells it in /proc: of the server, the shaper, and the browser with all
// of its processes; and how long each of their threads was ready and had no CPU. Reads; judges nothing.
//
// A process's user and system time is told in hundredths of a second, cut off, which over a browser's ten processes would be
// a tenth of a second too little. Its threads tell theirs in nanoseconds, but only those that still run. Both are too low;
// the larger one is taken. Processes that ended are in the times of those that waited for them (cutime, cstime).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { CpuTime } from "../../schemas/generated/page_load.ts";

// USER_HZ, the unit of /proc/PID/stat: 100 on every architecture that Linux runs browsers on.
const tick_ms = 10;

type Part = keyof CpuTime;

/** A lab's use of the machine since its processes' starts. */
export interface LabUse {
  readonly cpu: CpuTime;
  /** By the thread's number. */
  readonly threads: ReadonlyMap<string, ThreadUse>;
}

interface ThreadUse {
  readonly part: Part;
  readonly ran_ns: number;
  readonly waited_ns: number;
  /** Whether the load goes through it: what keeps it waiting may keep the page waiting. */
  readonly isOnWay: boolean;
}

interface ThreadTold {
  readonly thread: string;
  readonly ran_ns: number;
  readonly waited_ns: number;
  readonly children: readonly number[];
}

interface Told {
  readonly name: string;
  readonly ms: number;
  readonly threads: readonly ThreadTold[];
}

/** Of one thread: its time, and the processes that it started. */
function ofThread(folder: string, thread: string): ThreadTold {
  const [ran_ns, waited_ns] = readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ").map(Number);
  const children = readFileSync(`${folder}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return { thread, ran_ns: Number(ran_ns), waited_ns: Number(waited_ns), children };
}

/** Null for a process that is gone. Throws where /proc does not tell what is asked. */
function ofProcess(pid: number): Told | null {
  const folder = `/proc/${pid}`;
  try {
    const stat = readFileSync(`${folder}/stat`, "utf8");
    // The name stands in parentheses, and may have some itself.
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Fields 14 to 17 by proc_pid_stat(5), of which the third is the first here.
    const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number) as [number, number, number, number];
    const threads = readdirSync(`${folder}/task`).flatMap((thread) => {
      try {
        return [ofThread(`${folder}/task`, thread)];
      } catch (error) {
        if (isGone(error)) return [];
        throw error;
      }
    });
    const own_ms = threads.reduce((sum, { ran_ns }) => sum + ran_ns, 0) / 1e6;
    const ended_ms = (cutime + cstime) * tick_ms;
    const ms = Math.max(own_ms, (utime + stime) * tick_ms) + ended_ms;
    return { name, ms, threads };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** ESRCH: it ended between being found and being read. */
function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ESRCH";
}

const partOf = (name: string): Part =>
  name === "trilane-replay" ? "server_ms" : name === "trilane-shaper" ? "shaper_ms" : "browser_ms";

/** Those that carry the browser's network and its messages between processes, as Chromium names them. */
const carryingThreads: ReadonlySet<string> = new Set(["Chrome_IOThread", "Chrome_ChildIOT", "NetworkService"]);

/** Which threads of a browser's process a load goes through: of the browser, its network service and the pages. */
function browserThreadsOnWay(pid: number): (thread: string) => boolean {
  const text = (path: string): string => {
    try {
      return readFileSync(path, "latin1");
    } catch (error) {
      if (isGone(error)) return "";
      throw error;
    }
  };
  const commandLine = text(`/proc/${pid}/cmdline`);
  const type = /--type=([\w-]+)/.exec(commandLine)?.[1];
  const hasPart = type === undefined || type === "renderer" || commandLine.includes("network.mojom.NetworkService");
  return (thread) =>
    hasPart && (thread === `${pid}` || carryingThreads.has(text(`/proc/${pid}/task/${thread}/comm`).trim()));
}

/** Kernels may be built without these; then they are missing of a process that is there, too. */
const isTold = (): boolean =>
  ["schedstat", "children"].every((name) => existsSync(`/proc/self/task/${process.pid}/${name}`));

/** Of the process `root` and all that descend from it. Null where the system does not tell. */
export function labUseOf(root: number): LabUse | null {
  const cpu = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
  const threads = new Map<string, ThreadUse>();
  const left = [root];
  if (!isTold()) return null;
  try {
    for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
      const told = ofProcess(pid);
      if (!told) continue;
      const part = partOf(told.name);
      cpu[part] += told.ms;
      const isOnWay = part === "browser_ms" ? browserThreadsOnWay(pid) : () => true;
      for (const { thread, ran_ns, waited_ns, children } of told.threads) {
        threads.set(thread, { part, ran_ns, waited_ns, isOnWay: isOnWay(thread) });
        left.push(...children);
      }
    }
  } catch {
    return null;
  }
  return { cpu, threads };
}

/** What was spent from one reading to the next. */
export function cpuTimeBetween(from: CpuTime, to: CpuTime): CpuTime {
  // A thread that ended takes its nanoseconds with it, so that a sum may shrink by what they were more exact.
  const since = (key: keyof CpuTime) => Math.max(0, to[key] - from[key]);
  return { browser_ms: since("browser_ms"), server_ms: since("server_ms"), shaper_ms: since("shaper_ms") };
}
