// Numbers of fetches as people read them, and what is counted as one. Rounds for display only.
import type { Interval } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import type { QuantityFacts } from "../../fetch/metrics/quantities.ts";
import { metricText } from "../../flows/metrics/metric_text.ts";
import type { Unit } from "../../results/fetches/units.ts";

const figures = (value: number): string => String(Number(value.toPrecision(3)));

/** `1200`, `3.12 million`. */
function countText(value: number): string {
  if (value >= 999.5e6) return `${figures(value / 1e9)} billion`;
  return value >= 999.5e3 ? `${figures(value / 1e6)} million` : figures(value);
}

/** `52.4 ms`, `94.1 Mbit/s`, `3.24 kB`. */
export function quantityText(value: number, unit: QuantityFacts["unit"]): string {
  return unit === "count" ? countText(value) : metricText(value, unit);
}

/** `50.1 to 53 ms`: one unit for both where they have the same. */
export function quantityRange({ low, high }: Interval, unit: QuantityFacts["unit"]): string {
  const [from, to] = [quantityText(low, unit), quantityText(high, unit)];
  const [fromUnit, toUnit] = [from, to].map((text) => text.split(" ").slice(1).join(" "));
  if (from === to) return "";
  return `${fromUnit === toUnit ? (from.split(" ")[0] ?? from) : from} to ${to}`;
}

/** `7 hosts`. */
export const unitCount = (n: number, unit: Unit): string =>
  unit === "fetch" ? count(n, "fetch", "fetches") : count(n, unit);

export const unitNames: Readonly<Record<Unit, string>> = {
  host: "hosts by their median",
  object: "objects by their median",
  fetch: "fetches",
};

/** What an axis counts in. */
export const axisUnits: Readonly<Record<QuantityFacts["unit"], { readonly of: number; readonly name: string }>> = {
  ms: { of: 1, name: "ms" },
  "bit/s": { of: 1e6, name: "Mbit/s" },
  bytes: { of: 1000, name: "kB" },
  ratio: { of: 1, name: "ratio" },
  count: { of: 1, name: "" },
};

/** The link in sentences; null: the network as it is. */
export const linkName = (link: string | null): string => link ?? "the network as it is";
