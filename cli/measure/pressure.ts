// How long a lab's threads were ready to run and had no CPU while a load ran, beside how long any task of the machine was (PSI),
// and whether that was too long for the load to count. Reads /proc/pressure; cpu_time.ts reads the threads.
import { readFileSync } from "node:fs";
import type { Pressure } from "../../schemas/generated/page_load.ts";
import type { LabUse } from "./cpu_time.ts";

/** Time since boot that some task of the machine waited for a CPU; null where the system does not tell (a container, an older kernel). */
export function stalled_us(): number | null {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync("/proc/pressure/cpu", "latin1"))?.[1];
    return total === undefined ? null : Number(total);
  } catch {
    return null;
  }
}

export interface PressureReading {
  readonly use: LabUse;
  readonly stalled_us: number | null;
}

/** What was waited from one reading to the next. A thread that ended between the two is not in it. */
export function pressureBetween(from: PressureReading, to: PressureReading): Pressure {
  const waited = { browser_ms: 0, server_ms: 0, shaper_ms: 0 };
  for (const [thread, { part, waited_ns }] of to.use.waits)
    waited[part] += Math.max(0, waited_ns - (from.use.waits.get(thread)?.waited_ns ?? 0)) / 1e6;
  const stalled = from.stalled_us === null || to.stalled_us === null ? null : (to.stalled_us - from.stalled_us) / 1e3;
  return { stalled_ms: stalled, waited };
}
