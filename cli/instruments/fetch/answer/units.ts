// What a figure over many fetches counts as one: a host or an object with the median of its repetitions, so that those fetched more
// often count no more; of few of them, as in a lab with one server, each fetch. Pure.
import { minimumUnits } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import { type Fetched, servingHost } from "../metrics/fetched.ts";
import type { QuantityFacts } from "../metrics/quantities.ts";

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
