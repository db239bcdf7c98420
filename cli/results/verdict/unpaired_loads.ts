// Page load times of two runs whose loads were not paired, of two machines: as ratios, so that a change is in per
// cent. The test is two_samples.ts's; what follows from it is who asks.
import { sampleShift } from "../stats/two_samples.ts";
import type { ValidSample } from "./sample.ts";

/** With fewer loads in one of two equal samples no rank sum is unlikely enough. */
export const fewestLoads = 4;

/** Logarithms of page load times. */
export function logsOf(loads: readonly Pick<ValidSample, "plt_ms">[]): number[] {
  return loads.map(({ plt_ms }) => Math.log(plt_ms));
}

/** Of PLT from `a` to `b`: positive is slower. */
export interface Change {
  readonly change_percent: number;
  /** 95 %; null: too few loads. */
  readonly low_percent: number | null;
  readonly high_percent: number | null;
}

const percentOf = (logRatio: number): number => Math.expm1(logRatio) * 100;

/** From one sample of logarithms to another. Null where one is empty. */
export function changeOf(a: readonly number[], b: readonly number[]): Change | null {
  const shift = sampleShift(a, b);
  if (!shift) return null;
  const { estimate, interval } = shift;
  return {
    change_percent: percentOf(estimate),
    low_percent: interval && percentOf(interval.low),
    high_percent: interval && percentOf(interval.high),
  };
}
