// What a flow may run over, and which congestion control each transport has. Reads what the kernel offers; starts nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FlowTransport } from "../../../schemas/generated/flow.ts";
import { checkout } from "../../base/programs.ts";

export interface TransportFacts {
  /** In sentences, for help. */
  readonly title: string;
  /** Whose congestion control it is. */
  readonly controlledBy: "kernel" | "quiche";
}

export const transportFacts: Readonly<Record<FlowTransport, TransportFacts>> = {
  tcp: { title: "kernel TCP", controlledBy: "kernel" },
  tls: { title: "TLS 1.3 over kernel TCP", controlledBy: "kernel" },
  quic: { title: "QUIC", controlledBy: "quiche" },
};

export const allTransports = Object.keys(transportFacts) as readonly FlowTransport[];

export const isTransport = (word: string): word is FlowTransport => Object.hasOwn(transportFacts, word);

/** Of a flow that names none. */
export const usualController = "cubic";

interface ServingSchema {
  readonly definitions: {
    readonly quic: { readonly properties: { readonly congestion_control: { readonly enum: readonly string[] } } };
  };
}

let ofQuic: readonly string[] | null = null;

/** Those that servers of pages can use, too: quiche's own and ours (schemas/serving.schema.json). */
export function quicControllers(): readonly string[] {
  const path = join(checkout, "schemas", "serving.schema.json");
  ofQuic ??= (JSON.parse(readFileSync(path, "utf8")) as ServingSchema).definitions.quic.properties.congestion_control
    .enum;
  return ofQuic;
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

/** Why a controller cannot be had of a kernel with these, and what to do; null: it can, or the kernel does not say. */
export function kernelLacks(name: string, kernel: readonly string[] | null): string | null {
  if (kernel === null || kernel.includes(name)) return null;
  return `this kernel offers ${kernel.join(", ")}: use one of them, or load it (\`modprobe tcp_${name}\` as root)`;
}
