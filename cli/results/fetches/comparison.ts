// Two lanes' fetches of the same objects in the same blocks: how much sooner one of them is ready to ask, or has its first byte. By
// pairs, since both of a pair meet the same server and the same minute; an object with five pairs or more is one, as in summary.ts. Pure.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { median } from "../../base/quantile.ts";
import { medianInterval } from "../stats/median_interval.ts";
import type { StoredFetch } from "../store/results.ts";

/** Times that every lane has. */
export type ComparedTime = "established_ms" | "first_byte_ms";

export interface TimeDifference {
  /** The first lane's time less the second's: median of the units. */
  readonly median_ms: number;
  /** 95 %; null: fewer than five units. */
  readonly interval: Interval | null;
  /** Of the second lane's time, by how much the first one's is less; median of the units. */
  readonly percent_less: number;
  readonly n: number;
  readonly unit: "objects" | "pairs";
}

interface Pair {
  readonly object: string;
  readonly one_ms: number;
  readonly other_ms: number;
}

function pairsOf(ones: readonly StoredFetch[], others: readonly StoredFetch[], time: ComparedTime): Pair[] {
  const key = ({ object, block }: StoredFetch): string => JSON.stringify([object, block]);
  const timeOf = ({ status, record }: StoredFetch): number | null =>
    status === "valid" ? (record?.[time] ?? null) : null;
  const byPlace = new Map(others.map((fetch) => [key(fetch), timeOf(fetch)] as const).filter(([, ms]) => ms !== null));
  return ones.flatMap((fetch) => {
    const [one_ms, other_ms] = [timeOf(fetch), byPlace.get(key(fetch)) ?? null];
    return one_ms === null || other_ms === null ? [] : [{ object: fetch.object, one_ms, other_ms }];
  });
}

/** The same whichever lane comes first. */
function differenceInterval(differences: readonly number[]): Interval | null {
  if (median(differences) >= 0) return medianInterval(differences);
  const turned = medianInterval(differences.map((difference) => -difference));
  return turned && { low: -turned.high, high: -turned.low };
}

/** Of fetches that are alike but for their lane. null: there is no pair. */
export function timeDifference(
  ones: readonly StoredFetch[],
  others: readonly StoredFetch[],
  time: ComparedTime,
): TimeDifference | null {
  const pairs = pairsOf(ones, others, time);
  if (pairs.length === 0) return null;
  const byObject = [...Map.groupBy(pairs, ({ object }) => object).values()];
  const unit = byObject.length >= minimumUnits ? "objects" : "pairs";
  const units = unit === "objects" ? byObject : pairs.map((pair) => [pair]);
  const less_ms = ({ one_ms, other_ms }: Pair): number => one_ms - other_ms;
  // Of a time of 0 there is no share.
  const less = ({ one_ms, other_ms }: Pair): number => (other_ms > 0 ? 1 - one_ms / other_ms : 0);
  const differences = units.map((of) => median(of.map(less_ms)));
  return {
    median_ms: median(differences),
    interval: differenceInterval(differences),
    percent_less: 100 * median(units.map((of) => median(of.map(less)))),
    n: units.length,
    unit,
  };
}
