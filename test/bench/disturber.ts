// Disturbs this machine, the same way for the same seed: busy loops, one for each CPU at normal priority, on and off or for ever, and
// stops (SIGSTOP) of the shapers and browsers that descend from this process. Measures nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type RandomSource, randomSource } from "../../cli/base/random.ts";
import { familyOf, type Process } from "../product.ts";

export interface Disturbances {
  readonly seed: number;
  /** null: none; off_ms 0: for ever. */
  readonly loops: { readonly on_ms: number; readonly off_ms: number } | null;
  /** null: none. Pauses are random, from none to twice the mean. */
  readonly stops: { readonly least_ms: number; readonly most_ms: number; readonly pause_ms: number } | null;
}

/**
 * Busy loops for 3 s of 9, and stops: the disturbance that a sweep is to bear. Stops are rarer than loads are long (1 s): a load
 * tolerates 1 % of its PLT, so that any stop of its link makes it invalid, and with several in each no load could count.
 */
export const onAndOff: Disturbances = {
  seed: 1,
  loops: { on_ms: 3000, off_ms: 6000 },
  stops: { least_ms: 5, most_ms: 30, pause_ms: 3000 },
};

/** Should nobody end a loop. */
const longestLoop_s = 600;

/** The shaper of a lab, or a browser with all of its processes, the first one first. */
function victims(which: "shaper" | "browser"): number[] {
  const family = familyOf(process.pid);
  const isShaper = (each: Process | undefined): boolean => /^\S*trilane-shaper /.test(each?.commandLine ?? "");
  const shaper = family.find((each) => isShaper(each) && !isShaper(family.find(({ pid }) => pid === each.parent)));
  if (which === "shaper") return shaper ? [shaper.pid] : [];
  const browser = family.find(({ commandLine }) => /^\S*chrom\S* (?!.*--type=)/.test(commandLine));
  if (!browser) return [];
  const others = familyOf(browser.pid).filter(({ pid }) => pid !== browser.pid);
  return [browser, ...others].map(({ pid }) => pid);
}

function signal(pids: readonly number[], name: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
  }
}

async function stopAndGo(
  { least_ms, most_ms, pause_ms }: NonNullable<Disturbances["stops"]>,
  random: RandomSource,
  isOver: AbortSignal,
): Promise<void> {
  while (!isOver.aborted) {
    await delay(random() * 2 * pause_ms);
    const pids = victims(random() < 0.5 ? "shaper" : "browser");
    const stop_ms = least_ms + random() * (most_ms - least_ms);
    // The browser's first process goes on last: its parent sees how long it stood.
    signal(pids, "SIGSTOP");
    await delay(stop_ms);
    signal(pids.toReversed(), "SIGCONT");
  }
}

function startLoops(): ChildProcess[] {
  const loop = `ulimit -t ${longestLoop_s}; while :; do :; done`;
  return cpus().map(() => spawn("sh", ["-c", loop], { stdio: "ignore", detached: true }));
}

async function loopOnAndOff({ on_ms, off_ms }: NonNullable<Disturbances["loops"]>, isOver: AbortSignal): Promise<void> {
  while (!isOver.aborted) {
    const loops = startLoops();
    try {
      await delay(off_ms === 0 ? 2 ** 31 - 1 : on_ms, undefined, { signal: isOver }).catch(() => {});
    } finally {
      for (const loop of loops) loop.kill("SIGKILL");
    }
    await delay(off_ms, undefined, { signal: isOver }).catch(() => {});
  }
}

/** Runs `work` on a machine that is disturbed meanwhile. */
export async function whileDisturbed<T>({ seed, loops, stops }: Disturbances, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const random = randomSource(seed, "disturbances");
  const disturbing = [
    ...(loops ? [loopOnAndOff(loops, over.signal)] : []),
    ...(stops ? [stopAndGo(stops, random, over.signal)] : []),
  ];
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(disturbing);
  }
}
