// By what each request was answered, and how requests, bytes and time are shared out among these. Pure.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { ProtocolShare } from "../../schemas/generated/profile.ts";

/** An ALPN name, "h3 0-RTT", "cache", "service worker", "none" (no answer) or "unknown" (not reported). */
export function answeredBy(entry: HarEntry, early: ReadonlySet<string> = new Set()): string {
  if (entry.response._fetchedViaServiceWorker) return "service worker";
  if (entry._fromCache !== undefined) return "cache";
  const protocol = (entry._protocol ?? "").toLowerCase();
  if (protocol === "") return entry._trilane.complete ? "unknown" : "none";
  if (protocol === "h3" && entry._connectionId !== undefined && early.has(entry._connectionId)) return "h3 0-RTT";
  return protocol;
}

// Private, loopback and link-local: there a whole handshake may take less than a millisecond.
const nearby =
  /^(10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd]|fe[89ab])/i;
const noRoundTrip_ms = 2;
const handshake_ms = 10;

/**
 * The ids of HTTP/3 connections whose first request left as early data (0-RTT). DevTools does not say so, but it shows:
 * Chromium counts a connection as ready when its handshake is confirmed, and an answer that is there sooner after that
 * than any round trip over a network takes was requested before. An answer that the server thought about for longer
 * hides it, and of servers nearby nothing can be said: so there may be more of them.
 */
export function earlyDataConnections(entries: readonly HarEntry[]): Set<string> {
  const early = new Set<string>();
  for (const { _protocol, _connectionId, serverIPAddress, timings, response, _trilane: facts } of entries) {
    if (_protocol !== "h3" || _connectionId === undefined || facts.connectionReused !== false) continue;
    if (serverIPAddress === undefined || nearby.test(serverIPAddress) || response.status === 0) continue;
    if (timings.connect >= handshake_ms && timings.wait < noRoundTrip_ms) early.add(_connectionId);
  }
  return early;
}

/** Most requests first; of the same number by name. */
export function protocolShares(entries: readonly HarEntry[]): ProtocolShare[] {
  const early = earlyDataConnections(entries);
  const shares = new Map<string, ProtocolShare>();
  for (const entry of entries) {
    const protocol = answeredBy(entry, early);
    const share = shares.get(protocol) ?? { protocol, requests: 0, bytes: 0, time_ms: 0 };
    share.requests++;
    share.bytes += entry.response._transferSize;
    share.time_ms += entry.time;
    shares.set(protocol, share);
  }
  return [...shares.values()].sort((a, b) => b.requests - a.requests || (a.protocol < b.protocol ? -1 : 1));
}
