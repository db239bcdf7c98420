// The CPU time of a lab's processes so far, as Linux tells it in /proc: of the server, the shaper, and the browser with all
// of its processes. Reads; judges nothing.
//
// A process's user and system time is told in hundredths of a second, cut off, which over a browser's ten processes would be
// a tenth of a second too little. Its threads tell theirs in nanoseconds, but only those that still run. Both are too low;
// the larger one is taken. Processes that ended are in the times of those that waited for them (cutime, cstime).
import { readdirSync, readFileSync } from "node:fs";
import type { CpuTime } from "../../schemas/generated/page_load.ts";

// USER_HZ, the unit of /proc/PID/stat: 100 on every architecture that Linux runs browsers on.
const tick_ms = 10;

interface Told {
  readonly name: string;
  readonly ms: number;
  readonly children: readonly number[];
}

/** Of one thread: its time, and the processes that it started. */
function ofThread(folder: string): { ms: number; children: number[] } {
  const [ran_ns] = readFileSync(`${folder}/schedstat`, "utf8").split(" ");
  const children = readFileSync(`${folder}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return { ms: Number(ran_ns) / 1e6, children };
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
        return [ofThread(`${folder}/task/${thread}`)];
      } catch (error) {
        if (isGone(error)) return [];
        throw error;
      }
    });
    const own_ms = threads.reduce((sum, { ms }) => sum + ms, 0);
    const ended_ms = (cutime + cstime) * tick_ms;
    const ms = Math.max(own_ms, (utime + stime) * tick_ms) + ended_ms;
    return { name, ms, children: threads.flatMap(({ children }) => children) };
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

/** In ms since their starts, of the process `root` and all that descend from it. Null where the system does not tell. */
export function cpuTimeOf(root: number): CpuTime | null {
  const times = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
  const left = [root];
  try {
    for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
      const told = ofProcess(pid);
      if (!told) continue;
      left.push(...told.children);
      if (told.name === "trilane-replay") times.server_ms += told.ms;
      else if (told.name === "trilane-shaper") times.shaper_ms += told.ms;
      else times.browser_ms += told.ms;
    }
  } catch {
    return null;
  }
  return times;
}

/** What was spent from one reading to the next. */
export function cpuTimeBetween(from: CpuTime, to: CpuTime): CpuTime {
  // A thread that ended takes its nanoseconds with it, so that a sum may shrink by what they were more exact.
  const since = (key: keyof CpuTime) => Math.max(0, to[key] - from[key]);
  return { browser_ms: since("browser_ms"), server_ms: since("server_ms"), shaper_ms: since("shaper_ms") };
}
