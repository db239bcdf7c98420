// Two lanes' fetches of the same objects in the same blocks: how many times as long one of them takes until it may ask, or has its first
// byte. An object with five or more others is one unit, as in summary.ts; of fewer each pair is. Pure.

import { minimumUnits } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import { type Contrast, contrast, type Pair } from "../../../results/answer/contrast.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";

/** Times that every lane has. */
export type ComparedTime = "established_ms" | "first_byte_ms" | "download_ms";

export interface TimeDifference extends Contrast {
  /** The first lane's time less the second's: median of the units. */
  readonly median_ms: number;
  readonly unit: "object" | "pair";
}

interface TimePair extends Pair {
  readonly object: string;
}

function pairsOf(ones: readonly StoredFetch[], others: readonly StoredFetch[], time: ComparedTime): TimePair[] {
  const key = ({ object, block }: StoredFetch): string => JSON.stringify([object, block]);
  const timeOf = ({ status, record }: StoredFetch): number | null =>
    status === "valid" ? (record?.[time] ?? null) : null;
  const byPlace = new Map(others.map((fetch) => [key(fetch), timeOf(fetch)]));
  return ones.flatMap((fetch) => {
    const [one, other] = [timeOf(fetch), byPlace.get(key(fetch)) ?? null];
    return one === null || other === null ? [] : [{ object: fetch.object, one, other }];
  });
}

/** Of fetches that are alike but for their lane. null: there is no pair. */
export function timeDifference(
  ones: readonly StoredFetch[],
  others: readonly StoredFetch[],
  time: ComparedTime,
): TimeDifference | null {
  const pairs = pairsOf(ones, others, time);
  const byObject = [...Map.groupBy(pairs, ({ object }) => object).values()];
  const unit = byObject.length >= minimumUnits ? "object" : "pair";
  const units = unit === "object" ? byObject : pairs.map((pair) => [pair]);
  const found = contrast(units);
  return (
    found && { ...found, unit, median_ms: median(units.map((of) => median(of.map((pair) => pair.one - pair.other)))) }
  );
}
