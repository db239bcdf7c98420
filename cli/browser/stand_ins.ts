// Hosts that a browser never asks the network for, as it takes them for its own machine: localhost by name, and addresses that no
// server in a lab can have (127.0.0.1, [::1]; cli/recording/import/addresses.ts gives each a stand-in). In a lab they are servers
// behind the link as any other: the browser looks up another name, which the lab's DNS knows (native-host/replay/dns/dns_zone.c). The
// page does not see it. An address is looked up, too: only DNS can say of it that http:// is https:// on a lane over TLS, as browsers
// upgrade no URL of their own machine otherwise. Pure.
import { isIP } from "node:net";

/** What a browser resolves to its own machine by name (RFC 6761, 6.3). */
export const isLocalName = (host: string): boolean => /(^|\.)localhost$/i.test(host);

// As native-host/replay/dns/dns_zone.c has them; in no one's DNS (RFC 6761, 6.2).
const suffix = ".test";
const addressSuffix = ".localhost.test";

/** The page's host that `name` stands for in the lab's DNS. */
export function lookedUpFor(name: string): string {
  const address = name.endsWith(addressSuffix) ? name.slice(0, -addressSuffix.length).replaceAll("-", ":") : "";
  if (isIP(address) !== 0) return address;
  return name.endsWith(suffix) && isLocalName(name.slice(0, -suffix.length)) ? name.slice(0, -suffix.length) : name;
}

/** An address in a URL, which is connected to at another one. Chromium compares it without its brackets. */
export const addressRule = ([host, address]: readonly [string, string]): string =>
  `MAP ${host} ${isIP(address) === 6 ? `[${address}]` : address}`;

/** For Chromium's --host-resolver-rules, of a recording's hosts and the addresses that they are served from; empty: none is needed. */
export function standInRules(hosts: ReadonlyMap<string, string>): string[] {
  return [...hosts].flatMap(([host, address]) => {
    if (isLocalName(host)) return [`MAP ${host} ${host}${suffix}`];
    if (isIP(host) === 0 || host === address) return [];
    return [`MAP ${host} ${host.replaceAll(":", "-")}${addressSuffix}`];
  });
}
