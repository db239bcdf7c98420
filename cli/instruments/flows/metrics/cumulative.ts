// Counters that only grow, sampled now and then: how much had come by a moment, and at what rate in each second. Pure.
import { countThrough } from "../../../base/quantile.ts";

/** Bytes counted since the flow's start, at times in ms, both ascending. */
export interface Counter {
  readonly time_ms: ArrayLike<number>;
  readonly bytes: ArrayLike<number>;
}

/** A stretch of the run's time, in ms since it began. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

export const lengthOf = ({ from_ms, to_ms }: Span): number => to_ms - from_ms;

/** Bytes by a moment, linear between samples. Before the first sample nothing has come, after the last nothing more does. */
export function countAt({ time_ms, bytes }: Counter, at_ms: number): number {
  const next = countThrough(time_ms, at_ms);
  if (next === 0) return 0;
  const before = bytes[next - 1] as number;
  if (next === time_ms.length) return before;
  const [from, to] = [time_ms[next - 1] as number, time_ms[next] as number];
  return before + (((bytes[next] as number) - before) * (at_ms - from)) / (to - from);
}

/** Mean rate over a span that is longer than 0, in bit/s. */
export function rateOver(counter: Counter, span: Span): number {
  return ((countAt(counter, span.to_ms) - countAt(counter, span.from_ms)) * 8000) / lengthOf(span);
}

export const second_ms = 1000;

/** The whole seconds of a span, counted from `origin_ms` (0: the run's own): `first`, and how many. */
export function wholeSeconds({ from_ms, to_ms }: Span, origin_ms = 0): { first: number; seconds: number } {
  const first = Math.ceil((from_ms - origin_ms) / second_ms);
  return { first, seconds: Math.max(0, Math.floor((to_ms - origin_ms) / second_ms) - first) };
}

/** Rate in each whole second of a span, in bit/s. */
export function ratesBySecond(counter: Counter, span: Span, origin_ms = 0): number[] {
  const { first, seconds } = wholeSeconds(span, origin_ms);
  return Array.from({ length: seconds }, (_, index) => {
    const from_ms = origin_ms + (first + index) * second_ms;
    return rateOver(counter, { from_ms, to_ms: from_ms + second_ms });
  });
}

/** While all of them lasted; null if they never did together. */
export function commonSpan(spans: readonly Span[]): Span | null {
  const from_ms = Math.max(...spans.map((span) => span.from_ms));
  const to_ms = Math.min(...spans.map((span) => span.to_ms));
  return spans.length > 0 && to_ms > from_ms ? { from_ms, to_ms } : null;
}
