// What a server's certificate says and how it speaks TLS, from what DevTools says of a response and from the chain in the net log. Pure.
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Protocol } from "devtools-protocol";
import type { Certificate } from "../import/wire_exchange.ts";
import type { LoggedConnection } from "./net_log.ts";

interface Chain {
  readonly address: string;
  readonly names: readonly string[];
  readonly bytes: number;
}

/** Some servers' first answers are too short to tell: the largest of an address's connections counts. */
function youngRecordOf(connections: readonly LoggedConnection[], address: string): number | null {
  const sizes = connections.flatMap((each) => (each.address === address ? [each.records?.youngRecord_bytes ?? 0] : []));
  return Math.max(0, ...sizes) || null;
}

/** Null for what is no certificate. */
function chainOf({ address, certificates }: LoggedConnection): Chain | null {
  try {
    const parsed = certificates.map((pem) => new X509Certificate(pem));
    const names = parsed[0]?.subjectAltName?.matchAll(/(?:^|, )DNS:([^,]+)/g) ?? [];
    return {
      address,
      names: [...names].map(([, name]) => name ?? ""),
      bytes: parsed.reduce((sum, { raw }) => sum + raw.length, 0),
    };
  } catch {
    return null;
  }
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

export class Certificates {
  readonly #connections: readonly LoggedConnection[];
  readonly #chains: readonly Chain[];

  constructor(connections: readonly LoggedConnection[]) {
    this.#connections = connections;
    this.#chains = connections
      .filter(({ certificates }) => certificates.length > 0)
      .map(chainOf)
      .filter((chain) => chain !== null);
  }

  /** `address`: as "203.0.113.1:443". A server that was spoken to over TCP and QUIC has one chain. */
  of(details: Protocol.Network.SecurityDetails, address: string): Certificate {
    const names = details.sanList.filter((name) => isIP(name) === 0);
    const fitting = this.#chains.filter((chain) => sameNames(chain.names, names));
    const chain = fitting.find((each) => each.address === address) ?? fitting[0];
    return {
      names,
      issuer: details.issuer,
      chain_bytes: chain?.bytes ?? null,
      record_bytes: youngRecordOf(this.#connections, address),
      group: details.keyExchangeGroup ?? null,
    };
  }
}
