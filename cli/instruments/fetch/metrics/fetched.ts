// One fetch of an object as figures and tables take it: what it was of, its record, what it cost. No arithmetic.
import type { FetchCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchLabel } from "../../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchLane, FetchRecord, FetchTls } from "../../../../schemas/generated/fetch_record.ts";
import { liveServer } from "../../../base/factors.ts";

/** Over what an object is fetched. */
export interface Variant {
  /** With its server, if the plan names servers: h2+nginx. */
  readonly lane: FetchLabel;
  readonly tls: FetchTls;
  readonly ip: FetchIp;
}

export interface Fetched extends Variant {
  /** Its URL. */
  readonly object: string;
  /** Null: the network as it is. */
  readonly link: string | null;
  /** Repetition, from 0. */
  readonly block: number;
  readonly record: FetchRecord;
  /** Null: of a client that only reported its own. */
  readonly cost: FetchCost | null;
}

export const isQuic = (lane: FetchLabel): boolean => lane.startsWith("h3");
export const bareLane = (lane: FetchLabel): FetchLane => lane.split("+", 1)[0] as FetchLane;
/** Over TCP, and without early data. */
export const isPlainTcp = (lane: FetchLabel): boolean => ["h1", "h2"].includes(bareLane(lane));
/** Null: the lanes name none. */
export const serverOfLane = (lane: FetchLabel): string | null => lane.split("+", 2)[1] ?? null;

/** QUIC has TLS 1.3 always. */
export const variantKey = ({ lane, tls, ip }: Variant): string => `${lane} ${isQuic(lane) ? "1.3" : tls} ${ip}`;

/** `h1, TLS 1.2, IPv6`: what all of `among` have in common is left out, and the TLS of QUIC. */
export function variantName({ lane, tls, ip }: Variant, among: readonly Variant[]): string {
  const hasTls = new Set(among.filter((each) => !isQuic(each.lane)).map((each) => each.tls)).size > 1;
  const hasIp = new Set(among.map((each) => each.ip)).size > 1;
  return [lane, hasTls && !isQuic(lane) && `TLS ${tls}`, hasIp && `IPv${ip}`]
    .filter((word) => word !== false)
    .join(", ");
}

const laneOrder: readonly FetchLane[] = ["h1", "h2", "h2-0rtt", "h3", "h3-0rtt"];

/** From whatever server answers outside, through a link. */
export const isLive = (lane: FetchLabel): boolean => serverOfLane(lane) === liveServer;

/** What were fetched over, each once: in the order of lanes, TLS and IP, whatever a sweep's random order was. */
export function variantsOf(fetched: readonly Variant[]): Variant[] {
  const once = new Map(fetched.map(({ lane, tls, ip }) => [variantKey({ lane, tls, ip }), { lane, tls, ip }]));
  const place = ({ lane }: Variant): number => laneOrder.indexOf(bareLane(lane));
  return [...once.values()].sort((a, b) => place(a) - place(b) || Number(a.tls) - Number(b.tls) || a.ip - b.ip);
}

/** The URL's host, with its port where it is not the usual one. */
export function hostOf(object: string): string {
  return URL.parse(object)?.host ?? object;
}

/** Whose connection, certificates and records a fetch has: the last one's that redirects led to. */
export const servingHost = ({ record }: Pick<Fetched, "record">): string => hostOf(record.final_url);

/** Alerts of TLS that one option answers: by the version that was offered, what the server speaks. */
const otherTls: Readonly<Record<string, string>> = {
  "1.3": "the server speaks TLS 1.2 only: add --tls 1.2",
  "1.2": "the server speaks TLS 1.3 only: add --tls 1.3",
};

/** Why a fetch failed, as its record has it, or what to do about it. */
export function reasonInWords(reason: string, { lane, tls }: { readonly lane: string; readonly tls: string }): string {
  const isTcp = lane === "h1" || lane.startsWith("h2");
  return isTcp && reason.endsWith("TLSV1_ALERT_PROTOCOL_VERSION") ? (otherTls[tls] ?? reason) : reason;
}

/** `h1 (TLS 1.2) (IPv6)`: the usual versions are not named. */
export const variantWords = ({ lane, tls, ip }: Variant): string =>
  `${lane}${tls === "1.2" ? " (TLS 1.2)" : ""}${ip === 6 ? " (IPv6)" : ""}`;
