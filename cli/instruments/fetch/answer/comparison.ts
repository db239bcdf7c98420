// Which lanes, versions of TLS and of IP, and servers are compared with which, and by what, for verdict and rule. Two lanes' fetches of the same
// objects in the same blocks: how many times as long one of them takes until it may ask, or has its first byte. An object with five or more
// others is one unit, as in summary.ts; of fewer each pair is. Pure.
import { median } from "../../../base/quantile.ts";
import { metrics } from "../../../registry/metrics.ts";
import type { Ruled, RuledSide } from "../../../results/answer/block_values.ts";
import { type Contrast, contrast, type Pair, unitsOf } from "../../../results/answer/contrast.ts";
import { bareLane, serverOfLane, variantWords } from "../metrics/fetched.ts";
import type { FetchCell, StoredFetch } from "../store/fetch_runs.ts";
import { distinctPlaces, type FetchPlace, placeKey } from "./summary.ts";

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
  const { unit, units } = unitsOf(byObject);
  const found = contrast(units);
  return (
    found && { ...found, unit, median_ms: median(units.map((of) => median(of.map((pair) => pair.one - pair.other)))) }
  );
}

/** What is compared with all others: the first that there is. */
const baselines = [
  { lane: "h2", tls: "1.3" },
  { lane: "h1", tls: "1.3" },
  { lane: "h2", tls: "1.2" },
  { lane: "h1", tls: "1.2" },
  { lane: "h3", tls: "1.3" },
] as const;

/** First what people ask first. */
const lanesInOrder: readonly string[] = ["h3", "h3-0rtt", "h2", "h2-0rtt", "h1"];

export interface ComparedPlaces {
  readonly one: FetchPlace;
  readonly other: FetchPlace;
}

/** Within a link, a version of IP and a server, each against the baseline; then each server against the first; then IPv6 against IPv4. */
export function comparedPlaces(places: readonly FetchPlace[]): ComparedPlaces[] {
  const groups = [
    ...Map.groupBy(places, ({ link, ip, lane }) => JSON.stringify([link, ip, serverOfLane(lane)])).values(),
  ];
  const ofLanes = groups.flatMap((of) => {
    const base = baselines.find(({ lane, tls }) =>
      of.some((place) => bareLane(place.lane) === lane && place.tls === tls),
    );
    const other = of.find((place) => bareLane(place.lane) === base?.lane && place.tls === base.tls);
    if (!other) return [];
    return of
      .filter((place) => place !== other)
      .toSorted(
        (a, b) =>
          lanesInOrder.indexOf(bareLane(a.lane)) - lanesInOrder.indexOf(bareLane(b.lane)) || (a.tls > b.tls ? -1 : 1),
      )
      .map((one) => ({ one, other }));
  });
  const ofVersions = places
    .filter(({ ip }) => ip === 6)
    .flatMap((one) => {
      const other = places.find((place) => placeKey(place) === placeKey({ ...one, ip: 4 }));
      return other ? [{ one, other }] : [];
    });
  const alike = ({ link, ip, lane, tls }: FetchPlace): string => JSON.stringify([link, ip, bareLane(lane), tls]);
  const ofServers = [...Map.groupBy(places, alike).values()].flatMap(([other, ...of]) =>
    other ? of.map((one) => ({ one, other })) : [],
  );
  return [...ofLanes, ...ofServers, ...ofVersions];
}

/** Besides the connection. People ask of servers how fast they send, of all else when the first byte comes. */
export const comparedTime = ({ one }: ComparedPlaces): ComparedTime =>
  serverOfLane(one.lane) === null ? "first_byte_ms" : "download_ms";

/** How a fetch ends that counts: none is tried again. */
export const counted = ["valid", "failed"] as const;

/** A fetch as the rule takes it. */
export type RuledFetch = Pick<StoredFetch, "cell" | "block" | "status" | "record">;

/** What the plan's rule is about: that time of each lane, over all objects that both have. */
export function ruledFetches(cells: readonly FetchCell[]): Ruled<RuledFetch> {
  const byPlace = Map.groupBy(cells, placeKey);
  const made = new Map<string, RuledSide<RuledFetch>>();
  const sideOf = (place: FetchPlace, time: ComparedTime): RuledSide<RuledFetch> => {
    const key = `${time} ${placeKey(place)}`;
    const side = made.get(key) ?? {
      ...{ name: variantWords(place), link: place.link, place: place.link ?? "", counted },
      quantity: { name: time, title: metrics.fetch[time].title },
      cells: new Map((byPlace.get(placeKey(place)) ?? []).map(({ object, id }) => [object, id] as const)),
      valueOf: ({ record }: RuledFetch) => record?.[time] ?? null,
    };
    made.set(key, side);
    return side;
  };
  const places = distinctPlaces(cells);
  return {
    sides: places.map((place) => sideOf(place, comparedTime({ one: place, other: place }))),
    comparisons: comparedPlaces(places).map((compared) => {
      const time = comparedTime(compared);
      return { one: sideOf(compared.one, time), other: sideOf(compared.other, time) };
    }),
  };
}
