// How a browser is started that reaches live sites, and through a link if one is given: the words before the browser's
// own. Starts only `trilane-shaper`, for what it says of links and labs.
//
// Without a link it runs where we run. With one, it runs behind trilane-shaper, whose far side is a namespace that pasta
// connects to the world (live_lab.sh); or, where we are in a lab already, this lab, whose servers are the world then.
import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { delimiter, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { programPath } from "../../base/programs.ts";
import { formatLink, type LinkProfile } from "../link.ts";
import { ownNetworks, spaceOf } from "./reach.ts";

const script = join(import.meta.dirname, "live_lab.sh");

/** Whether the shaper would use this network as its far side: it alone knows a lab from a network that looks like one. */
function isInLab(shaper: string): boolean {
  return process.env.TRILANE_LAB !== undefined && spawnSync(shaper, ["--is-lab"]).status === 0;
}

function isAccessible(path: string, how: number): boolean {
  try {
    accessSync(path, how);
    return true;
  } catch {
    return false;
  }
}

const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => isAccessible(join(folder, program), constants.X_OK));

/** trilane-replay's, which the shaper takes where no other is named. */
const replayNameserver = "100.64.0.53";

/** The name server to use in a lab: trilane-replay's where it is one of its labs, else the system's; null: none is named. */
function labNameserver(): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (addresses.some(({ address }) => address === replayNameserver)) return replayNameserver;
  try {
    return /^nameserver\s+(\S+)/m.exec(readFileSync("/etc/resolv.conf", "utf8"))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Chromium refuses root; in a user namespace of its own it is an ordinary user, and keeps its sandbox. */
const asUser = (): string[] =>
  process.getuid?.() === 0 ? ["unshare", "-U", "--map-user=1000", "--map-group=1000", "--"] : [];

/**
 * The words before trilane-shaper's whose far side is the world. What comes over the link is refused if it is for an address
 * nearer than public, or in `own` (`trilane-guard --networks`); null: nothing is. UserError if pasta, or the device that it needs, is not there.
 */
export function outsideCommand(option: string, refused: { readonly own: string } | null): readonly string[] {
  if (!isInstalled("pasta"))
    throw new UserError(`${option}: pasta is not installed, which takes the link to the world: apt install passt`);
  // A lab's own link can do without it (shaper/tun/wire.h).
  if (!isAccessible("/dev/net/tun", constants.R_OK | constants.W_OK))
    throw new UserError(
      `${option}: pasta needs /dev/net/tun, which cannot be opened: run \`sudo modprobe tun\` (in a container pass --device /dev/net/tun)`,
    );
  const refusing = refused ? ["--nearest", "public", "--own", refused.own] : [];
  return ["bash", script, programPath("trilane-guard"), "--new-network", ...refusing, "--"];
}

interface Live {
  readonly addresses?: readonly { readonly address: string }[];
  readonly allow_local_network?: boolean;
}

/**
 * The same words for a lab's live servers, and this machine's networks as they stand in these; null: they do not. `named`: the word
 * that has the address, if it is not alone. UserError also for a private one that may not be reached.
 */
export async function liveFar({ addresses = [], allow_local_network = false }: Live, named?: string) {
  for (const { address } of allow_local_network ? [] : addresses)
    if ((await spaceOf(address)) !== "public")
      throw new UserError(
        `${named ?? address}: is an address of this machine or a private network: take --allow-local-network for it`,
      );
  const own = allow_local_network ? null : await ownNetworks();
  return { far: outsideCommand("--outside", own === null ? null : { own }), own };
}

/** UserError where what a link needs is not installed. */
export function liveLabCommand(link: LinkProfile | null): readonly string[] {
  if (link === null) return asUser();
  const program = programPath("trilane-shaper");
  const shaper = [program, "--link", formatLink(link)];
  if (isInLab(program)) {
    const nameserver = labNameserver();
    // The browser's environment, which the shaper is started with, does not have it.
    const token = `TRILANE_LAB=${process.env.TRILANE_LAB}`;
    return ["env", token, ...shaper, ...(nameserver ? ["--nameserver", nameserver] : []), "--"];
  }
  return [...outsideCommand("--link", null), ...shaper, "--"];
}
