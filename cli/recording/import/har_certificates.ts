// Certificates that a HAR holds: WebPageTest writes the chain, as PEM, with the entry that made a connection. Pure.
import { X509Certificate } from "node:crypto";
import { hostOf } from "./addresses.ts";
import type { HarEntry } from "./har.ts";
import type { Certificate } from "./wire_exchange.ts";

// More is no chain that a server sends.
const longestChain = 16;
const longestPem = 64 * 1024;

/** The names of a leaf; an IP address is no name that hosts could share a connection by. */
function namesOf(leaf: X509Certificate): string[] {
  const names = leaf.subjectAltName?.matchAll(/(?:^|, )DNS:([^,]+)/g) ?? [];
  return [...names].map(([, name]) => (name ?? "").toLowerCase());
}

/** null: it holds none, or what it holds is none. */
function certificateIn({ raw, url }: HarEntry): Certificate | null {
  const pems = raw._certificates;
  if (url.protocol !== "https:" || !Array.isArray(pems) || pems.length === 0 || pems.length > longestChain) return null;
  try {
    const chain = pems.map((pem: unknown) => {
      if (typeof pem !== "string" || pem.length > longestPem) throw new TypeError("no certificate");
      return new X509Certificate(pem);
    });
    const [leaf] = chain;
    if (!leaf) return null;
    return {
      names: namesOf(leaf),
      issuer: /^CN=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer,
      chain_bytes: chain.reduce((sum, { raw: der }) => sum + der.length, 0),
    };
  } catch {
    return null;
  }
}

export class HarCertificates {
  readonly #ofHost = new Map<string, Certificate>();

  /** `entries`: all of the file, as a connection may have been made by one that is not imported. */
  constructor(entries: readonly HarEntry[]) {
    for (const entry of entries) {
      if (this.#ofHost.has(hostOf(entry))) continue;
      const certificate = certificateIn(entry);
      if (certificate) this.#ofHost.set(hostOf(entry), certificate);
    }
  }

  /** What its host answered with; null: not known, or it was reached in clear. */
  of(entry: HarEntry): Certificate | null {
    return entry.url.protocol === "https:" ? (this.#ofHost.get(hostOf(entry)) ?? null) : null;
  }
}
