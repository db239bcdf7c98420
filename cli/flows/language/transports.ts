// What a flow may run over, and which congestion control each transport has. Reads what the kernel offers; starts nothing.
import { readFileSync } from "node:fs";
import type { FlowTransport } from "../../../schemas/generated/flow.ts";

export interface TransportFacts {
  /** In sentences, for help. */
  readonly title: string;
  /** Whose congestion control it is. */
  readonly controlledBy: "kernel" | "quiche";
}

export const transportFacts: Readonly<Record<FlowTransport, TransportFacts>> = {
  tcp: { title: "the kernel's TCP", controlledBy: "kernel" },
  tls: { title: "TLS 1.3 over the kernel's TCP", controlledBy: "kernel" },
  quic: { title: "a QUIC stream of quiche", controlledBy: "quiche" },
};

export const allTransports = Object.keys(transportFacts) as readonly FlowTransport[];

export const isTransport = (word: string): word is FlowTransport => Object.hasOwn(transportFacts, word);

/** Of a flow that names none. */
export const usualController = "cubic";

const ofQuiche = ["cubic", "reno", "bbr2"];
/** CUBIC as N flows: more than this many is no longer one flow's share of anything. */
const mostFlowsOfCubic = 16;

/** Quiche's by their names, and the family of ours. */
export const quicControllers: readonly string[] = [...ofQuiche, `cubic-n1 to cubic-n${mostFlowsOfCubic}`];

export function isQuicController(name: string): boolean {
  const flows = /^cubic-n([1-9]\d?)$/.exec(name)?.[1];
  return ofQuiche.includes(name) || (flows !== undefined && Number(flows) <= mostFlowsOfCubic);
}

const availablePath = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/** The TCP congestion controls that this kernel has loaded; null if it does not say. */
export function kernelControllers(path = availablePath): readonly string[] | null {
  try {
    return readFileSync(path, "utf8").trim().split(/\s+/);
  } catch {
    return null;
  }
}
