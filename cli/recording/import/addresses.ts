// The server address each exchange is replayed from: as recorded where a lab can have it, else one of 198.18.0.0/15 (kept
// for benchmarks, RFC 2544), a different one for each recorded address, or for each host where none is recorded.
import { BlockList, isIP } from "node:net";
import { textField } from "../../base/json_fields.ts";
import type { HarEntry } from "./har.ts";

const unusable = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // the lab's own
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // ours: a recorded one could meet a mapped one
  ["224.0.0.0", 3],
] as const)
  unusable.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  unusable.addSubnet(network, prefix, "ipv6");

// What no server in a lab can have, as a browser there takes it for its own machine, or knows no way to it.
const unreachable = new BlockList();
unreachable.addSubnet("0.0.0.0", 8, "ipv4");
unreachable.addSubnet("127.0.0.0", 8, "ipv4");
unreachable.addAddress("100.64.0.2", "ipv4"); // the browser's own side of the lab (shaper/tun/lab.h)
unreachable.addSubnet("224.0.0.0", 3, "ipv4"); // multicast, reserved, broadcast
unreachable.addSubnet("::", 127, "ipv6");
unreachable.addAddress("fd00:7472::2", "ipv6"); // as 100.64.0.2
unreachable.addSubnet("fe80::", 10, "ipv6"); // a URL cannot say on which link
unreachable.addSubnet("ff00::", 8, "ipv6");

/** The text form of a recorded address without brackets, zone, or IPv4 in IPv6's clothes; null where it is none. */
function plainAddress(recorded: string | null): string | null {
  const bare = recorded?.replace(/^\[([^\]]*)\](:\d+)?$/, "$1").replace(/%.*$/, "") ?? "";
  const address = bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
  return isIP(address) ? address.toLowerCase() : null;
}

/** Whether a server in a lab can have it: no private or local address. A name is taken to be of a public one, but localhost. */
export const isUsable = (address: string): boolean =>
  isIP(address) === 0
    ? !/(^|\.)localhost$/i.test(address)
    : !unusable.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** HAR's field, or WebPageTest's. */
export const recordedAddress = ({ raw }: HarEntry): string | null =>
  plainAddress(textField(raw, "serverIPAddress")) ?? plainAddress(textField(raw, "_ip_addr"));

/** As the archive and the lab's DNS have it: without an address's brackets, and without the root's dot. */
export const hostOf = ({ url }: Pick<HarEntry, "url">): string =>
  url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

// What a lab's DNS can carry; schemas/message.schema.json asks for the same.
const legalHost = /^[a-z0-9._:-]{1,255}$/;

/** A URL may: the host of `https://%2e/` is empty but for the root's dot. */
export const namesIllegalHost = (entry: Pick<HarEntry, "url">): boolean => !legalHost.test(hostOf(entry));

/** The browser of a load is sent to a stand-in (cli/browser/stand_ins.ts). */
const isReachable = (address: string): boolean => !unreachable.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

export interface AddressCounts {
  /** Different recorded addresses that were replaced because no lab can have them. */
  readonly mapped: number;
  /** Hosts without any recorded address that were given one. */
  readonly invented: number;
}

export interface Address {
  /** To replay from. */
  readonly given: string;
  /** As recorded, where that is another one; null where it is the same, or none was recorded. */
  readonly replaced: string | null;
}

export class Addresses {
  readonly #given = new Map<string, string>();
  readonly #ofHost = new Map<string, string>();
  #mapped = 0;
  #invented = 0;

  constructor(entries: readonly HarEntry[]) {
    // Known beforehand, so that a response from a cache or a reused connection, which often has no address of its
    // own, comes from where its host's others come from.
    for (const entry of entries) {
      const address = recordedAddress(entry);
      if (address && !this.#ofHost.has(hostOf(entry))) this.#ofHost.set(hostOf(entry), address);
    }
  }

  of(entry: HarEntry): Address {
    const host = hostOf(entry);
    // An address in the URL is connected to as it is, where a server in a lab can have it.
    if (isIP(host) && isReachable(host)) return { given: host, replaced: null };
    const address = isIP(host) ? host : (recordedAddress(entry) ?? this.#ofHost.get(host));
    if (address && isUsable(address)) return { given: address, replaced: null };
    return { given: this.#standIn(address, host), replaced: address ?? null };
  }

  #standIn(address: string | undefined, host: string): string {
    const key = address ?? `host ${host}`;
    const known = this.#given.get(key);
    if (known) return known;
    if (address) this.#mapped++;
    else this.#invented++;
    const number = this.#given.size;
    const given = `198.${18 + Math.floor(number / (254 * 256))}.${Math.floor(number / 254) % 256}.${(number % 254) + 1}`;
    this.#given.set(key, given);
    return given;
  }

  get counts(): AddressCounts {
    return { mapped: this.#mapped, invented: this.#invented };
  }
}
