// How much of the CPUs' time nobody used: a self-test on a busy machine says more of the machine than of the link.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** From the first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks; null where there is none. */
function cpuTime(): { idle: number; total: number } | null {
  try {
    const fields = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "")
      .trim()
      .split(/\s+/)
      .slice(1, 9)
      .map(Number);
    return { idle: (fields[3] ?? 0) + (fields[4] ?? 0), total: fields.reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return null;
  }
}

/** Over so long from now on. */
export async function idleShare(time_ms = 1000): Promise<number | null> {
  const before = cpuTime();
  await delay(time_ms);
  const after = cpuTime();
  if (!before || !after || after.total <= before.total) return null;
  return Number(((after.idle - before.idle) / (after.total - before.total)).toFixed(3));
}
