// How near a page that is recorded, or loaded from its own servers, may come to this machine: a request for a public page is no request to look at the printer,
// the router or a service on this machine, whatever that page tries. A page that is itself on a private address reaches the
// network that it is on. Decides by the page's URL alone; trilane-guard and the browser's own checks enforce it.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { programPath } from "../../base/programs.ts";
import { runProgram } from "../../base/run_program.ts";

/** From near to far, as trilane-guard has them. */
const spaces = ["loopback", "local", "public"] as const;
type AddressSpace = (typeof spaces)[number];

export interface HostAddress {
  readonly host: string;
  readonly address: string;
}

export interface Reach {
  /** What may be reached, with all that is farther. */
  readonly nearest: AddressSpace;
  /**
   * A name that was found at a private address stays there: its owner cannot open this network by one answer and serve the
   * page from elsewhere by the next.
   */
  readonly pinned: HostAddress | null;
}

const isSpace = (word: string): word is AddressSpace => spaces.some((space) => space === word);

/** How near an IPv4 or IPv6 address is. */
export async function spaceOf(address: string): Promise<AddressSpace> {
  const word = (await runProgram(programPath("trilane-guard"), ["--space", address])).trim();
  if (!isSpace(word)) throw new RangeError(`trilane-guard --space ${address}: ${word}`);
  return word;
}

/** This machine's own addresses and networks, as trilane-guard takes them. */
export async function ownNetworks(): Promise<string> {
  return (await runProgram(programPath("trilane-guard"), ["--networks"])).trim();
}

/**
 * The words before a browser that may reach no more than that. This machine's networks are read here: where the words run, as in a
 * lab, the interfaces may be others.
 */
export async function guardCommand({ nearest }: Reach): Promise<readonly string[]> {
  const guard = programPath("trilane-guard");
  return [guard, "--nearest", nearest, "--own", await ownNetworks(), "--"];
}

const everywhere: Reach = { nearest: "public", pinned: null };

/** `*.HOST` is every name under it; the browser takes the first that fits. */
function resolvedBy(addresses: readonly HostAddress[], host: string): string | undefined {
  return addresses.find((each) =>
    each.host.startsWith("*.") ? host.endsWith(each.host.slice(1)) : each.host.toLowerCase() === host,
  )?.address;
}

/** `find`: all addresses of a name; rejects where there is none. */
export async function reachOf(
  url: string,
  addresses: readonly HostAddress[],
  find = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address),
): Promise<Reach> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  // Browsers ask no user where this is.
  if (/(^|\.)localhost\.?$/.test(host)) return { nearest: "loopback", pinned: null };
  const given = isIP(host) ? host : resolvedBy(addresses, host);
  if (given !== undefined) return { nearest: await spaceOf(given), pinned: null };
  // What is wrong with a name is the browser's to say.
  const found = await find(host).catch(() => []);
  const sorts = await Promise.all(found.map(spaceOf));
  const [first] = found;
  const [nearest] = sorts;
  // A name that is here and there is a public one.
  if (first === undefined || nearest === undefined || sorts.includes("public")) return everywhere;
  return { nearest, pinned: { host, address: first } };
}
