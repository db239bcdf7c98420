// The lanes: what each holds a load to, in one place for the browsers, the origins, the verdict and the reports, which derive what they do from
// it. Pure data.
import type { Lane } from "../../schemas/generated/lane.ts";
import type { LaneLabel } from "../../schemas/generated/lane_label.ts";
import { type FactorValues, factorText, factorWords, splitFactors } from "./factors.ts";

export type { Lane, LaneLabel };

interface LaneFacts {
  /** The protocol it is a lane of: its hue in figures. */
  readonly family: "h1" | "h2" | "h3";
  /** In sentences. */
  readonly name: string;
  /** What it is, for help and reports: follows the lane's name and a colon. */
  readonly title: string;
  /** ALPN of the protocols on which a request may have been answered. */
  readonly protocols: readonly string[];
  /** How a browser comes to use QUIC: never, from its first request on, or because DNS (an HTTPS record) or an answer (Alt-Svc) offers it. */
  readonly quic: "off" | "forced" | "dns" | "alt-svc";
  /** No TLS: requests for https:// go to http:// instead. */
  readonly clear: boolean;
  /** The load that counts is the second one of the same browser, on new connections that resume the first one's. */
  readonly repeat: boolean;
  /** In figures lanes of one protocol share its hue; all but the plain one have hollow marks and this style of line. */
  readonly dash?: string;
}

const http1 = ["http/1.1", "http/1.0"];
const plain = { quic: "off", clear: false, repeat: false } as const;

/** In the order in which people read them. */
export const laneFacts: Readonly<Record<Lane, LaneFacts>> = {
  h1: { family: "h1", name: "HTTP/1.1", title: "HTTP/1.1 over TLS", protocols: http1, ...plain },
  "h1-clear": {
    family: "h1",
    name: "HTTP/1.1 without TLS",
    title: "HTTP/1.1 without TLS",
    protocols: http1,
    ...plain,
    clear: true,
    dash: "2 3",
  },
  h2: { family: "h2", name: "HTTP/2", title: "HTTP/2, forced", protocols: ["h2"], ...plain },
  "h2-0rtt": {
    family: "h2",
    name: "HTTP/2 with early data",
    title: "HTTP/2 on a repeat visit, with TLS 1.3 early data",
    protocols: ["h2"],
    ...plain,
    repeat: true,
    dash: "6 3",
  },
  h3: { family: "h3", name: "HTTP/3", title: "HTTP/3, forced", protocols: ["h3"], ...plain, quic: "forced" },
  "h3-discovered": {
    family: "h3",
    name: "HTTP/3 found in DNS",
    title: "HTTP/3, found by an HTTPS record in DNS",
    protocols: ["h3"],
    ...plain,
    quic: "dns",
    dash: "2 3",
  },
  "h3-altsvc": {
    family: "h3",
    name: "HTTP/3 after Alt-Svc",
    title: "HTTP/2 first, HTTP/3 once Alt-Svc offers it",
    protocols: ["h2", "h3"],
    ...plain,
    quic: "alt-svc",
    dash: "8 2 2 2",
  },
  "h3-0rtt": {
    family: "h3",
    name: "HTTP/3 with 0-RTT",
    title: "HTTP/3 on a repeat visit, with QUIC 0-RTT",
    protocols: ["h3"],
    ...plain,
    quic: "forced",
    repeat: true,
    dash: "6 3",
  },
};

export const allLanes = Object.keys(laneFacts) as readonly Lane[];

/** The lanes of a race that names none. */
export const plainLanes = ["h1", "h2", "h3"] as const satisfies readonly Lane[];

/** Whether its browser is free to use QUIC or not: if a link treats UDP in its own way, it goes back to HTTP/2. */
export function choosesQuic(lane: Lane): boolean {
  const { quic } = laneFacts[lane];
  return quic === "dns" || quic === "alt-svc";
}

export const isOverTcp = (lane: Lane): boolean => laneFacts[lane].protocols.some((protocol) => protocol !== "h3");

export function isLane(text: string): text is Lane {
  return Object.hasOwn(laneFacts, text);
}

/**
 * A label's parts: `h2:tuned@firefox` is lane h2 with the plan's settings `tuned`, in the plan's browser `firefox`; settings null: with
 * those of all lanes.
 */
interface LabelParts {
  readonly lane: Lane;
  readonly settings: string | null;
  readonly factors: FactorValues;
}

/** Null of what is no label. */
export function labelParts(label: string): LabelParts | null {
  const split = splitFactors(label);
  const [lane = "", settings = null, ...more] = split?.before.split(":") ?? [];
  return split && isLane(lane) && settings !== "" && more.length === 0
    ? { lane, settings, factors: split.factors }
    : null;
}

/** A label's factors; of what is no label, none. */
export const factorsOf = (label: string): FactorValues => labelParts(label)?.factors ?? {};

/** A label without its factors: what is compared within one value of each. */
export const withoutFactors = (label: string): string => (labelParts(label) && splitFactors(label)?.before) ?? label;

/** A label with values in place of its own; undefined takes one away. */
export const withFactors = (label: string, values: FactorValues): LaneLabel =>
  `${withoutFactors(label)}${factorText({ ...factorsOf(label), ...values })}` as LaneLabel;

/** The lane of a label that a plan or the results have. Error where it is none. */
export function laneOf(label: LaneLabel): Lane {
  const parts = labelParts(label);
  if (!parts) throw new Error(`no lane: ${label}`);
  return parts.lane;
}

/** Whether the load that counts is the second one of its browser. */
export function isRepeat(label: string): boolean {
  const parts = labelParts(label);
  return parts !== null && laneFacts[parts.lane].repeat;
}

/** Of any label; what is no lane is of no family. */
export function laneFamily(label: string): LaneFacts["family"] | null {
  const parts = labelParts(label);
  return parts && laneFacts[parts.lane].family;
}

/** What a lane is, for help and reports; of what is no lane, its label. */
export function laneTitle(label: string): string {
  const parts = labelParts(label);
  if (!parts) return label;
  const { title } = laneFacts[parts.lane];
  const settings = parts.settings === null ? "" : `, with the settings “${parts.settings}”`;
  return `${title}${settings}${factorWords(parts.factors)}`;
}

/** `HTTP/3`, `HTTP/3 (tuned)`, `HTTP/3 in Firefox`; of what is no lane, its label. */
export function laneName(label: string): string {
  const parts = labelParts(label);
  if (!parts) return label;
  const { name } = laneFacts[parts.lane];
  return `${name}${parts.settings === null ? "" : ` (${parts.settings})`}${factorWords(parts.factors)}`;
}
