// Numbers as people read them in the terminal and in the report. Rounds for display only.
import type { Interval } from "./interval.ts";

function significant(value: number, digits: number): string {
  if (value === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 3));
}

/** A hyphen before a number as the minus that it means, as print has it. */
export const withMinus = (text: string): string => text.replaceAll(/(?<=^|[ (])-(?=\d)/g, "−");

/** `743 ms`; from ten seconds on `12.3 s`. Three significant figures. */
export function formatTime(time_ms: number): string {
  const rounded_ms = Number(time_ms.toPrecision(3));
  return rounded_ms < 10_000 ? `${significant(rounded_ms, 3)} ms` : `${significant(rounded_ms / 1000, 3)} s`;
}

/** As formatTime; `over 60 s` if the time is only known to be longer, because loads timed out. */
export function formatMedian(time_ms: number, isAtLeast: boolean): string {
  return `${isAtLeast ? "over " : ""}${formatTime(time_ms)}`;
}

/** `50 ms`, `5.2 ms`: in sentences, whose readers count no figures; from a second on as formatTime. */
export function sentenceTime(time_ms: number): string {
  const rounded_ms = time_ms >= 10 ? Math.round(time_ms) : Number(time_ms.toPrecision(2));
  return rounded_ms < 1000 ? `${rounded_ms} ms` : formatTime(rounded_ms);
}

/** `718 to 743 ms`: one unit for both ends. */
export function formatTimeRange(range: Interval): string {
  const inSeconds = Number(range.high.toPrecision(3)) >= 10_000;
  const [low, high] = [range.low, range.high].map((end) =>
    significant(Number((inSeconds ? end / 1000 : end).toPrecision(3)), 3),
  );
  return `${low} to ${high} ${inSeconds ? "s" : "ms"}`;
}

/** Decimals that keep an interval honest: enough that its ends differ and that an end beside 0 does not round to 0. */
function percentDecimals(values: readonly number[]): number {
  for (const decimals of [0, 1, 2]) {
    const rounded = values.map((value) => value.toFixed(decimals));
    const lost = values.some((value, index) => Math.abs(value) >= 0.005 && Number(rounded[index]) === 0);
    const merged = decimals === 0 && values.length > 1 && new Set(rounded).size === 1;
    if (!lost && !merged) return decimals;
  }
  return 2;
}

function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text;
}

/** An improvement's number and the ends of its interval, rounded alike; an end that is infinite is empty. */
export function formatPercents(
  percent: number,
  interval: Interval | null,
): { percent: string; low: string; high: string } {
  const decimals = interval ? percentDecimals([interval.low, interval.high]) : Math.abs(percent) < 1 ? 1 : 0;
  return {
    percent: fixed(percent, decimals),
    low: interval ? fixed(interval.low, decimals) : "",
    high: interval ? fixed(interval.high, decimals) : "",
  };
}

/** `11 to 17`, of the ends that formatPercents() gives; `11 or more` or `17 or less` where one is infinite. `unit` as ` %`. */
export function percentRange({ low, high }: { readonly low: string; readonly high: string }, unit = ""): string {
  if (low === "") return `${high}${unit} or less`;
  return high === "" ? `${low}${unit} or more` : `${low} to ${high}${unit}`;
}

/**
 * Before an improvement of which only a limit is known: `≥ ` as in `≥ 98 %`, or `≤ `; empty if there is none. `limit`: the two are at
 * least, or at most, so far apart.
 */
export function limitSign(percent: number, limit: "at least" | "at most" | null): "≥ " | "≤ " | "" {
  if (limit === null) return "";
  return percent > 0 === (limit === "at least") ? "≥ " : "≤ ";
}

/** `0.031`, or `< 0.001`. */
export function formatProbability(probability: number): string {
  return probability < 0.001 ? "< 0.001" : String(Number(probability.toPrecision(2)));
}

/** `2.6 kB`, `1.2 MB`: thousands, three significant figures at most. */
export function formatSize(size_bytes: number): string {
  if (size_bytes < 1000) return `${size_bytes} B`;
  const [value, unit] =
    size_bytes < 999_500
      ? [size_bytes / 1e3, "kB"]
      : size_bytes < 999_500_000
        ? [size_bytes / 1e6, "MB"]
        : [size_bytes / 1e9, "GB"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** `1 load`, `3 loads`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : plural}`;
}
