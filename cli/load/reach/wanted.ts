// The options that say what a command behind a link may reach, and what they stand for on this machine: which of its addresses a
// name has, whether something listens there, which networks it is on. Connects to those ports once, and to nothing else.
import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import { hostname } from "node:os";
import { UserError } from "../../base/errors.ts";
import { flag, repeated } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { programPath } from "../../base/programs.ts";
import { outsideCommand } from "../../link/live/live_lab.ts";
import { ownNetworks, spaceOf } from "../../link/live/reach.ts";
import type { Exchange } from "../../recording/archive/archive.ts";
import { type OwnServer, type Reach, reach, type Wanted } from "./reach.ts";

export type ReachOptions = OptionsOf<typeof defineReach>;

export const defineReach = (table: OptionTable<unknown>) =>
  table.with(defineLive).option("recording", { describe: "serve this recording's origins at the other end" });

/** What is live at the other end. */
export const defineLive = (table: OptionTable<unknown>) =>
  table
    .option(
      "reach",
      repeated("servers of this machine at the other end, as localhost:3000; nothing else of it is there", {
        placeholder: "HOST:PORT,...",
      }),
    )
    .with(defineOutside);

export const defineOutside = (table: OptionTable<unknown>) =>
  table
    .option("outside", flag("the internet at the other end; private networks and this machine are refused"))
    .option("allow-local-network", flag("with --outside: private networks and this machine's neighbours, too"));

/** What was requested by words alone. UserError for two things at once. */
export type ReachChoice =
  | { readonly kind: "nothing" }
  | { readonly kind: "recording"; readonly name: string }
  | { readonly kind: "servers"; readonly servers: readonly HostPort[] }
  | { readonly kind: "outside"; readonly localNetwork: boolean };

interface HostPort {
  readonly host: string;
  readonly port: number;
}

function readHostPort(text: string): HostPort {
  const [, host = "", digits = ""] = /^(?:https?:\/\/)?(\[[\da-f:]+\]|[^:/[\]\s]+):(\d+)\/?$/i.exec(text) ?? [];
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65535)
    throw new UserError(`--reach "${text}": write a host of this machine and a port, as localhost:3000`);
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  // The far side has loopback's one address, whichever of this machine's the server listens on.
  if (/^127\./.test(bare) || bare === "::1") return { host: "localhost", port };
  if (isIP(bare) === 6)
    throw new UserError(`--reach "${text}": write a name or an IPv4 address: the link's far side has no other`);
  return { host: bare.replace(/\.$/, ""), port };
}

const mostServers = 64;

export function reachChoiceOf(options: ReachOptions): ReachChoice {
  const { recording, outside } = options;
  const given = [
    ...(recording === undefined ? [] : ["--recording"]),
    ...(options.reach.length > 0 ? ["--reach"] : []),
    ...(outside ? ["--outside"] : []),
  ];
  if (given.length > 1) throw new UserError(`${given.join(" and ")}: one of them is at the other end: choose`);
  if (options["allow-local-network"] && !outside)
    throw new UserError("--allow-local-network: is for --outside: give that too");
  if (recording !== undefined) return { kind: "recording", name: recording };
  if (outside) return { kind: "outside", localNetwork: options["allow-local-network"] };
  if (options.reach.length === 0) return { kind: "nothing" };
  const servers = options.reach.flatMap((words) => words.split(",")).map(readHostPort);
  if (servers.length > mostServers) throw new UserError(`--reach: at most ${mostServers} servers`);
  return { kind: "servers", servers };
}

/** The command's own /etc/hosts has these; browsers know them without. */
const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host) || host === hostname().toLowerCase();

async function addressesOf({ host }: HostPort): Promise<readonly string[]> {
  if (/(^|\.)localhost$/.test(host)) return ["127.0.0.1", "::1"];
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  const [first] = addresses;
  if (first === undefined)
    throw new UserError(
      `--reach ${host}: this machine knows no address of it: add it to /etc/hosts, or write localhost`,
    );
  const spaces = await Promise.all(addresses.map(spaceOf));
  const elsewhere = spaces.findIndex((space) => space !== "loopback");
  if (elsewhere >= 0) {
    const how = spaces[elsewhere] === "local" ? "--outside --allow-local-network" : "--outside";
    throw new UserError(`--reach ${host}: ${addresses[elsewhere]} is not this machine: take ${how} for it`);
  }
  return addresses;
}

async function serverOf(server: HostPort): Promise<OwnServer> {
  const addresses = await addressesOf(server);
  const here = addresses.map((address) =>
    isIP(address) === 6 ? `[${address}]:${server.port}` : `${address}:${server.port}`,
  );
  return { ...server, isLocalhost: isLocalhost(server.host), here };
}

/** Whether a connection is taken there, within a second. */
function listens(place: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${place}`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), timeout: 1000 });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    for (const event of ["error", "timeout"]) socket.once(event, () => resolve(false));
  }).finally(() => socket.destroy());
}

/** UserError if nothing listens where a server is to be reached. */
export async function refuseSilent(wanted: Wanted): Promise<void> {
  const silent = await silentServer(wanted);
  if (silent !== null) throw new UserError(`--reach ${silent}: nothing listens there: start the server first`);
}

/** The first server that nothing listens for; null: all answer. */
export async function silentServer({ kind, ...rest }: Wanted): Promise<string | null> {
  if (kind !== "servers" || !("servers" in rest)) return null;
  for (const { host, port, here } of rest.servers)
    if (!(await Promise.all(here.map(listens))).includes(true)) return `${host}:${port}`;
  return null;
}

function originsOf(exchanges: readonly Exchange[]): string[] {
  const origins = exchanges.map(({ scheme, host, port }) => {
    const name = host.includes(":") ? `[${host}]` : host;
    return port === (scheme === "https" ? 443 : 80) ? `${scheme}://${name}` : `${scheme}://${name}:${port}`;
  });
  return [...new Set(origins)];
}

/** `exchanges`: the recording's. UserError if a host is not this machine. */
export async function wantedOf(choice: ReachChoice, exchanges: readonly Exchange[]): Promise<Wanted> {
  switch (choice.kind) {
    case "nothing":
      return choice;
    case "recording":
      return { ...choice, origins: originsOf(exchanges) };
    case "servers":
      return { kind: "servers", servers: await Promise.all(choice.servers.map(serverOf)) };
    case "outside":
      return { kind: "outside", refused: choice.localNetwork ? null : { own: await ownNetworks() } };
  }
}

/** `reach` with the programs of this machine. UserError if one is missing. */
export function reachHere(wanted: Wanted): Reach {
  return reach(wanted, {
    guard: wanted.kind === "servers" ? programPath("trilane-guard") : "",
    outside: (refused) => outsideCommand("--outside", refused),
  });
}
