// Which hosts a protocol helps and which it hurts: of each host the fetches of two variants, paired by object, link, IP version and
// repetition. The comparison is the one of all answers (results/answer/contrast.ts): the median of the pairs' log ratios, its interval and its
// test, corrected over the hosts that are shown together (Holm). Pure.
import type { Interval } from "../../../base/interval.ts";
import { type Contrast, contrast, type Pair, shown } from "../../../results/answer/contrast.ts";
import { leastPairedDifference } from "../../../results/stats/difference_test.ts";
import { correctedTogether, significanceLevel } from "../../../results/stats/multiplicity.ts";
import { bareLane, type Fetched, hostOf, isPlainTcp, isQuic, serverOfLane, type Variant } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";

/** A lane with its TLS; the version of IP is the same on both sides. */
export type PairSide = Pick<Variant, "lane" | "tls">;

export interface VariantPair {
  readonly lane: PairSide;
  readonly over: PairSide;
}

export interface HostEffect {
  readonly host: string;
  readonly pairs: number;
  /** (over - lane) / over * 100: positive where `lane` takes less. */
  readonly percent: number;
  /** 95 %; null with fewer than five pairs. */
  readonly interval: Interval | null;
  /** Two-sided, of this host alone; null: no interval. */
  readonly probability: number | null;
  /** After Holm's correction for the number of hosts. */
  readonly holm: number | null;
  /** Null: no difference is shown. */
  readonly named: "helped" | "hurt" | null;
  /** It has too few pairs to be named, whatever they say. */
  readonly tooFew: boolean;
}

export interface HostEffects {
  readonly pair: VariantPair;
  readonly quantity: Quantity;
  /** The most helped first. */
  readonly hosts: readonly HostEffect[];
  /** Of each object so many repetitions can show that a host is helped or hurt. Null: there are enough for some host. */
  readonly runsToTell: number | null;
}

const sideKey = ({ lane, tls }: PairSide): string => `${lane} ${isQuic(lane) ? "1.3" : tls}`;

/** What is compared: each QUIC lane over each lane of a connection over TCP, and h2 over h1 with the same TLS. */
export function pairsOf(variants: readonly Variant[]): VariantPair[] {
  const sides = [...new Map(variants.map(({ lane, tls }) => [sideKey({ lane, tls }), { lane, tls }])).values()];
  // The nearest comparison first: h2 before h1, TLS 1.3 before 1.2.
  const plainTcp = sides
    .filter(({ lane }) => isPlainTcp(lane))
    .sort((a, b) => (a.tls > b.tls ? -1 : a.tls < b.tls ? 1 : a.lane > b.lane ? -1 : 1));
  const quic = sides.filter(({ lane }) => isQuic(lane));
  const overTcp = plainTcp.flatMap((lane) =>
    bareLane(lane.lane) === "h2"
      ? plainTcp.flatMap((over) => (bareLane(over.lane) === "h1" && over.tls === lane.tls ? [{ lane, over }] : []))
      : [],
  );
  const ofQuic = quic.flatMap((lane) => plainTcp.map((over) => ({ lane, over })));
  const resumed = sides.filter(({ lane }) => lane === "h2-0rtt");
  const of0rtt = quic
    .filter(({ lane }) => lane === "h3-0rtt")
    .flatMap((lane) => resumed.map((over) => ({ lane, over })));
  return [...ofQuic, ...of0rtt, ...overTcp].filter(
    ({ lane, over }) => serverOfLane(lane.lane) === serverOfLane(over.lane),
  );
}

const percentOf = (ratio: number): number => (1 - ratio) * 100;

interface BlockPair extends Pair {
  readonly block: number;
}

/** Of a host. */
function blockPairs(fetched: readonly Fetched[], { lane, over }: VariantPair, quantity: Quantity): BlockPair[] {
  const { value } = quantities[quantity];
  const place = ({ object, link, ip, block }: Fetched): string => JSON.stringify([object, link, ip, block]);
  const [a, b] = [lane, over].map((side) => {
    const own = fetched.filter((each) => sideKey(each) === sideKey(side));
    return new Map(own.map((each) => [place(each), { block: each.block, value: value(each) }]));
  });
  return [...(a ?? [])].flatMap(([key, { block, value: mine }]) => {
    const other = b?.get(key)?.value ?? null;
    return mine !== null && other !== null && mine > 0 && other > 0 ? [{ block, one: mine, other }] : [];
  });
}

interface OneEffect {
  readonly host: string;
  /** Pairs that a repetition gives it, if nothing fails. */
  readonly pairsPerRun: number;
  readonly found: Contrast;
}

function effectOf(host: string, pairs: readonly BlockPair[]): OneEffect | null {
  const found = contrast(pairs.map((pair) => [pair]));
  const perRun = [...Map.groupBy(pairs, ({ block }) => block).values()].map((of) => of.length);
  return found && { host, pairsPerRun: Math.max(...perRun), found };
}

/** Whether so many pairs, however far apart, show anything beside those of other hosts. */
const canTell = (pairs: number, hosts: number): boolean => leastPairedDifference(pairs) * hosts <= significanceLevel;

function runsToTell(effects: readonly OneEffect[]): number | null {
  const hosts = effects.length;
  if (hosts === 0 || effects.some(({ found }) => canTell(found.n, hosts))) return null;
  let pairs = 1;
  while (!canTell(pairs, hosts)) pairs++;
  return Math.ceil(pairs / Math.min(...effects.map(({ pairsPerRun }) => pairsPerRun)));
}

/** Hosts that have a pair at all. */
export function hostEffects(fetched: readonly Fetched[], pair: VariantPair, quantity: Quantity): HostEffects {
  const keys = new Set([sideKey(pair.lane), sideKey(pair.over)]);
  const byHost = Map.groupBy(
    fetched.filter((each) => keys.has(sideKey(each))),
    ({ object }) => hostOf(object),
  );
  const effects = [...byHost].flatMap(([host, of]) => effectOf(host, blockPairs(of, pair, quantity)) ?? []);
  const together = correctedTogether(effects.map(({ found }) => found));
  const runs = runsToTell(effects);
  const hosts = effects.map(({ host, found: { ratio, interval, probability, n: pairs } }, index): HostEffect => {
    const corrected = together[index] as Contrast;
    const way = shown(corrected);
    return {
      ...{ host, pairs, probability, holm: corrected.probability },
      percent: percentOf(ratio),
      interval: interval && { low: percentOf(interval.high), high: percentOf(interval.low) },
      named: way === "less" ? "helped" : way === "more" ? "hurt" : null,
      tooFew: runs !== null || !canTell(pairs, 1),
    };
  });
  hosts.sort((a, b) => b.percent - a.percent || (a.host < b.host ? -1 : 1));
  return { pair, quantity, hosts, runsToTell: runs };
}
