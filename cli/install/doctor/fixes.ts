// What `doctor --fix` can mend of a machine: for each failed check the least that helps, then the next, until the check holds.
// Each is commands for root's shell, said before they run. Data and one function that goes through them; it prints nothing.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../base/programs.ts";
import { shellWord } from "../../base/shell_word.ts";
import { isInstalled } from "../requirements.ts";
import { type Check, checkNames } from "./check.ts";

/** One change of the machine. */
export interface Fix {
  /** What it does, as "let Trilane's programs make user namespaces (AppArmor profile)". */
  readonly does: string;
  /** For root's shell, in order; the first that fails ends them. */
  readonly commands: readonly string[];
  /** Holds only from the user's next login on: it cannot be looked at now. */
  readonly isLater?: boolean;
}

const installFolder = join(checkout, "cli", "install");

/** A kernel's switch, now and after the next start. */
function kernelSwitch(setting: string, does: string): Fix {
  const file = "/etc/sysctl.d/70-trilane.conf";
  return { does, commands: [`sysctl -w ${setting}`, `echo ${setting} >>${file}`] };
}

const holds = (path: string, value: string): boolean => {
  try {
    return readFileSync(`/proc/sys/${path}`, "utf8").trim() === value;
  } catch {
    return false; // this kernel does not have it
  }
};

function namespaceFixes(): Fix[] {
  const profile = `sed ${shellWord(`s|TRILANE_FOLDER|${checkout}|`)} ${shellWord(join(installFolder, "apparmor.profile"))}`;
  const path = "/etc/apparmor.d/trilane";
  const restricted = "kernel.apparmor_restrict_unprivileged_userns";
  return [
    ...(holds("kernel/unprivileged_userns_clone", "0")
      ? [kernelSwitch("kernel.unprivileged_userns_clone=1", "allow user namespaces to all users")]
      : []),
    ...(holds("user/max_user_namespaces", "0")
      ? [kernelSwitch("user.max_user_namespaces=10000", "allow up to 10 000 user namespaces")]
      : []),
    ...(holds("kernel/apparmor_restrict_unprivileged_userns", "1")
      ? [
          ...(isInstalled("apparmor_parser")
            ? [
                {
                  does: "let Trilane's programs, and no others, make user namespaces (AppArmor profile)",
                  commands: [`${profile} >${path}`, `apparmor_parser --replace ${path}`],
                },
              ]
            : []),
          kernelSwitch(`${restricted}=0`, "let all programs make user namespaces (AppArmor's restriction off)"),
        ]
      : []),
  ];
}

/** Whoever may open a device, may after the next start, too. */
const keptMode = (device: string, file: string): string =>
  `test ! -d /etc/udev || { mkdir -p /etc/udev/rules.d && echo 'KERNEL=="${device}", MODE="0666"' >/etc/udev/rules.d/${file}; }`;

const tunFixes: readonly Fix[] = [
  {
    does: "load the kernel's module for TUN devices and let all users open /dev/net/tun",
    commands: [
      "test -c /dev/net/tun || modprobe tun",
      "chmod 666 /dev/net/tun",
      keptMode("tun", "70-trilane-tun.rules"),
    ],
  },
];

const cubicFixes: readonly Fix[] = [
  { does: "load the kernel's module for TCP CUBIC", commands: ["modprobe tcp_cubic"] },
];

const wakeUpFixes: readonly Fix[] = [
  {
    does: "let users keep CPUs awake while a lab runs (/dev/cpu_dma_latency)",
    commands: [
      keptMode("cpu_dma_latency", "70-trilane.rules"),
      "test ! -e /dev/cpu_dma_latency || chmod 666 /dev/cpu_dma_latency",
    ],
  },
];

const schedulingFixes: readonly Fix[] = [
  {
    does: "let users' links run before their browsers, from their next login on (/etc/security/limits.d/trilane.conf)",
    commands: [`cp ${shellWord(join(installFolder, "limits.conf"))} /etc/security/limits.d/trilane.conf`],
    isLater: true,
  },
];

/** Not what single commands would like to have: that is a warning. */
function packageFixes(check: Check): Fix[] {
  if (check.outcome !== "missing") return [];
  const name = /^apt install (\S+), for /.exec(check.remedy ?? "")?.[1];
  return name && isInstalled("apt-get") ? [{ does: `install ${name}`, commands: [`apt-get install -y ${name}`] }] : [];
}

/** What may help a check that failed, the least first; none where only a person can. */
export function fixesOf(check: Check): readonly Fix[] {
  if (check.outcome === "ok") return [];
  if (check.name === checkNames.lab) return namespaceFixes();
  if (check.name === checkNames.tun) return tunFixes;
  if (check.name === checkNames.cubic) return cubicFixes;
  if (check.name === checkNames.wakeUps) return wakeUpFixes;
  if (check.name === checkNames.scheduling) return schedulingFixes;
  return packageFixes(check);
}

export type Fixed =
  | { readonly outcome: "fixed"; readonly fix: Fix }
  | { readonly outcome: "refused" | "not enough"; readonly fix: Fix; readonly why: string };

/** Runs one command as root and gives what went wrong, null if nothing did. */
export type RunAsRoot = (command: string) => string | null;

/** As root directly, else by sudo, which asks for its password on the terminal. */
export function runAsRoot(command: string): string | null {
  const words = process.getuid?.() === 0 ? ["sh", "-c", command] : ["sudo", "sh", "-c", command];
  const [program = "sh", ...rest] = words;
  const ran = spawnSync(program, rest, { encoding: "utf8", stdio: ["inherit", "pipe", "pipe"] });
  if (ran.error) return `${program} is not installed: run as root: ${command}`;
  return ran.status === 0 ? null : (ran.stderr.trim().split("\n").at(-1) ?? "") || `exit status ${ran.status}`;
}

/** One fix: its commands, then the check again. */
export function apply(fix: Fix, look: () => Check | null, run: RunAsRoot = runAsRoot): Fixed {
  for (const command of fix.commands) {
    const why = run(command);
    if (why !== null) return { outcome: "refused", fix, why };
  }
  const after = fix.isLater ? null : look();
  return after === null || after.outcome === "ok"
    ? { outcome: "fixed", fix }
    : { outcome: "not enough", fix, why: after.found };
}
