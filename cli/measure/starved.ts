// Whether a load had the CPU that it needed: what the lab's threads waited for one while it ran. Pure.
//
// Run-queue delay decides, not the machine's pressure (PSI): a browser of a hundred threads presses on two CPUs also when
// nothing else runs (24 to 100 % of a load's time), and other programs that a load is not kept waiting by do it no harm.
import type { CpuTimes, Pressure } from "../../schemas/generated/page_load.ts";

/** How a reason begins that says so of the link. */
export const lateReason = "the link missed its tolerance";
const starvedReason = "the machine was too busy";
const remedy = "let less run beside it, or take fewer labs (--labs)";

/** Whether a reason says that the machine was short of CPU, so that the same load may go well at a quieter moment. */
export function isCrowded(reason: string): boolean {
  return reason.startsWith(lateReason) || reason.startsWith(starvedReason);
}

/**
 * Of the page load time. All waits of server and shaper together, most of which hold up nothing: as an ordinary user, whose
 * shaper has no real-time priority, beside another sweep, 9 to 90 ms in loads of 400 to 500 ms that took as long as others.
 * With real-time priority 1.7 ms at most, also beside four busy loops. How late single packets left is told by the shaper,
 * and judged by itself.
 */
const mostOnPath = { ms: 50, share: 0.2 };
/**
 * Of what the browser's threads ran, in the middle of a gap: of 63 loads of carlucci-medium at 10 Mbit/s on two CPUs, beside 0 to 8
 * busy loops in sessions of their own (`npm run bench -- starved`), 56 were below 4 times, 2.5 at most alone, and took 3.7 % longer
 * than alone at most; 7 were at 8 times and more, and took 11 to 123 % longer. What this cannot tell: beside 1 to 4 loops loads took
 * 1.1 to 1.7 % longer with waits that loads have alone, too. Loops in one session, which share its part of the CPUs, did less.
 */
const mostOfBrowser = { timesRun: 6, ms: 250 };

/** Empty where the load had CPU enough, or the system does not tell. `plt_ms`: null where there is none. */
export function starvedReasons(
  pressure: Pressure | null,
  cpu: CpuTimes,
  plt_ms: number | null,
  cpus: number,
): string[] {
  if (!pressure || !cpu || plt_ms === null) return [];
  const { waited } = pressure;
  const reason = (who: string, waited_ms: number, most_ms: number): string[] =>
    waited_ms <= most_ms
      ? []
      : [
          `${starvedReason}: ${who} waited ${waited_ms.toFixed(0)} ms for a CPU (tolerated: ${most_ms.toFixed(0)} ms): ${remedy}`,
        ];
  const onPath_ms = Math.max(mostOnPath.ms, plt_ms * mostOnPath.share);
  const timesRun = mostOfBrowser.timesRun * (cpus === 1 ? 2 : 1);
  return [
    ...reason("the server", waited.server_ms, onPath_ms),
    ...reason("the link", waited.shaper_ms, onPath_ms),
    ...reason("the browser", waited.browser_ms, Math.max(mostOfBrowser.ms, cpu.load.browser_ms * timesRun)),
  ];
}
