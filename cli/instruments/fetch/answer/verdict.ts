// What fetches say in sentences: which lane connects and has its first byte sooner, by how much, with interval and counts; and IPv6 against
// IPv4. Pure: text out, no colour.

import { formatPercents, formatTime, percentRange } from "../../../base/numbers.ts";
import { isProbable, shown, shownTogether, surenessNote, unitsText } from "../../../results/answer/contrast.ts";
import { bareLane, isPlainTcp, serverOfLane } from "../metrics/fetched.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";
import { type ComparedTime, type TimeDifference, timeDifference } from "./comparison.ts";
import { distinctPlaces, type FetchPlace, placeKey } from "./summary.ts";

/** More comparisons are the table's to show; of those that show nothing for want of fetches two will do. */
const mostSentences = 5;
const mostOfServers = 12;
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
const lanesInOrder: readonly string[] = ["h3", "h3-0rtt", "h2", "h2-0rtt", "h1"];

interface ComparedPlaces {
  readonly one: FetchPlace;
  readonly other: FetchPlace;
}

/** Within a link, a version of IP and a server, each against the baseline; then each server against the first; then IPv6 against IPv4. */
function comparedPlaces(places: readonly FetchPlace[]): ComparedPlaces[] {
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

/** `h1 with TLS 1.2 over IPv6`: what is needed to tell the two apart, and what they share where there are others. */
function nameOf(place: FetchPlace, beside: FetchPlace, all: readonly FetchPlace[]): string {
  const differs = (of: (place: FetchPlace) => unknown): boolean => new Set(all.map(of)).size > 1;
  const tls =
    isPlainTcp(place.lane) && differs(({ lane, tls }) => (isPlainTcp(lane) ? tls : "1.3"))
      ? ` with TLS ${place.tls}`
      : "";
  const ip = place.ip !== beside.ip ? ` over IPv${place.ip}` : "";
  return `${place.lane}${tls}${ip}`;
}

/** `34`, and `33 to 35`: by how many per cent the one takes less, or more. */
function percents({ ratio, interval }: TimeDifference): { readonly size: string; readonly range: string } {
  const less = (of: number): number => 100 * (1 - of);
  const isLess = ratio <= 1;
  const ends = interval && { low: less(interval.high), high: less(interval.low) };
  const turned = ends && (isLess ? ends : { low: -ends.high, high: -ends.low });
  const text = formatPercents(Math.abs(less(ratio)), turned);
  return { size: text.percent, range: percentRange(text) };
}

/** `h3 connects 34 % faster than h2 (95 %: 33 to 35, in the median 50 ms; n = 12 objects)`, or that no difference is shown. */
function clauseOf(of: TimeDifference, words: ClauseWords): string {
  const { size, range } = percents(of);
  const units = unitsText(of, of.unit);
  const word = of.ratio <= 1 ? words.less : words.more;
  const median = `in the median ${formatTime(Math.abs(of.median_ms))}`;
  switch (shown(of)) {
    case "unknown":
      return `${words.was} ${size} % ${word} (${median}; ${units})`;
    case "none":
      return isProbable(of)
        ? `${words.probably} ${size} % ${word} (95 %: ${range}, ${median}; ${units})`
        : `${words.none}: no difference shown (95 %: ${range} % ${word}; ${units})`;
    default:
      return `${words.is} ${size} % ${word} (95 %: ${range}, ${median}; ${units})`;
  }
}

interface ClauseWords {
  readonly is: string;
  readonly was: string;
  readonly probably: string;
  /** `faster than h2` */
  readonly less: string;
  readonly more: string;
  readonly none: string;
}

function sentenceOf({ one, other, connect, firstByte, byDownload }: Compared): string {
  const first = clauseOf(connect, {
    ...{ is: `${one} connects`, was: `${one} connected`, probably: `${one} probably connects` },
    ...{ less: `faster than ${other}`, more: `slower than ${other}`, none: `${one} against ${other}, to connect` },
  });
  const second = clauseOf(firstByte, {
    ...(byDownload
      ? {
          ...{ is: "its download takes", was: "its download took", probably: "its download probably takes" },
          ...{ less: "less time", more: "more time", none: "in the download" },
        }
      : {
          ...{ is: "its first byte comes", was: "its first byte came", probably: "its first byte probably comes" },
          ...{ less: "sooner", more: "later", none: "to the first byte" },
        }),
  });
  return `${first}; ${second}.`;
}

interface Compared {
  readonly where: string;
  readonly one: string;
  readonly other: string;
  readonly connect: TimeDifference;
  /** With `byDownload` of the whole object's time in place of the first byte's. */
  readonly firstByte: TimeDifference;
  readonly byDownload: boolean;
}

/** The answer first, over what the cells' objects were fetched over. Empty where there is nothing to compare. */
export function fetchVerdict(cells: readonly FetchPlace[], fetches: readonly StoredFetch[]): string[] {
  const places = distinctPlaces(cells);
  const byPlace = Map.groupBy(fetches, placeKey);
  const links = new Set(places.map(({ link }) => link));
  const versions = new Set(places.map(({ ip }) => ip));
  const all = comparedPlaces(places).flatMap(({ one, other }): Compared[] => {
    const of = (place: FetchPlace): readonly StoredFetch[] => byPlace.get(placeKey(place)) ?? [];
    const difference = (time: ComparedTime) => timeDifference(of(one), of(other), time);
    // Of servers people ask how fast they send.
    const byDownload = serverOfLane(one.lane) !== null;
    const [connect, firstByte] = [
      difference("established_ms"),
      difference(byDownload ? "download_ms" : "first_byte_ms"),
    ];
    if (!connect || !firstByte) return [];
    const where = [
      ...(links.size > 1 ? [one.link ?? ""] : []),
      ...(versions.size > 1 && one.ip === other.ip ? [`IPv${one.ip}`] : []),
    ].join(", ");
    return [
      { where, one: nameOf(one, other, places), other: nameOf(other, one, places), connect, firstByte, byDownload },
    ];
  });
  const mostShown = all.some(({ byDownload }) => byDownload) ? mostOfServers : mostSentences;
  const most = all.some(({ connect }) => connect.interval !== null) ? mostShown : mostWithoutInterval;
  const mentioned = all.slice(0, most);
  const corrected = shownTogether(mentioned.flatMap(({ connect, firstByte }) => [connect, firstByte]));
  const sentences = mentioned.map((each, index) => {
    const sentence = sentenceOf({
      ...each,
      connect: { ...each.connect, ...corrected[2 * index] },
      firstByte: { ...each.firstByte, ...corrected[2 * index + 1] },
    });
    return each.where === "" ? sentence : `${each.where}: ${sentence}`;
  });
  const note = surenessNote(corrected, "fetches");
  return note === null ? sentences : [...sentences, note];
}
