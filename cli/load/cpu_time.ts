// The CPU time of a lab's processes so far, as Linux reports it in /proc: of the server, the shaper, and the browser with all
// of its processes; and how long each of their threads was ready and had no CPU. Reads; judges nothing.
//
// A process's user and system time is reported in hundredths of a second, cut off, which over a browser's ten processes would be
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
  /** CPU time of children that ended and were waited for, by the number of the process that waited, in ms. */
  readonly ended_ms: ReadonlyMap<number, number>;
}

interface ThreadUse {
  readonly part: Part;
  readonly process: number;
  readonly ran_ns: number;
  readonly waited_ns: number;
  /** How often it was given a CPU. */
  readonly turns: number;
  readonly way: Way;
}

/**
 * What a thread is to the load: a page's main thread, which computes; one that carries messages and packets on its way; null: what
 * keeps it waiting keeps no page waiting.
 */
type Way = "main" | "carries" | null;

interface ThreadReading {
  readonly thread: string;
  readonly ran_ns: number;
  readonly waited_ns: number;
  readonly turns: number;
  readonly children: readonly number[];
}

interface ProcessReading {
  readonly name: string;
  readonly ms: number;
  /** Of `ms`: of children that ended. */
  readonly ended_ms: number;
  readonly threads: readonly ThreadReading[];
}

/** Of one thread: its time, and the processes that it started. */
function ofThread(folder: string, thread: string): ThreadReading {
  const [ran_ns, waited_ns, turns] = readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ").map(Number);
  const children = readFileSync(`${folder}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return { thread, ran_ns: Number(ran_ns), waited_ns: Number(waited_ns), turns: Number(turns), children };
}

/** Null for a process that is gone. Throws if /proc does not have it. */
function ofProcess(pid: number): ProcessReading | null {
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
    return { name, ms, ended_ms, threads };
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

/** As Firefox names its own, in its first process and in those of the pages. */
const firefoxCarries: ReadonlySet<string> = new Set(["Socket Thread", "IPC I/O Parent", "IPC I/O Child"]);

/**
 * Of Firefox: its first process answers for the network, and a process of pages has "tab" for its last word. Others (GPU, media, utilities) have no part.
 * null: the process is none of Firefox's.
 */
function firefoxWays(pid: number, words: readonly string[], nameOf: (thread: string) => string) {
  const [program = ""] = words;
  if (!/(^|\/)firefox[^/]*$/.test(program)) return null;
  const isFirst = !words.includes("-contentproc");
  const isPage = !isFirst && words.at(-1) === "tab";
  return (thread: string): Way => {
    if (!isFirst && !isPage && words.at(-1) !== "socket") return null;
    if (thread === `${pid}`) return isPage ? "main" : "carries";
    return firefoxCarries.has(nameOf(thread)) ? "carries" : null;
  };
}

/** What threads of a browser's process are to a load, which goes through the browser, its network service and the pages. */
function browserWays(pid: number): (thread: string) => Way {
  const text = (path: string): string => {
    try {
      return readFileSync(path, "latin1");
    } catch (error) {
      if (isGone(error)) return "";
      throw error;
    }
  };
  const commandLine = text(`/proc/${pid}/cmdline`);
  const nameOf = (thread: string): string => text(`/proc/${pid}/task/${thread}/comm`).trim();
  const ofFirefox = firefoxWays(pid, commandLine.split("\0").filter(Boolean), nameOf);
  if (ofFirefox) return ofFirefox;
  const type = /--type=([\w-]+)/.exec(commandLine)?.[1];
  const hasPart = type === undefined || type === "renderer" || commandLine.includes("network.mojom.NetworkService");
  return (thread) => {
    if (!hasPart) return null;
    if (thread === `${pid}`) return type === "renderer" ? "main" : "carries";
    return carryingThreads.has(nameOf(thread)) ? "carries" : null;
  };
}

/** Kernels may be built without these; then they are missing of a process that is there, too. */
const isKnown = (): boolean =>
  ["schedstat", "children"].every((name) => existsSync(`/proc/self/task/${process.pid}/${name}`));

/** Of the process `root` and all that descend from it. Null where the system does not tell. */
export function labUseOf(root: number): LabUse | null {
  const cpu = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
  const threads = new Map<string, ThreadUse>();
  const ended_ms = new Map<number, number>();
  const left = [root];
  if (!isKnown()) return null;
  try {
    for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
      const seen = ofProcess(pid);
      if (!seen) continue;
      const part = partOf(seen.name);
      cpu[part] += seen.ms;
      ended_ms.set(pid, seen.ended_ms);
      const wayOf = part === "browser_ms" ? browserWays(pid) : (): Way => "carries";
      for (const { thread, ran_ns, waited_ns, turns, children } of seen.threads) {
        threads.set(thread, { part, process: pid, ran_ns, waited_ns, turns, way: wayOf(thread) });
        left.push(...children);
      }
    }
  } catch {
    return null;
  }
  return { cpu, threads, ended_ms };
}

/** What was spent from one reading to the next. */
export function cpuTimeBetween(from: CpuTime, to: CpuTime): CpuTime {
  // A thread that ended takes its nanoseconds with it, so that a sum may shrink by what they were more exact.
  const since = (key: keyof CpuTime) => Math.max(0, to[key] - from[key]);
  return { browser_ms: since("browser_ms"), server_ms: since("server_ms"), shaper_ms: since("shaper_ms") };
}

type Threads = Pick<LabUse, "threads" | "ended_ms">;

/**
 * CPU time of all threads from one reading to the next. Those of processes that ended meanwhile (frames that a page removed, a
 * renderer that was held ready and not needed) are in the times of who waited for them; of threads that ended in a process that
 * continues it is not known how long they ran, so it is at least so much.
 */
export function ranBetween_ms(from: Threads, to: Threads): number {
  let ran_ns = 0;
  for (const [thread, use] of to.threads) ran_ns += Math.max(0, use.ran_ns - (from.threads.get(thread)?.ran_ns ?? 0));
  let ended_ms = 0;
  for (const [process, now_ms] of to.ended_ms) ended_ms += now_ms - (from.ended_ms.get(process) ?? 0);
  for (const { process, ran_ns } of from.threads.values()) if (!to.ended_ms.has(process)) ended_ms -= ran_ns / 1e6;
  return ran_ns / 1e6 + Math.max(0, ended_ms);
}

/** kthreadd, whose children the kernel's own threads are. */
const kernelThreads = 2;

/** Of the kernel's own threads, in ms, by their numbers; none where they are not shown (a container, hidepid). */
export function kernelUse_ms(): ReadonlyMap<string, number> {
  const ran_ms = new Map<string, number>();
  try {
    const folder = `/proc/${kernelThreads}`;
    if (readFileSync(`${folder}/comm`, "latin1").trim() !== "kthreadd") return ran_ms;
    const threads = readFileSync(`${folder}/task/${kernelThreads}/children`, "latin1").split(" ").filter(Boolean);
    for (const thread of threads) {
      try {
        ran_ms.set(thread, Number(readFileSync(`/proc/${thread}/schedstat`, "latin1").split(" ")[0]) / 1e6);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  } catch {
    return new Map();
  }
  return ran_ms;
}
