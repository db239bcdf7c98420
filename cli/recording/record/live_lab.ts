// How a browser is started that reaches live sites, and through a link if one is asked: the words before the browser's
// own. Starts nothing.
//
// Without a link it runs where we run. With one, it runs behind trilane-shaper, whose far side is a namespace that pasta
// connects to the world (live_lab.sh); or, where we are in a lab already, this lab, whose servers are the world then.
import { accessSync, constants, readFileSync, readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { delimiter, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { programPath } from "../../base/programs.ts";
import { formatLink, type LinkProfile } from "../../link/link.ts";

const script = join(import.meta.dirname, "live_lab.sh");

// linux/capability.h.
const labCapabilities = (1n << 12n) | (1n << 21n); // NET_ADMIN, SYS_ADMIN

/** As the shaper sees it (base/namespace.c), which also looks at whose the network is. */
function isInLab(): boolean {
  if (process.env.TRILANE_LAB !== readlinkSync("/proc/self/ns/net")) return false;
  const ambient = /^CapAmb:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return ambient !== undefined && (BigInt(`0x${ambient}`) & labCapabilities) === labCapabilities;
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

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

/** Chromium refuses root; in a user namespace of its own it is nobody special, and keeps its sandbox. */
const asUser = (): string[] =>
  process.getuid?.() === 0 ? ["unshare", "-U", "--map-user=1000", "--map-group=1000", "--"] : [];

/** UserError where what a link needs is not installed. */
export function liveLabCommand(link: LinkProfile | null): readonly string[] {
  if (link === null) return asUser();
  const shaper = [programPath("trilane-shaper"), "--link", formatLink(link)];
  if (isInLab()) {
    const nameserver = labNameserver();
    // The browser's environment, which the shaper is started with, does not have it.
    const token = `TRILANE_LAB=${process.env.TRILANE_LAB}`;
    return ["env", token, ...shaper, ...(nameserver ? ["--nameserver", nameserver] : []), "--"];
  }
  if (!isInstalled("pasta"))
    throw new UserError("--link: pasta is not installed, which takes the link to the world: apt install passt");
  return ["bash", script, programPath("trilane-guard"), ...shaper, "--"];
}
