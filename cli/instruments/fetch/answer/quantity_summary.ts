// The median of one number over fetches, with its 95 % interval over what counts as one (units.ts). Pure.
import { type Interval, minimumUnits } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import { type Fetched, reasonInWords } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { type Unit, unitFor, unitValues } from "./units.ts";

export interface QuantitySummary {
  readonly median: number | null;
  /** 95 %; null: fewer than five units. */
  readonly interval: Interval | null;
  readonly unit: Unit;
  /** Units that have the number. */
  readonly n: number;
  /** Why median or interval is null. */
  readonly reason: string | null;
}

/** Of what a number is missing of all fetches: why, as most of their records say. */
function reasonFor(fetched: readonly Fetched[], quantity: Quantity): string {
  const name = recordName[quantity] ?? quantity;
  const reasons = fetched.map((of) => {
    const { record, cost } = of;
    if (record.error) return reasonInWords(record.unavailable[name] ?? record.error.reason, of);
    if (quantity.startsWith("server_")) {
      if (quantity === "server_cycles" && cost?.server) return cost.server.cycles_missing ?? "not measured";
      return cost?.unavailable.server ?? "only a lab’s server is measured";
    }
    return record.unavailable[name] ?? "not measured";
  });
  const counted = [...Map.groupBy(reasons, (reason) => reason)].sort((a, b) => b[1].length - a[1].length);
  return counted[0]?.[0] ?? "nothing was fetched";
}

/** What a number is called in the record, where that is another name. */
const recordName: Partial<Record<Quantity, string>> = {
  throughput_bps: "download_ms",
  client_cycles: "cycles",
};

/** `unit`: of what it is; else by how many hosts or objects there are. */
export function summarizeQuantity(fetched: readonly Fetched[], quantity: Quantity, unit?: Unit): QuantitySummary {
  const facts = quantities[quantity];
  const { values, unit: of } = unitValues(fetched, facts, unit ?? unitFor(fetched, facts));
  if (values.length === 0)
    return { median: null, interval: null, unit: of, n: 0, reason: reasonFor(fetched, quantity) };
  const interval = medianInterval(values);
  const reason = interval
    ? null
    : `an interval needs ${minimumUnits}: there ${values.length === 1 ? "is" : "are"} ${values.length}`;
  return { median: median(values), interval, unit: of, n: values.length, reason };
}
