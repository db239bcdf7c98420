// Hosts that a browser never asks the network for, as it takes them for its own machine: localhost by name, and addresses that no
// server in a lab can have (127.0.0.1, [::1]; cli/recording/import/addresses.ts gives each a stand-in). In a lab they are servers
// behind the link as any other: the browser looks up another name for the first, which the lab's DNS knows
// (native-host/replay/dns/dns_zone.c), and connects to the stand-in for the others. The page does not see it. Pure.
import { isIP } from "node:net";

/** What a browser resolves to its own machine by name (RFC 6761, 6.3). */
export const isLocalName = (host: string): boolean => /(^|\.)localhost$/i.test(host);

// As native-host/replay/dns/dns_zone.c has it; in nobody's DNS (RFC 6761, 6.2).
const suffix = ".test";

/** The name of the page's that the lab's DNS was asked for by `name`. */
export const lookedUpFor = (name: string): string =>
  name.endsWith(suffix) && isLocalName(name.slice(0, -suffix.length)) ? name.slice(0, -suffix.length) : name;

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** An address in a URL, which is connected to at another one. Chromium compares it without its brackets. */
export const addressRule = ([host, address]: readonly [string, string]): string => `MAP ${host} ${bracketed(address)}`;

/** For Chromium's --host-resolver-rules, of a recording's hosts and the addresses that they are served from; empty: none is needed. */
export function standInRules(hosts: ReadonlyMap<string, string>): string[] {
  return [...hosts].flatMap(([host, address]) => {
    if (isLocalName(host)) return [`MAP ${host} ${host}${suffix}`];
    return isIP(host) !== 0 && host !== address ? [addressRule([host, address])] : [];
  });
}
