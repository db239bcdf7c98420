// What a command behind a link may reach: a recording's origins, servers of this machine, the internet, or nothing but the
// link's other end. From what was wanted follow the words that make the far side, the link's own, and the sentence that says
// so. Pure: servers and networks were looked up before (wanted.ts).

/** A server of this machine, by the name that is requested. */
export interface OwnServer {
  readonly host: string;
  readonly port: number;
  /** A name of loopback, so that inside, too, it is 127.0.0.1. */
  readonly isLocalhost: boolean;
  /** Where it may listen, in the order in which they are tried: `127.0.0.1:3000`, `[::1]:3000`. */
  readonly here: readonly string[];
}

export type Wanted =
  | { readonly kind: "nothing" }
  | { readonly kind: "recording"; readonly name: string; readonly origins: readonly string[] }
  | { readonly kind: "servers"; readonly servers: readonly OwnServer[] }
  /** `refused`: this machine's networks, which are with all private ones; null: nothing is. */
  | { readonly kind: "outside"; readonly refused: { readonly own: string } | null };

export interface Reach {
  /** Before trilane-shaper's words; empty if it makes the far side itself, or trilane-replay does. */
  readonly far: readonly string[];
  readonly shaperOptions: readonly string[];
  readonly nameserver: string | null;
  /** Origins, servers, or addresses. */
  readonly reachable: readonly string[];
  /** As a line says it after "at the other end: ". */
  readonly sentence: string;
}

/** As the programs have them; see trilane-shaper --help. */
const farEnds = ["100.64.0.1", "fd00:7472::1"];
const nameserver = "100.64.0.53";
const shownOrigins = 8;
/** Of a door. */
const mostAddresses = 4;

/** What starts a far side: trilane-guard's path, and the words for one that pasta connects to the world. */
interface FarPrograms {
  readonly guard: string;
  readonly outside: (refused: { readonly own: string } | null) => readonly string[];
}

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host);

/** Where each host is in the far namespace: localhost where it always is, an address at itself, others from 100.64.1.1 on. */
function farAddresses(servers: readonly OwnServer[]): ReadonlyMap<string, string> {
  const named = [
    ...new Set(servers.flatMap(({ host, isLocalhost }) => (isLocalhost || isAddress(host) ? [] : [host]))),
  ];
  const addressOf = ({ host, isLocalhost }: OwnServer): string => {
    if (isLocalhost) return "127.0.0.1";
    return isAddress(host) ? host : `100.64.1.${named.indexOf(host) + 1}`;
  };
  return new Map(servers.map((server) => [server.host, addressOf(server)]));
}

function toServers(servers: readonly OwnServer[], { guard }: FarPrograms): Reach {
  const addresses = farAddresses(servers);
  const at = ({ host, port }: OwnServer): string => `${addresses.get(host)}:${port}`;
  // Two names of loopback are one door.
  const doors = Map.groupBy(servers, at);
  const names = [...addresses].filter(([host]) => host !== "localhost" && !isAddress(host));
  const ports = [...new Set(servers.flatMap(({ port, isLocalhost }) => (isLocalhost ? [port] : [])))];
  const reachable = servers.map(({ host, port }) => `${host}:${port}`);
  return {
    far: [
      ...[guard, "--new-network", "--die-with-parent"],
      ...[...doors].flatMap(([door, through]) => {
        const here = [...new Set(through.flatMap((server) => server.here))].slice(0, mostAddresses);
        return ["--door", `${door}=${here.join(",")}`];
      }),
      ...names.flatMap(([host, address]) => ["--name", `${host}=${address}`]),
      "--",
    ],
    shaperOptions: ports.length > 0 ? ["--far-port", ports.join(",")] : [],
    nameserver,
    reachable,
    sentence: `${reachable.join(", ")} of this machine, and nothing else`,
  };
}

const enclosed = { far: [], shaperOptions: [], nameserver: null };

export function reach(wanted: Wanted, programs: FarPrograms): Reach {
  switch (wanted.kind) {
    case "nothing":
      return { ...enclosed, reachable: farEnds, sentence: `${farEnds.join(", ")}, and nothing else` };
    case "recording": {
      const { origins } = wanted;
      const more = origins.length > shownOrigins ? ` and ${origins.length - shownOrigins} more` : "";
      const shown = origins.slice(0, shownOrigins).join(", ");
      return { ...enclosed, nameserver, reachable: origins, sentence: `${shown}${more}, and nothing else` };
    }
    case "servers":
      return toServers(wanted.servers, programs);
    case "outside":
      return {
        ...enclosed,
        far: programs.outside(wanted.refused),
        nameserver,
        reachable: ["internet"],
        sentence: wanted.refused
          ? "the internet, and nothing of this machine and its networks"
          : "the internet and this machine's networks, and nothing of this machine's loopback",
      };
  }
}
