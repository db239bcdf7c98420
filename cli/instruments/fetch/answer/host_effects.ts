// Which hosts a protocol helps and which it hurts: of each host the fetches of two variants, paired by object, link, IP version and
// repetition. The shift of the pairs' log ratios (Hodges and Lehmann) with its 95 % interval, and Wilcoxon's signed-rank test, whose
// probabilities are corrected over the hosts (Holm), since many are told together. Pure.
import type { Interval } from "../../../base/interval.ts";
import { shift } from "../../../results/stats/hodges_lehmann.ts";
import { holm, significanceLevel } from "../../../results/stats/multiplicity.ts";
import { signedRank } from "../../../results/stats/signed_rank.ts";
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
  /** 95 %; null with fewer than six pairs. */
  readonly interval: Interval | null;
  /** Two-sided, of this host alone. */
  readonly probability: number;
  /** After Holm's correction for the number of hosts. */
  readonly holm: number;
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

/** Averages of all pairs of more would be too many: these are spread over all. */
const mostPairs = 400;

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

const percentOf = (log: number): number => (1 - Math.exp(log)) * 100;

interface LogRatio {
  readonly block: number;
  readonly log: number;
}

/** Of a host's pairs. */
function logsOf(fetched: readonly Fetched[], { lane, over }: VariantPair, quantity: Quantity): LogRatio[] {
  const { value } = quantities[quantity];
  const place = ({ object, link, ip, block }: Fetched): string => JSON.stringify([object, link, ip, block]);
  const [a, b] = [lane, over].map((side) => {
    const own = fetched.filter((each) => sideKey(each) === sideKey(side));
    return new Map(own.map((each) => [place(each), { block: each.block, value: value(each) }]));
  });
  return [...(a ?? [])].flatMap(([key, { block, value: mine }]) => {
    const other = b?.get(key)?.value ?? null;
    return mine !== null && other !== null && mine > 0 && other > 0 ? [{ block, log: Math.log(mine / other) }] : [];
  });
}

interface OneEffect extends Omit<HostEffect, "holm" | "named" | "tooFew"> {
  /** Pairs that a repetition gives it, if nothing fails. */
  readonly pairsPerRun: number;
}

function effectOf(host: string, ratios: readonly LogRatio[]): OneEffect | null {
  const logs = ratios.map(({ log }) => log);
  const step = Math.max(1, logs.length / mostPairs);
  const used = Array.from(
    { length: Math.min(logs.length, mostPairs) },
    (_, index) => logs[Math.floor(index * step)] as number,
  );
  const estimate = shift(used);
  if (!estimate) return null;
  const { interval } = estimate;
  return {
    host,
    pairs: logs.length,
    pairsPerRun: Math.max(...[...Map.groupBy(ratios, ({ block }) => block).values()].map((of) => of.length)),
    percent: percentOf(estimate.estimate),
    interval: interval && { low: percentOf(interval.high), high: percentOf(interval.low) },
    probability: signedRank(used).twoSided,
  };
}

/** Whether so many pairs, all of them of one sign, show anything beside those of other hosts. */
const canTell = (pairs: number, hosts: number): boolean => (2 / 2 ** pairs) * hosts <= significanceLevel;

function runsToTell(effects: readonly OneEffect[]): number | null {
  const hosts = effects.length;
  if (hosts === 0 || effects.some(({ pairs }) => canTell(pairs, hosts))) return null;
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
  const effects = [...byHost].flatMap(([host, of]) => effectOf(host, logsOf(of, pair, quantity)) ?? []);
  const corrected = holm(effects.map(({ probability }) => probability));
  const runs = runsToTell(effects);
  const hosts = effects.map(({ pairsPerRun: _, ...effect }, index): HostEffect => {
    const own = corrected[index] as number;
    const isShown = own <= significanceLevel && effect.percent !== 0;
    const named = isShown ? (effect.percent > 0 ? "helped" : "hurt") : null;
    return { ...effect, holm: own, named, tooFew: runs !== null || !canTell(effect.pairs, 1) };
  });
  hosts.sort((a, b) => b.percent - a.percent || (a.host < b.host ? -1 : 1));
  return { pair, quantity, hosts, runsToTell: runs };
}
