// What each host's connections and first bytes took, by protocol: a row of `trilane fetch` as far as a browser reports it. Pure;
// sends nothing. Chromium reports what a request waited for. Of a connection that was begun ahead of it that is only a rest, so
// such connections count in no time.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { offersH3, wentOverNetwork } from "./why_not_h3.ts";

/** Of one host over one protocol; medians. A value that is null has its reason in `unavailable`. */
export interface HostTimings {
  /** With its port, where that is not the scheme's own. */
  readonly host: string;
  /** ALPN; null: no request was answered, or the browser did not tell. */
  readonly protocol: string | null;
  readonly ip: "4" | "6" | "4, 6" | null;
  readonly tls_version: string | null;
  readonly requests: number;
  /** That its requests used. */
  readonly connections: number | null;
  /** Of these, opened for one of them: what the times of connections are of. */
  readonly opened: number;
  readonly dns_ms: number | null;
  /** TCP: until the connection stood. QUIC: until its handshake, which has TLS, was done. */
  readonly connect_ms: number | null;
  /** Over TCP alone, after connect_ms. */
  readonly tls_ms: number | null;
  /** On a new connection: from its start to the response's headers. */
  readonly first_byte_ms: number | null;
  /** On an open connection: from the request to the response's headers. */
  readonly reused_first_byte_ms: number | null;
  /** Of the host: null says that this protocol is HTTP/3, or that nothing says so. */
  readonly h3_offered: boolean | null;
  readonly unavailable: Readonly<Partial<Record<TimingName, string>>>;
}

export type TimingName =
  | "protocol"
  | "ip"
  | "tls_version"
  | "connections"
  | "dns_ms"
  | "connect_ms"
  | "tls_ms"
  | "first_byte_ms"
  | "reused_first_byte_ms"
  | "h3_offered";

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

const isQuic = ({ _protocol }: HarEntry): boolean => /^h3|^hq|quic/i.test(_protocol ?? "");
const connectionOf = ({ _connectionId, connection }: HarEntry): string | undefined => _connectionId ?? connection;
const wasAnswered = ({ response, timings }: HarEntry): boolean => response.status > 0 && timings.wait > 0;

/** Of each connection the request that it was opened for. */
function openingRequests(entries: readonly HarEntry[]): HarEntry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const id = connectionOf(entry) ?? entry._trilane.requestId;
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst && (entry._trilane.connectionReused === false || entry.timings.connect >= 0);
  });
}

/**
 * Whether the connection was begun before its request. Chromium moves all that came before a request to its beginning: then the name's
 * lookup takes exactly 0, and the connection, which begins with the lookup's end, is cut. Programs that round to whole ms write 0 too.
 */
const isBegunAhead = ({ timings }: HarEntry): boolean => timings.dns === 0 && !Number.isInteger(timings.connect);

function ipOf(entries: readonly HarEntry[]): HostTimings["ip"] {
  const addresses = entries.flatMap(({ serverIPAddress }) => serverIPAddress || []);
  const [v4, v6] = [addresses.some((each) => !each.includes(":")), addresses.some((each) => each.includes(":"))];
  if (v4 && v6) return "4, 6";
  return v4 ? "4" : v6 ? "6" : null;
}

function tlsVersionOf(entries: readonly HarEntry[]): string | null {
  const names = entries.flatMap(
    ({ response, _tls_version }) => response._securityDetails?.protocol ?? _tls_version ?? [],
  );
  // Chromium says QUIC, whose TLS is always 1.3.
  const versions = new Set(names.map((name) => (/quic/i.test(name) ? "1.3" : name.replace(/^TLS\s*/i, ""))));
  return versions.size > 0 ? [...versions].sort().join(", ") : null;
}

/** Why no connection's time is known. */
function noConnection(entries: readonly HarEntry[], opened: readonly HarEntry[]): string {
  if (opened.length > 0) return "the browser began the connection before a request needed it";
  if (entries.some(({ _trilane }) => _trilane.connectionReused === true))
    return "all requests used connections that were open already";
  return entries.every(({ response }) => response.status === 0)
    ? "no request was answered"
    : "connections are known only under the debugger, or if the site lets its pages see them";
}

function timingsOf(host: string, entries: readonly HarEntry[], h3_offered: boolean | null): HostTimings {
  const [first] = entries;
  const protocol = first?._protocol || null;
  const quic = first !== undefined && isQuic(first);
  const isSecure = entries.some(({ request }) => request.url.startsWith("https:"));
  const unavailable: Partial<Record<TimingName, string>> = {};
  const known = <T>(name: TimingName, value: T | null, why: string): T | null => {
    if (value === null) unavailable[name] = why;
    return value;
  };
  const opened = openingRequests(entries);
  const timed = opened.filter((entry) => entry.timings.connect > 0 && !isBegunAhead(entry));
  const why = noConnection(entries, opened);
  const tcp_ms = ({ timings }: HarEntry): number => timings.connect - (quic ? 0 : Math.max(0, timings.ssl));
  const noTls = quic ? "part of QUIC's handshake: see connect" : isSecure ? why : "http:// has no TLS";
  const tls = quic ? [] : timed.flatMap(({ timings }) => (timings.ssl > 0 ? [timings.ssl] : []));
  const firstBytes = timed.filter(wasAnswered).map(({ timings }) => timings.connect + timings.send + timings.wait);
  const later = entries.filter((entry) => !opened.includes(entry) && wasAnswered(entry));
  const ids = new Set(entries.flatMap((entry) => connectionOf(entry) ?? []));
  const names = entries.flatMap(({ timings }) => (timings.dns > 0 ? [timings.dns] : []));
  return {
    host,
    protocol: known("protocol", protocol, "no request was answered, or its protocol is not known"),
    ip: known("ip", ipOf(entries), "the server's address is not known"),
    tls_version: known(
      "tls_version",
      tlsVersionOf(entries),
      isSecure ? "the TLS version is not known" : "http:// has no TLS",
    ),
    requests: entries.length,
    connections: known("connections", ids.size || null, "connections are not known"),
    opened: opened.length,
    dns_ms: known("dns_ms", median(names), "no request waited for a name lookup"),
    connect_ms: known("connect_ms", median(timed.map(tcp_ms)), why),
    tls_ms: known("tls_ms", median(tls), noTls),
    first_byte_ms: known("first_byte_ms", median(firstBytes), timed.length > 0 ? "no response came" : why),
    reused_first_byte_ms: known(
      "reused_first_byte_ms",
      median(later.map(({ timings }) => timings.wait)),
      "no request was answered on an open connection",
    ),
    h3_offered: quic ? null : known("h3_offered", h3_offered, "the responses' headers are not known"),
    unavailable,
  };
}

/** A row for each host and protocol that answered over the network, in the order of the first requests. */
export function hostTimings(entries: readonly HarEntry[]): HostTimings[] {
  const hosts = Map.groupBy(entries.filter(wentOverNetwork), ({ request }) => URL.parse(request.url)?.host ?? "");
  return [...hosts].flatMap(([host, own]) => {
    const offered = offersH3(own);
    const byProtocol = Map.groupBy(own, ({ _protocol }) => _protocol ?? "");
    return [...byProtocol.values()].map((each) => timingsOf(host, each, offered));
  });
}
