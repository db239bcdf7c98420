// Linear axes with round ticks. Knows numbers, not what they mean.
import { extremes } from "../../cli/base/quantile.ts";

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** Position of a value between `from` and `to`. */
  at(value: number): number;
}

/** The step of 1, 2 or 5 times a power of ten that makes at most `most` intervals. */
export function roundStep(span: number, most: number): number {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function ticksWithin(low: number, high: number, step: number): number[] {
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) {
    ticks.push(Number((index * step).toPrecision(12)));
  }
  return ticks;
}

function scaleOf(low: number, high: number, from: number, to: number, step: number): Scale {
  return {
    low,
    high,
    ticks: ticksWithin(low, high, step),
    at: (value) => from + ((value - low) / (high - low)) * (to - from),
  };
}

/** An axis that ends on round numbers and holds all values. */
export function roundScale(values: readonly number[], from: number, to: number, most = 8): Scale {
  const { least: lowest, greatest: highest } = extremes(values) ?? { least: 0, greatest: 1 };
  // Values that agree still need an axis with a length.
  const span = Math.max(highest - lowest, Math.abs(highest) * 0.02, 1);
  const middle = (lowest + highest) / 2;
  const step = roundStep(span, most);
  const low = Math.floor(Math.min(lowest, middle - span / 2) / step + 1e-9) * step;
  const high = Math.ceil(Math.max(highest, middle + span / 2) / step - 1e-9) * step;
  return scaleOf(low, high, from, to, step);
}

/** An axis from 0 that ends just behind the largest value. */
export function scaleFromZero(highest: number, from: number, to: number, most = 10): Scale {
  const end = highest > 0 ? highest * 1.02 : 1;
  return scaleOf(0, end, from, to, roundStep(end, most));
}
