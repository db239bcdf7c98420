// One run's values by their names: what was measured of it, and the numbers that it printed. Pure.

import type { CommandRecord } from "../../../../schemas/generated/command_record.ts";
import { type CommandMetric, type MeasuredMetric, metrics } from "../../../registry/metrics.ts";
import type { MeasuredRun } from "../store/measured_runs.ts";

export type CommandRun = MeasuredRun<CommandRecord>;

export type RunValue = { readonly value: number } | { readonly reason: string };

/** A measured metric, or a number that commands print. */
export interface Quantity {
  readonly name: string;
  readonly title: string;
  /** null: only the command knows. */
  readonly metric: MeasuredMetric | null;
}

/** In the order in which people read them. */
export const measured = Object.keys(metrics.command) as CommandMetric[];

function measuredValue({ process, link }: CommandRecord, name: CommandMetric): RunValue {
  const ofProcess = new Map<string, unknown>(Object.entries(process)).get(name);
  if (typeof ofProcess === "number") return { value: ofProcess };
  const ofLink = new Map<string, unknown>(Object.entries(link ?? {})).get(name);
  return typeof ofLink === "number" ? { value: ofLink } : { reason: "the command ran on no link" };
}

export function runValue({ record }: Pick<CommandRun, "record">, { name, metric }: Quantity): RunValue {
  if (record === null) return { reason: "the run left no record" };
  if (metric) return measuredValue(record, name as CommandMetric);
  const number = record.numbers.find((each) => each.name === name);
  if (number === undefined) return { reason: "the command gave no such number" };
  return number.value === null ? { reason: number.reason ?? "no number" } : { value: number.value };
}

/** What some run has, the measured first. A link's counters only where there was one. */
export function quantitiesOf(runs: readonly CommandRun[]): Quantity[] {
  const onLink = runs.some(({ record }) => record?.link != null);
  const printed = new Set(runs.flatMap(({ record }) => record?.numbers.map(({ name }) => name) ?? []));
  return [
    ...measured
      .map((name): Quantity => ({ name, title: metrics.command[name].title, metric: metrics.command[name] }))
      .filter(({ name }) => onLink || !isTraffic(name)),
    ...[...printed].map((name): Quantity => ({ name, title: name, metric: null })),
  ];
}

const isTraffic = (name: string): boolean => /^(?:down|up)_|^connections$/.test(name);
