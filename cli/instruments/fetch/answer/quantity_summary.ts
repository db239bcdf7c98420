// The median of one number over fetches, with its 95 % interval over what counts as one: a host or an object with the median of its repetitions, so
// that those fetched more often count no more; of few of them, as in a lab with one server, each fetch. Pure.
import { type Interval, minimumUnits } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import { type Fetched, reasonInWords, servingHost } from "../metrics/fetched.ts";
import { type Quantity, type QuantityFacts, quantities } from "../metrics/quantities.ts";

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

export type Unit = "host" | "object" | "fetch";

export interface UnitValues {
  readonly unit: Unit;
  readonly values: readonly number[];
  /** Fetches that have the number, of so many. */
  readonly fetches: number;
  readonly of: number;
}

const nameIn = (unit: Unit, fetched: Fetched): string => (unit === "host" ? servingHost(fetched) : fetched.object);

/** Fewer hosts or objects are no distribution: then each fetch counts. */
export function unitFor(fetched: readonly Fetched[], { of }: Pick<QuantityFacts, "of">): Unit {
  const names = new Set(fetched.map((each) => nameIn(of, each)));
  return names.size >= minimumUnits ? of : "fetch";
}

/** `unit`: of all curves of a figure alike. */
export function unitValues(
  fetched: readonly Fetched[],
  { value: numberOf }: Pick<QuantityFacts, "value">,
  unit: Unit,
): UnitValues {
  const known = fetched.flatMap((each) => {
    const value = numberOf(each);
    return value === null ? [] : [{ name: nameIn(unit, each), value }];
  });
  const own = { unit, fetches: known.length, of: fetched.length };
  if (unit === "fetch") return { ...own, values: known.map(({ value }) => value) };
  const byName = Map.groupBy(known, ({ name }) => name);
  return { ...own, values: [...byName.values()].map((of) => median(of.map(({ value }) => value))) };
}
