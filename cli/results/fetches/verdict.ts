// What fetches say in sentences: which lane connects and has its first byte sooner, by how much, with interval and counts; and IPv6 against
// IPv4. Pure: text out, no colour.
import type { Interval } from "../../base/interval.ts";
import { count, formatTimeRange, sentenceTime } from "../../base/numbers.ts";
import type { FetchVariant, StoredFetch } from "../store/results.ts";
import { type ComparedTime, type TimeDifference, timeDifference } from "./comparison.ts";
import { distinctPlaces, type FetchPlace, placeKey } from "./summary.ts";

/** More comparisons are the table's to show; of those that show nothing for want of fetches two will do. */
const mostSentences = 5;
const mostWithoutInterval = 2;

/** What is compared with all others: the first that there is. */
const baselines = [
  { lane: "h2", tls: "1.3" },
  { lane: "h1", tls: "1.3" },
  { lane: "h2", tls: "1.2" },
  { lane: "h1", tls: "1.2" },
  { lane: "h3", tls: "1.3" },
] as const;

/** First what people ask first. */
const lanesInOrder: readonly FetchVariant["lane"][] = ["h3", "h3-0rtt", "h2", "h2-0rtt", "h1"];

interface ComparedPlaces {
  readonly one: FetchPlace;
  readonly other: FetchPlace;
}

/** Within a link and a version of IP, each against the baseline; then IPv6 against IPv4 of each that is alike otherwise. */
function comparedPlaces(places: readonly FetchPlace[]): ComparedPlaces[] {
  const groups = [...Map.groupBy(places, ({ link, ip }) => JSON.stringify([link, ip])).values()];
  const ofLanes = groups.flatMap((of) => {
    const base = baselines.find(({ lane, tls }) => of.some((place) => place.lane === lane && place.tls === tls));
    const other = of.find((place) => place.lane === base?.lane && place.tls === base.tls);
    if (!other) return [];
    return of
      .filter((place) => place !== other)
      .toSorted((a, b) => lanesInOrder.indexOf(a.lane) - lanesInOrder.indexOf(b.lane) || (a.tls > b.tls ? -1 : 1))
      .map((one) => ({ one, other }));
  });
  const ofVersions = places
    .filter(({ ip }) => ip === 6)
    .flatMap((one) => {
      const other = places.find((place) => placeKey(place) === placeKey({ ...one, ip: 4 }));
      return other ? [{ one, other }] : [];
    });
  return [...ofLanes, ...ofVersions];
}

/** `h1 with TLS 1.2 over IPv6`: what is needed to tell the two apart, and what they share where there are others. */
function nameOf(place: FetchPlace, beside: FetchPlace, all: readonly FetchPlace[]): string {
  const differs = (of: (place: FetchPlace) => unknown): boolean => new Set(all.map(of)).size > 1;
  const tcp = place.lane === "h1" || place.lane === "h2";
  const tls =
    tcp && differs(({ lane, tls }) => (lane === "h1" || lane === "h2" ? tls : "1.3")) ? ` with TLS ${place.tls}` : "";
  const ip = place.ip !== beside.ip ? ` over IPv${place.ip}` : "";
  return `${place.lane}${tls}${ip}`;
}

const turned = ({ low, high }: Interval): Interval => ({ low: -high, high: -low });

/** What is told as slower is told by how much; an interval around 0 stays as it is. */
const absolute = (interval: Interval): Interval => (interval.high <= 0 ? turned(interval) : interval);

/** ` (95 %: 49.8 to 50.3 ms; n = 12 objects)`. */
function evidence({ interval, n, unit }: TimeDifference): string {
  const units = count(n, unit.slice(0, -1));
  if (interval === null) return ` (n = ${units}: too few for an interval)`;
  return ` (95 %: ${formatTimeRange(absolute(interval))}; n = ${units})`;
}

/** Without an interval what was found is told, and that it shows nothing. */
const isTold = ({ interval }: TimeDifference): boolean => interval === null || interval.low > 0 || interval.high < 0;

/** `50 ms (34 %)`. */
function size({ median_ms, percent_less }: TimeDifference): string {
  return `${sentenceTime(Math.abs(median_ms))} (${Math.abs(percent_less).toFixed(0)} %)`;
}

const nothingShown = (what: string, difference: TimeDifference): string =>
  `${what}: no difference shown${evidence(difference)}`;

const word = (difference: TimeDifference, less: string, more: string): string =>
  difference.median_ms <= 0 ? less : more;

function sentenceOf(one: string, other: string, connect: TimeDifference, firstByte: TimeDifference): string {
  const first = isTold(connect)
    ? `${one} ${connect.interval === null ? "connected" : "connects"} ${size(connect)} ${word(connect, "faster", "slower")} than ${other}${evidence(connect)}`
    : nothingShown(`${one} against ${other}, to connect`, connect);
  const second = isTold(firstByte)
    ? `its first byte ${firstByte.interval === null ? "came" : "comes"} ${size(firstByte)} ${word(firstByte, "sooner", "later")}${evidence(firstByte)}`
    : nothingShown("to the first byte", firstByte);
  return `${first}; ${second}.`;
}

/** The answer first, over what the cells' objects were fetched over. Empty where there is nothing to compare. */
export function fetchVerdict(cells: readonly FetchPlace[], fetches: readonly StoredFetch[]): string[] {
  const places = distinctPlaces(cells);
  const byPlace = Map.groupBy(fetches, placeKey);
  const links = new Set(places.map(({ link }) => link));
  const versions = new Set(places.map(({ ip }) => ip));
  const sentences = comparedPlaces(places).flatMap(({ one, other }) => {
    const of = (place: FetchPlace): readonly StoredFetch[] => byPlace.get(placeKey(place)) ?? [];
    const difference = (time: ComparedTime) => timeDifference(of(one), of(other), time);
    const [connect, firstByte] = [difference("established_ms"), difference("first_byte_ms")];
    if (!connect || !firstByte) return [];
    const where = [
      ...(links.size > 1 ? [one.link ?? ""] : []),
      ...(versions.size > 1 && one.ip === other.ip ? [`IPv${one.ip}`] : []),
    ];
    const told = sentenceOf(nameOf(one, other, places), nameOf(other, one, places), connect, firstByte);
    return [{ told: where.length > 0 ? `${where.join(", ")}: ${told}` : told, hasInterval: connect.interval !== null }];
  });
  const most = sentences.some(({ hasInterval }) => hasInterval) ? mostSentences : mostWithoutInterval;
  return sentences.slice(0, most).map(({ told }) => told);
}
