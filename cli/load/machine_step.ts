// What the machine did to a load: read before its navigation and after its end, held against how long it took, and estimated from what the
// page waited for.
import type { CpuTimes, Disturbance, PageLoad, Pressure } from "../../schemas/generated/page_load.ts";
import { cpuTimeBetween, labUseOf } from "./cpu_time.ts";
import { disturbanceOf, estimatedEffect_ms, heldUpReasons, mostDisturbed, type Tolerance } from "./disturbance.ts";
import { criticalPath } from "./metrics/critical_path.ts";
import { type PressureReading, pressureBetween, readPressure } from "./pressure.ts";
import type { LoadStep } from "./step.ts";

/** Loads under way in this process. */
let underWay = 0;

/** `load`, as one that others see beside them. */
export async function besideOthers<T>(load: () => Promise<T>): Promise<T> {
  underWay++;
  try {
    return await load();
  } finally {
    underWay--;
  }
}

interface MachineTerms {
  readonly tolerance: Tolerance | undefined;
  readonly rtt_ms: number;
  /** Whether it is known what the page waits for: of a video that is not how it plays. */
  readonly estimates: boolean;
}

interface MachineStep extends LoadStep {
  /** Of the load under way. */
  read(): PressureReading | null;
  /** The load is judged up to this time as well: until then it was as disturbed as `to` says. null: neither is known. */
  judgeUntil(until_ns: number | null, to: PressureReading | null): void;
}

export function machineStep({ tolerance, rtt_ms, estimates }: MachineTerms): MachineStep {
  let pid = 0;
  let before: PressureReading | null = null;
  let loaded: PressureReading | null = null;
  let cpu: CpuTimes = null;
  let pressure: Pressure | null = null;
  let isBeside = false;
  const further: [number | null, Pressure | null][] = [];
  const upTo = (reading: PressureReading | null): Pressure | null =>
    before && reading ? pressureBetween(before, reading) : null;
  return {
    read: () => readPressure(pid),
    judgeUntil: (until_ns, to) => void further.push([until_ns, upTo(to)]),
    opened({ browser }) {
      pid = browser.pid;
      before = readPressure(pid);
      isBeside = underWay > 1;
    },
    loaded() {
      loaded = readPressure(pid);
    },
    rested() {
      const all = labUseOf(pid);
      cpu = before && loaded && all && { load: cpuTimeBetween(before.use.cpu, loaded.use.cpu), all: all.cpu };
      pressure = upTo(loaded);
      isBeside ||= underWay > 1;
    },
    failed() {
      if (!before) return null;
      // That the machine kept it waiting up to now: one that timed out would else count as slow.
      cpu = null;
      pressure = upTo(readPressure(pid));
      isBeside ||= underWay > 1;
      return null;
    },
    says({ navigation_ns, loadEnd_ns, failure, shaper }) {
      // One that did not end was disturbed up to the end of its lab.
      const end_ns = loadEnd_ns ?? (failure === null ? null : (shaper?.end_ns ?? null));
      const spans = [[end_ns, pressure] as const, ...further].flatMap(([until_ns, waited]): Disturbance[] => {
        if (navigation_ns === null || until_ns === null || until_ns < navigation_ns || !shaper?.overdue) return [];
        const window = { start_ns: navigation_ns, end_ns: until_ns };
        return [disturbanceOf({ window, overdue: shaper.overdue, pressure: waited, tolerance, isBeside })];
      });
      return { reasons: heldUpReasons(spans), facts: { cpu, pressure, disturbance: mostDisturbed(spans) } };
    },
    complete(load: PageLoad): PageLoad {
      const { disturbance } = load.log._trilane;
      const path = disturbance && estimates ? criticalPath(load) : null;
      const estimate_ms = disturbance && path && estimatedEffect_ms(disturbance, pressure, { ...path, rtt_ms });
      if (!disturbance || typeof estimate_ms !== "number") return load;
      return {
        log: { ...load.log, _trilane: { ...load.log._trilane, disturbance: { ...disturbance, estimate_ms } } },
      };
    },
  };
}
