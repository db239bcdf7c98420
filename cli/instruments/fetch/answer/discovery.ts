// What each host says of HTTP/3, and what came of asking: its HTTPS record, its Alt-Svc header, and whether it was fetched over QUIC, with
// the reason where it was not. Pure.
import type { FetchHttpsRecord } from "../../../../schemas/generated/fetch_record.ts";
import { type Fetched, isQuic, servingHost } from "../metrics/fetched.ts";

export interface HostDiscovery {
  readonly host: string;
  /** Addresses that answered or were queried. */
  readonly addresses: readonly string[];
  /** `yes`: over some version of IP it came. `no`: never. `not asked`: no lane of QUIC was. */
  readonly h3: "yes" | "no" | "not asked";
  /** Why there is none, each reason once with how often; empty where there is. */
  readonly reasons: readonly { readonly reason: string; readonly times: number }[];
  /** Alt-Svc as sent, each once. */
  readonly altSvc: readonly string[];
  readonly httpsRecord: FetchHttpsRecord | null;
  /** Of the chain; null: none was seen. */
  readonly certificate_bytes: number | null;
}

const stages = {
  dns: "name",
  connect: "connection",
  tls: "TLS",
  request: "request",
  response: "response",
  timeout: "time-out",
} as const;

export const altSvcOffersH3 = (altSvc: string): boolean => /(?:^|[\s,])h3=/.test(altSvc);

/** Whether Alt-Svc or the HTTPS record offers HTTP/3. */
export function offersH3({ altSvc, httpsRecord }: HostDiscovery): {
  readonly altSvc: boolean;
  readonly httpsRecord: boolean;
} {
  return {
    altSvc: altSvc.some(altSvcOffersH3),
    httpsRecord: httpsRecord?.records.some(({ alpn }) => alpn.includes("h3")) ?? false,
  };
}

/** The answer that says most: a record that is there before one that is not, and a lookup that was not made last. */
function bestRecord(records: readonly FetchHttpsRecord[]): FetchHttpsRecord | null {
  const rank = { present: 0, absent: 1, failed: 2, "not-asked": 3 } as const;
  return records.toSorted((a, b) => rank[a.state] - rank[b.state])[0] ?? null;
}

function discoveryOf(host: string, fetched: readonly Fetched[]): HostDiscovery {
  const records = fetched.map(({ record }) => record);
  const quic = records.filter(({ lane }) => isQuic(lane));
  const came = quic.some(({ error }) => error === null);
  const failures = quic.flatMap(({ error }) => (error ? [`${stages[error.stage]}: ${error.reason}`] : []));
  const sizes = records.flatMap(({ certificate_bytes }) => certificate_bytes ?? []);
  return {
    host,
    addresses: [...new Set(records.flatMap(({ address }) => address ?? []))],
    h3: quic.length === 0 ? "not asked" : came ? "yes" : "no",
    reasons: came
      ? []
      : [...Map.groupBy(failures, (reason) => reason)]
          .map(([reason, of]) => ({ reason, times: of.length }))
          .sort((a, b) => b.times - a.times),
    altSvc: [...new Set(records.flatMap(({ alt_svc }) => alt_svc ?? []))],
    httpsRecord: bestRecord(records.map(({ https_record }) => https_record)),
    certificate_bytes: sizes.length === 0 ? null : Math.max(...sizes),
  };
}

const order = { no: 0, yes: 1, "not asked": 2 } as const;

/** A row for every host of the last fetches, also if nothing came; those without HTTP/3 first. */
export function discoveries(fetched: readonly Fetched[]): HostDiscovery[] {
  const byHost = Map.groupBy(fetched, servingHost);
  return [...byHost]
    .map(([host, of]) => discoveryOf(host, of))
    .sort((a, b) => order[a.h3] - order[b.h3] || (a.host < b.host ? -1 : 1));
}
