// What every benchmark has: measured values with their bars, and the machine's idle share meanwhile. Measures nothing.
import { readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../cli/base/quantile.ts";

export interface Measurement {
  readonly name: string;
  readonly unit:
    | "ms"
    | "us"
    | "%"
    | "Gbit/s"
    | "MB"
    | "MB/s"
    | "packets"
    | "requests/s"
    | "connections"
    | "bytes"
    | "ratio"
    | "times"
    | "loads/h"
    | "files"
    | "lines";
  readonly n: number;
  readonly min: number;
  readonly median: number;
  readonly p90: number;
  readonly max: number;
  /** What the median may be at most, or must be at least; null: no bar. */
  readonly bar: number | null;
  readonly bar_is: "at most" | "at least";
  /** Share of all CPUs' time that was idle while this was measured, where a benchmark says it for each. */
  readonly idle_share?: number;
}

/** What else a benchmark may be given; null: its own default. */
export interface BenchOptions {
  /** The words after its name. */
  readonly paths: readonly string[];
  readonly only: string;
  readonly runs: number | null;
  readonly link: string | null;
  /** What only one benchmark takes, by its name. */
  readonly more: Readonly<Record<string, string>>;
}

/** Measurements, or also what they were made of, for --json. */
export type Measured = Measurement[] | { readonly measurements: Measurement[]; readonly details: unknown };

/** Measures and tells on the way what it is about. `only`: what of it, for those that have parts; empty: all. */
export type Bench = (say: (line: string) => void, only: string, options: BenchOptions) => Promise<Measured>;

export interface BenchResult {
  readonly schema: "trilane/bench/1";
  readonly name: string;
  readonly machine: { readonly cpu: string; readonly cpus: number; readonly kernel: string };
  /** Share of all CPUs' time that was idle in the second before, and during the run (our own work included). */
  readonly idle_share_before: number;
  readonly idle_share: number;
  readonly wall_s: number;
  readonly measurements: readonly Measurement[];
  readonly details?: unknown;
}

export function measurement(
  name: string,
  values: readonly number[],
  bar: number | null,
  kind: Partial<Pick<Measurement, "unit" | "bar_is" | "idle_share">> = {},
): Measurement {
  const at = (probability: number): number => Number(quantile(values, probability).toFixed(4));
  const order = { n: values.length, min: at(0), median: at(0.5), p90: at(0.9), max: at(1) };
  return { name, unit: "ms", ...order, bar, bar_is: "at most", ...kind };
}

export interface CpuTime {
  readonly idle: number;
  readonly total: number;
}

/** From the first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks. */
export function cpuTime(): CpuTime {
  const fields = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").trim().split(/\s+/).slice(1, 9).map(Number);
  const idle = (fields[3] ?? 0) + (fields[4] ?? 0);
  return { idle, total: fields.reduce((sum, ticks) => sum + ticks, 0) };
}

export function idleShare(from: CpuTime, to: CpuTime): number {
  const total = to.total - from.total;
  return total === 0 ? 0 : Number(((to.idle - from.idle) / total).toFixed(3));
}

export async function runBench(
  name: string,
  bench: Bench,
  say: (line: string) => void,
  options: BenchOptions,
): Promise<BenchResult> {
  const before = cpuTime();
  await delay(1000);
  const start = cpuTime();
  const started_ms = performance.now();
  const measured = await bench(say, options.only || (options.paths[0] ?? ""), options);
  const end = cpuTime();
  const all = cpus();
  return {
    schema: "trilane/bench/1",
    name,
    machine: { cpu: all[0]?.model.trim() || "unknown", cpus: all.length, kernel: release() },
    idle_share_before: idleShare(before, start),
    idle_share: idleShare(start, end),
    wall_s: Number(((performance.now() - started_ms) / 1000).toFixed(1)),
    ...(Array.isArray(measured) ? { measurements: measured } : measured),
  };
}
