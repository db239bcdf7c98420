// How busy the machine is besides a load, and how long the threads of its lab were ready to run and had no CPU while it ran.
// The only reader of /proc/pressure, /proc/stat and the CPU accounting of control groups; cpu_time.ts reads the threads.
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Pressure } from "../../schemas/generated/page_load.ts";
import { kernelUse_ms, type LabUse, labUseOf, ranBetween_ms } from "./cpu_time.ts";

// USER_HZ, the unit of /proc/stat: 100 on every architecture that Linux runs browsers on.
const tick_ms = 10;

/** What the machine did since its boot; null: the system does not tell (a container, an older kernel). */
export interface MachineReading {
  /** Time that some task of it waited for a CPU. */
  readonly stalled_us: number | null;
  /** CPU time that was used, over all CPUs. */
  readonly used_ms: number | null;
  /** Time that a hypervisor ran something else in, over all CPUs. */
  readonly stolen_ms: number | null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}

/** Time since boot that some task of the machine waited for a CPU; null where the system does not tell. */
export function stalled_us(): number | null {
  const total = /^some .*total=(\d+)/m.exec(textOf("/proc/pressure/cpu") ?? "")?.[1];
  return total === undefined ? null : Number(total);
}

/** Of all CPUs by proc_stat(5): time that was not idle, and of it what was stolen. */
function statOf(text: string): { readonly busy_ms: number; readonly stolen_ms: number } | null {
  const numbers = /^cpu +(.*)$/m.exec(text)?.[1]?.split(" ").map(Number);
  if (!numbers || numbers.length < 8) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = numbers;
  return { busy_ms: (user + nice + system + irq + softirq) * tick_ms, stolen_ms: stolen * tick_ms };
}

/** The root group's, which is the whole machine's and exact; a container may show its own group in that place. */
const accountedPath = "/sys/fs/cgroup/cpuacct/cpuacct.usage";
const mostApart_share = 0.1;

export function readMachine(): MachineReading {
  const stat = statOf(textOf("/proc/stat") ?? "");
  const accounted = textOf(accountedPath);
  const accounted_ms = accounted === null ? null : Number(accounted) / 1e6;
  const busy_ms = stat?.busy_ms ?? null;
  const isWhole =
    accounted_ms !== null && busy_ms !== null && Math.abs(accounted_ms - busy_ms) <= busy_ms * mostApart_share;
  return { stalled_us: stalled_us(), used_ms: isWhole ? accounted_ms : busy_ms, stolen_ms: stat?.stolen_ms ?? null };
}

export interface PressureReading {
  readonly use: LabUse;
  readonly machine: MachineReading;
  /** CPU time of this process. */
  readonly own_ms: number;
  /** CPU time of the kernel's own threads, by their numbers. */
  readonly kernel_ms: ReadonlyMap<string, number>;
}

/** Of the lab whose first process is `root`. Null where the system does not tell. */
export function readPressure(root: number): PressureReading | null {
  const machine = readMachine();
  const { user, system } = process.cpuUsage();
  const kernel_ms = kernelUse_ms();
  const use = labUseOf(root);
  return use && { use, machine, own_ms: (user + system) / 1000, kernel_ms };
}

/**
 * What is neither the lab's nor ours. The kernel's own threads run for programs (they write what a browser caches, free what it
 * let go): of them others have the share that they have of all programs' time. On a machine that does nothing else that
 * is next to nothing, on a busy one most.
 */
function outside_ms(used_ms: number, kernel_ms: number, lab_ms: number): number {
  const programs_ms = Math.max(0, used_ms - lab_ms - kernel_ms);
  const all_ms = programs_ms + lab_ms;
  return programs_ms + (all_ms > 0 ? (kernel_ms * programs_ms) / all_ms : 0);
}

/** What was waited from one reading to the next. The waits of a thread that ended between the two are not in it. */
export function pressureBetween(from: PressureReading, to: PressureReading): Pressure {
  const waited = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
  const main = { ran_ms: 0, waited_ms: 0 };
  const carriers = { waited_ms: 0, turns: 0 };
  for (const [thread, { part, ran_ns, waited_ns, turns, way }] of to.use.threads) {
    const before = from.use.threads.get(thread) ?? { ran_ns: 0, waited_ns: 0, turns: 0 };
    const wait_ms = Math.max(0, waited_ns - before.waited_ns) / 1e6;
    waited[part] += wait_ms;
    if (way === "main") {
      main.ran_ms += Math.max(0, ran_ns - before.ran_ns) / 1e6;
      main.waited_ms += wait_ms;
    }
    if (way === "carries") {
      carriers.waited_ms += wait_ms;
      carriers.turns += Math.max(0, turns - before.turns);
    }
  }
  let kernel_ms = 0;
  for (const [thread, ran_ms] of to.kernel_ms) kernel_ms += Math.max(0, ran_ms - (from.kernel_ms.get(thread) ?? 0));
  const since = (key: keyof MachineReading): number | null => {
    const [before, after] = [from.machine[key], to.machine[key]];
    return before === null || after === null ? null : Math.max(0, after - before);
  };
  const stalled = since("stalled_us");
  const used_ms = since("used_ms");
  const lab_ms = ranBetween_ms(from.use, to.use) + (to.own_ms - from.own_ms);
  return {
    stalled_ms: stalled === null ? null : stalled / 1e3,
    waited,
    way_ms: main.waited_ms + carriers.waited_ms,
    main,
    carriers,
    outside_ms: used_ms === null ? null : outside_ms(used_ms, kernel_ms, lab_ms),
    stolen_ms: since("stolen_ms") ?? 0,
  };
}

/** How disturbed a machine was for a time, as shares of it. null: the system does not tell. */
export interface Unrest {
  /** Of the CPUs' time, used. */
  readonly used: number | null;
  /** Of the CPUs' time, stolen. */
  readonly stolen: number | null;
  /** Of the time, some task waited for a CPU. */
  readonly stalled: number | null;
}

export function unrestBetween(from: MachineReading, to: MachineReading, time_ms: number): Unrest {
  const share = (key: keyof MachineReading, whole: number): number | null => {
    const [before, after] = [from[key], to[key]];
    return before === null || after === null ? null : Math.max(0, after - before) / whole;
  };
  const all_ms = time_ms * cpus().length;
  return {
    used: share("used_ms", all_ms),
    stolen: share("stolen_ms", all_ms),
    stalled: share("stalled_us", time_ms * 1000),
  };
}
