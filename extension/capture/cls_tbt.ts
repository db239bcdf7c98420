// How steady a page was while it loaded: cumulative layout shift and total blocking time, from what the page answers. Pure.
import type { Metrics } from "../../schemas/generated/metrics.ts";
import { metricsOf, type PageTimings } from "./metrics.ts";

/** What the page answers. Times in ms since its time origin. */
export interface ClsTbt {
  /** Without those that followed an input. null: the browser does not tell them. */
  readonly shifts: readonly { readonly start: number; readonly value: number }[] | null;
  /** Absent: it does. */
  readonly tellsLongTasks?: boolean;
  /** null: they were not watched for. */
  readonly longTasks: readonly { readonly start: number; readonly duration: number }[] | null;
}

const numbersOf = (value: unknown): Record<string, number> | null => {
  if (typeof value !== "object" || value === null) return null;
  const numbers = Object.entries(value).filter((pair): pair is [string, number] => Number.isFinite(pair[1]));
  return Object.fromEntries(numbers);
};

const listOf = (value: unknown): Record<string, number>[] =>
  (Array.isArray(value) ? value : []).map(numbersOf).filter((each) => each !== null);

/** The page's answer, or null where it is none. */
export function readClsTbt(value: unknown): ClsTbt | null {
  if (typeof value !== "object" || value === null) return null;
  const { shifts, longTasks, tellsLongTasks } = value as Record<string, unknown>;
  return {
    shifts: shifts === null ? null : listOf(shifts).map(({ start = 0, value: size = 0 }) => ({ start, value: size })),
    ...(tellsLongTasks === false ? { tellsLongTasks } : {}),
    longTasks: Array.isArray(longTasks)
      ? listOf(longTasks).map(({ start = 0, duration = 0 }) => ({ start, duration }))
      : null,
  };
}

const windowGap_ms = 1000;
const window_ms = 5000;

/** The largest sum of shifts in a window that is closed by 1 s without one, or after 5 s (web-vitals' CLS). */
export function cumulativeLayoutShift(shifts: NonNullable<ClsTbt["shifts"]>): number {
  let largest = 0;
  let sum = 0;
  let first = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { start, value } of shifts.toSorted((a, b) => a.start - b.start)) {
    if (start - last >= windowGap_ms || start - first >= window_ms) {
      sum = 0;
      first = start;
    }
    sum += value;
    last = start;
    largest = Math.max(largest, sum);
  }
  return largest;
}

const blockingFrom_ms = 50;

/**
 * What long tasks took beyond 50 ms, each cut to what is after `from_ms` before that is read (so does Lighthouse). Its sum
 * ends at the time to interactive; this one where the tasks do: when the page was quiet.
 */
export function totalBlockingTime(tasks: NonNullable<ClsTbt["longTasks"]>, from_ms: number): number {
  return tasks.reduce((sum, { start, duration }) => {
    const counted_ms = start + duration - Math.max(start, from_ms);
    return sum + Math.max(0, counted_ms - blockingFrom_ms);
  }, 0);
}

export function profileMetricsOf(timings: PageTimings | null, clsTbt: ClsTbt | null): Metrics {
  const metrics = metricsOf(timings);
  const unavailable: Record<string, string> = { ...metrics.unavailable };
  const missing = (name: string, reason: string): null => {
    unavailable[name] = reason;
    return null;
  };
  const painted = timings?.firstContentfulPaint ?? null;
  let cls: number | null = null;
  if (!clsTbt) cls = missing("cls", "the page reported no layout shifts");
  else if (clsTbt.shifts === null) cls = missing("cls", "this browser does not report layout shifts");
  else cls = Math.round(cumulativeLayoutShift(clsTbt.shifts) * 1e6) / 1e6;
  let tbt_ms: number | null = null;
  if (clsTbt?.tellsLongTasks === false) tbt_ms = missing("tbt_ms", "this browser does not report long tasks");
  else if (!clsTbt?.longTasks) tbt_ms = missing("tbt_ms", "long tasks were not watched while the page loaded");
  else if (painted === null)
    tbt_ms = missing("tbt_ms", "it counts from the first contentful paint, and nothing was painted");
  else tbt_ms = totalBlockingTime(clsTbt.longTasks, painted);
  return { ...metrics, cls, tbt_ms, unavailable };
}
